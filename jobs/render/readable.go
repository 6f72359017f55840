package render

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// null stands for NULL where people read.
const null = "–"

// scale is how a unit is shown: values times factor, in the unit named.
type scale struct {
	unit    string
	factor  float64
	minutes bool // times have no seconds to show
}

// scalesOf chooses how each column is shown. All durations of a result get one unit, so that they compare.
func scalesOf(r Table) []scale {
	duration := durationScale(r)
	scales := make([]scale, len(r.Columns))
	for i, c := range r.Columns {
		switch c.Unit {
		case "seconds":
			scales[i] = duration
		case "ratio":
			scales[i] = scale{unit: "%", factor: 100}
		default:
			scales[i] = scale{unit: c.Unit, factor: 1, minutes: r.onMinutes(i)}
		}
	}
	return scales
}

// onMinutes says that all times of a column are whole minutes, as those of windows are.
func (r Table) onMinutes(column int) bool {
	for _, row := range r.Rows {
		if t, ok := row[column].(time.Time); ok && !t.Truncate(time.Minute).Equal(t) {
			return false
		}
	}
	return true
}

// durationScale is milliseconds below a minute, microseconds below a millisecond, else seconds.
func durationScale(r Table) scale {
	greatest := 0.0
	for i, c := range r.Columns {
		if c.Unit != "seconds" {
			continue
		}
		for _, row := range r.Rows {
			f, _ := float(row[i])
			greatest = max(greatest, f)
		}
	}
	switch {
	case greatest >= 60:
		return scale{unit: "s", factor: 1}
	case greatest > 0 && greatest < 0.001:
		return scale{unit: "µs", factor: 1e6}
	}
	return scale{unit: "ms", factor: 1e3}
}

// readable writes a value for people.
func readable(v any, s scale) string {
	switch v := v.(type) {
	case nil:
		return null
	case time.Time:
		if s.minutes {
			return v.UTC().Format("2006-01-02 15:04")
		}
		return v.UTC().Format("2006-01-02 15:04:05")
	case bool:
		return map[bool]string{true: "yes", false: "no"}[v]
	case string:
		return printable(v)
	}
	if list, ok := numbers(v); ok {
		return sparkline(list)
	}
	text, ok := exact(v)
	f, number := float(v)
	switch {
	case !ok:
		return null
	case !number:
		return printable(text)
	case s.unit == "%":
		return percent(f)
	case s.unit == "USD":
		return money(f)
	case strings.ContainsAny(text, ".eE") || s.factor != 1:
		return significant(f * s.factor)
	}
	return thousands(text)
}

// printable replaces what a terminal would obey or a table would break on.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// significant writes three significant digits, whole numbers from 100 on.
func significant(f float64) string {
	switch size := math.Abs(f); {
	case f == 0:
		return "0"
	case size >= 99.95:
		return thousands(strconv.FormatFloat(f, 'f', 0, 64))
	case size >= 9.995:
		return strconv.FormatFloat(f, 'f', 1, 64)
	case size >= 0.9995:
		return strconv.FormatFloat(f, 'f', 2, 64)
	case size >= 0.0001:
		return strconv.FormatFloat(f, 'f', 2-int(math.Floor(math.Log10(size))), 64)
	}
	return strconv.FormatFloat(f, 'e', 1, 64)
}

// percent writes a ratio as per cent; what is not all is not 100 and what is not nothing is not 0.
func percent(ratio float64) string {
	text := strconv.FormatFloat(ratio*100, 'f', 2, 64)
	switch {
	case text == "100.00" && ratio < 1:
		return "99.99"
	case text == "0.00" && ratio > 0:
		return "0.01"
	}
	return text
}

// money writes cents, or more digits below a dollar.
func money(f float64) string {
	if f != 0 && math.Abs(f) < 0.995 {
		return significant(f)
	}
	return thousands(strconv.FormatFloat(f, 'f', 2, 64))
}

// thousands groups the digits of a number before its point.
func thousands(number string) string {
	sign, digits := "", number
	if strings.HasPrefix(number, "-") {
		sign, digits = "-", number[1:]
	}
	whole, rest, point := strings.Cut(digits, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		whole += "." + rest
	}
	return sign + whole
}
