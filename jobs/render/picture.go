package render

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferlake/inferlake/jobs/chart"
	"github.com/inferlake/inferlake/sql"
)

// figure is a chart of a report as a page shows it: one picture, or a small one a value, all on one scale.
type figure struct {
	Kind, Title string
	Unit        string
	N           string // what each value is of
	Note        string // what is left out, and how it is drawn; "": nothing
	Pictures    []chart.Chart
	Names       []string // of the small ones; nil for one picture
}

// What a picture holds at most; the rest is in the table.
const (
	mostMultiples = 24
	mostLines     = 16
	mostParts     = 8
	mostCells     = 64 // rows of a heat map
	mostBars      = 40 // rows of a chart of bars
)

// figureOf makes the picture that a report declares of its rows.
func figureOf(r Table, c sql.Chart, id string) (figure, error) {
	for _, name := range append([]string{c.Over, c.And, c.By, c.Each, c.Column}, c.Columns...) {
		if name != "" && r.column(name) < 0 {
			return figure{}, fmt.Errorf("the chart %q needs the column %s: the report has %s", c.Title, name, strings.Join(r.names(), ", "))
		}
	}
	if r = r.where(c.Column, c.Value); len(r.Rows) == 0 {
		return figure{Title: c.Title, Note: "There is nothing to draw."}, nil
	}
	s, err := r.commonScale(c)
	if err != nil {
		return figure{}, err
	}
	f := figure{Kind: c.Kind, Title: c.Title, Unit: s.unit, N: r.basis(c.Columns)}
	if err := f.draw(r, c, s, id); err != nil {
		return figure{}, err
	}
	return f, nil
}

// draw makes the pictures, and has those of one figure share their scale.
func (f *figure) draw(r Table, c sql.Chart, s scale, id string) error {
	var notes []string
	parts := []Table{r}
	if c.Each != "" {
		f.Names, parts = r.split(c.Each)
		if len(parts) > mostMultiples {
			notes = append(notes, fmt.Sprintf("The first %d of %d are drawn.", mostMultiples, len(parts)))
			parts, f.Names = parts[:mostMultiples], f.Names[:mostMultiples]
		}
	}
	least, greatest := math.Inf(1), 0.0
	from, to := math.Inf(1), math.Inf(-1)
	for i, part := range parts {
		picture, note, err := part.picture(c, s, r)
		if err != nil {
			return err
		}
		picture.ID = fmt.Sprintf("%s-%d", id, i)
		if c.Each != "" {
			picture.Title += ": " + f.Names[i]
		}
		if note != "" && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
		least, greatest = min(least, picture.Least()), max(greatest, picture.Greatest())
		if at := picture.X.At; at != nil {
			from, to = min(from, at[0]), max(to, at[len(at)-1])
		}
		f.Pictures = append(f.Pictures, picture)
	}
	for i := range f.Pictures {
		f.Pictures[i].Low, f.Pictures[i].High = min(least, greatest), greatest
		if x := &f.Pictures[i].X; x.At != nil {
			x.From, x.To = from, to
		}
	}
	if f.Pictures[0].X.Provisional() {
		notes = append(notes, "Shaded: provisional.")
	}
	if f.Pictures[0].Zoomed() {
		notes = append(notes, "The axis does not begin at 0.")
	}
	if f.Pictures[0].Logarithmic() {
		notes = append(notes, "Logarithmic scale.")
	}
	f.Note = strings.Join(notes, " ")
	return nil
}

// where keeps the rows that have a value in a column; all without one.
func (r Table) where(column, value string) Table {
	i := r.column(column)
	if i < 0 {
		return r
	}
	out := r
	out.Rows = nil
	for _, row := range r.Rows {
		if text, ok := exact(row[i]); ok && text == value {
			out.Rows = append(out.Rows, row)
		}
	}
	return out
}

// split parts a table by the values of a column, in the order of the rows.
func (r Table) split(column string) (names []string, parts []Table) {
	i := r.column(column)
	at := map[string]int{}
	for _, row := range r.Rows {
		name := readable(row[i], scale{})
		n, known := at[name]
		if !known {
			n = len(parts)
			at[name] = n
			part := r
			part.Rows = nil
			names, parts = append(names, name), append(parts, part)
		}
		parts[n].Rows = append(parts[n].Rows, row)
	}
	return names, parts
}

// commonScale is how the values of a chart are written; they have one unit.
func (r Table) commonScale(c sql.Chart) (scale, error) {
	only := Table{Rows: make([][]any, len(r.Rows))}
	for _, name := range c.Columns {
		i := r.column(name)
		only.Columns = append(only.Columns, r.Columns[i])
		if only.Columns[0].Unit != r.Columns[i].Unit {
			return scale{}, fmt.Errorf("the chart %q has the units %q and %q on one axis", c.Title, only.Columns[0].Unit, r.Columns[i].Unit)
		}
		for n, row := range r.Rows {
			only.Rows[n] = append(only.Rows[n], row[i])
		}
	}
	return scalesOf(only)[0], nil
}

