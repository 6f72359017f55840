package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/inferlake/inferlake/jobs/chart"
	"github.com/inferlake/inferlake/sql"
)

// axis lays out the values of a column: times and numbers in order, names as the rows have them; and says where each row
// lies. Numbers that stand beside bars are names too.
func (r Table) axis(column string, named bool) (x chart.Axis, place []int) {
	i := r.column(column)
	var keys []any
	at := map[string]int{}
	for _, row := range r.Rows {
		text, known := exact(row[i])
		key := fmt.Sprint(known, text)
		if _, seen := at[key]; !seen {
			at[key] = len(keys)
			keys = append(keys, row[i])
		}
		place = append(place, at[key])
	}
	x.At, x.Time = positions(keys, named, r.byTime())
	for _, k := range keys {
		x.Labels = append(x.Labels, label(k, r.Columns[i]))
	}
	return inOrder(x, place)
}

// label writes a position of an axis, each duration in a unit of its own.
func label(v any, c Column) string {
	s := scalesOf(Table{Columns: []Column{c}, Rows: [][]any{{v}}})[0]
	f, number := float(v)
	switch text := readable(v, s); {
	case v == nil:
		return "(not known)"
	case text == "":
		return "(empty)"
	case c.Unit == "seconds" && number:
		return duration(f)
	case number && s.unit != "":
		return text + " " + s.unit
	default:
		return text
	}
}

// duration writes seconds in the greatest unit of which there is one.
func duration(seconds float64) string {
	for _, u := range []struct {
		unit string
		size float64
	}{{"h", 3600}, {"min", 60}, {"s", 1}, {"ms", 1e-3}} {
		if seconds >= u.size {
			return strconv.FormatFloat(seconds/u.size, 'g', 3, 64) + " " + u.unit
		}
	}
	return strconv.FormatFloat(seconds*1e6, 'g', 3, 64) + " µs"
}

// positions are where values lie, if all of them are times or numbers.
func positions(keys []any, named, byTime bool) (at []float64, times bool) {
	for i, k := range keys {
		t, isTime := timeOf(k, byTime)
		f, isNumber := float(k)
		switch {
		case isTime && (i == 0 || times):
			at, times = append(at, seconds(t)), true
		case isNumber && !times && !named:
			at = append(at, f)
		default:
			return nil, false
		}
	}
	return at, times
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1e3 }

// timeOf reads a time, which a report that groups by time writes as text.
func timeOf(v any, byTime bool) (time.Time, bool) {
	switch v := v.(type) {
	case time.Time:
		return v, true
	case string:
		t, err := sql.ParseTime(v)
		return t, byTime && err == nil
	}
	return time.Time{}, false
}

// byTime says that the groups of a report are hours or days.
func (r Table) byTime() bool {
	return slices.ContainsFunc(r.Params, func(p Param) bool { return p.Name == "by" && (p.Value == "hour" || p.Value == "day") })
}

// inOrder sorts the positions of an axis, and where each row lies with them.
func inOrder(x chart.Axis, place []int) (chart.Axis, []int) {
	if x.At == nil {
		return x, place
	}
	order := make([]int, len(x.At))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x.At[a], x.At[b]) })
	sorted, moved := chart.Axis{Time: x.Time}, make([]int, len(order))
	for to, from := range order {
		sorted.Labels, sorted.At, moved[from] = append(sorted.Labels, x.Labels[from]), append(sorted.At, x.At[from]), to
	}
	out := make([]int, len(place))
	for n, p := range place {
		out[n] = moved[p]
	}
	return sorted, out
}