// basis says what n the drawn rows have; "" where the report says none.
func (r Table) basis(drawn []string) string {
	i := r.column("n")
	if i < 0 {
		i = r.column("requests")
	}
	if i < 0 || slices.Contains(drawn, r.Columns[i].Name) {
		return ""
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, row := range r.Rows {
		if f, ok := float(row[i]); ok {
			low, high = min(low, f), max(high, f)
		}
	}
	switch {
	case math.IsInf(low, 1):
		return ""
	case low == high:
		return "n = " + whole(low)
	}
	return "n = " + whole(low) + " to " + whole(high)
}

func whole(f float64) string { return thousands(fmt.Sprintf("%.0f", f)) }

// picture puts the rows into the form that is drawn: positions along the axis, and a series a column or value. The rows
// of a heat map are those of all rows of the figure.
func (r Table) picture(c sql.Chart, s scale, all Table) (chart.Chart, string, error) {
	x, place := r.axis(c.Over, c.Kind == "bars" || c.Kind == "stack")
	if !r.Complete.IsZero() {
		x.Until = seconds(r.Complete)
	}
	p := chart.Chart{Kind: c.Kind, Title: c.Title, Unit: s.unit, X: x,
		Write: func(v float64) string { return readable(v/s.factor, s) }}
	names, of := r.series(c)
	if c.And != "" {
		names, of = all.shared(c, names, of)
	}
	for _, name := range names {
		p.Series = append(p.Series, chart.Series{Name: name, Values: unknown(len(x.Labels))})
	}
	for n, row := range r.Rows {
		for k, column := range c.Columns {
			series := k
			if of != nil {
				series = of[n]
			}
			at := &p.Series[series].Values[place[n]]
			if !math.IsNaN(*at) {
				return p, "", fmt.Errorf("the chart %q has more than one value of %s at %s for %s: it needs by, each or where", c.Title, column, x.Labels[place[n]], names[series])
			}
			if f, ok := float(row[r.column(column)]); ok {
				*at = f * s.factor
			}
		}
	}
	return limited(p)
}

func unknown(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = math.NaN()
	}
	return values
}

// series names the series, and says for each row which one is its; nil where each column is one.
func (r Table) series(c sql.Chart) (names []string, of []int) {
	switch {
	case c.And != "":
		rows, place := r.axis(c.And, false)
		if rows.At == nil { // the first name is at the top
			slices.Reverse(rows.Labels)
			for i := range place {
				place[i] = len(rows.Labels) - 1 - place[i]
			}
		}
		return rows.Labels, place
	case c.By != "":
		rows, place := r.axis(c.By, true)
		return rows.Labels, place
	}
	return c.Columns, nil
}

// shared gives the rows of one heat map their place among those of all that stand beside it.
func (r Table) shared(c sql.Chart, names []string, of []int) ([]string, []int) {
	all, _ := r.series(c)
	moved := make([]int, len(of))
	for n, i := range of {
		moved[n] = slices.Index(all, names[i])
	}
	return all, moved
}

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

// limited keeps a picture to what can be told apart, and says what is left out. The parts of a whole are summed up instead.
func limited(p chart.Chart) (chart.Chart, string, error) {
	most := map[string]int{"lines": mostLines, "heat": mostCells, "bars": mostParts, "band": mostParts, "stack": mostParts}[p.Kind]
	note := ""
	if n := len(p.Series); n > most {
		note = fmt.Sprintf("The first %d of %d series are drawn.", most, n)
		if p.Kind == "stack" {
			note = fmt.Sprintf("%d of %d parts are drawn as one.", n-most+1, n)
			p.Series[most-1] = rest(p.Series[most-1:])
		}
		p.Series = p.Series[:most]
	}
	if n := len(p.X.Labels); p.X.At == nil && (p.Kind == "bars" || p.Kind == "stack") && n > mostBars {
		note = strings.TrimSpace(note + fmt.Sprintf(" The first %d of %d are drawn.", mostBars, n))
		p.X.Labels = p.X.Labels[:mostBars]
		for i := range p.Series {
			p.Series[i].Values = p.Series[i].Values[:mostBars]
		}
	}
	return p, note, nil
}

// rest sums series up, where any of them is known.
func rest(series []chart.Series) chart.Series {
	sum := chart.Series{Name: chart.Rest, Values: unknown(len(series[0].Values))}
	for _, s := range series {
		for i, v := range s.Values {
			switch {
			case math.IsNaN(v):
			case math.IsNaN(sum.Values[i]):
				sum.Values[i] = v
			default:
				sum.Values[i] += v
			}
		}
	}
	return sum
}
