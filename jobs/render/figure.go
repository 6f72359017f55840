package render

import (
	"fmt"
	"math"
	"slices"
	"strings"

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

// draw makes the pictures and says what is to be known of them.
func (f *figure) draw(r Table, c sql.Chart, s scale, id string) error {
	parts, left := f.parts(r, c)
	notes := []string{left}
	for i, part := range parts {
		picture, note, err := part.picture(c, s, r)
		if err != nil {
			return err
		}
		picture.ID = fmt.Sprintf("%s-%d", id, i)
		if f.Names != nil {
			picture.Title += ": " + f.Names[i]
		}
		notes = append(notes, note)
		f.Pictures = append(f.Pictures, picture)
	}
	f.share()
	for _, p := range f.Pictures {
		notes = append(notes, drawnAs(p)...)
	}
	f.Note = once(notes)
	return nil
}

// parts are the rows of each picture, and what is said of those left out.
func (f *figure) parts(r Table, c sql.Chart) (parts []Table, note string) {
	if c.Each == "" {
		return []Table{r}, ""
	}
	f.Names, parts = r.split(c.Each)
	if n := len(parts); n > mostMultiples {
		f.Names, parts = f.Names[:mostMultiples], parts[:mostMultiples]
		note = fmt.Sprintf("The first %d of %d are drawn.", mostMultiples, n)
	}
	return parts, note
}

// share gives the pictures of a figure one scale and one range, so that they compare.
func (f *figure) share() {
	least, greatest := math.Inf(1), 0.0
	from, to := math.Inf(1), math.Inf(-1)
	for _, p := range f.Pictures {
		least, greatest = min(least, p.Least()), max(greatest, p.Greatest())
		if at := p.X.At; at != nil {
			from, to = min(from, at[0]), max(to, at[len(at)-1])
		}
	}
	for i := range f.Pictures {
		p := &f.Pictures[i]
		p.Low, p.High = min(least, greatest), greatest
		if p.X.At != nil {
			p.X.From, p.X.To = from, to
		}
	}
}

// drawnAs says what one must know to read a picture.
func drawnAs(p chart.Chart) (notes []string) {
	if p.X.Provisional() {
		notes = append(notes, "Shaded: provisional.")
	}
	if p.Zoomed() {
		notes = append(notes, "The axis does not begin at 0.")
	}
	if p.Logarithmic() {
		notes = append(notes, "Logarithmic scale.")
	}
	return notes
}

// once joins notes, each said once.
func once(notes []string) string {
	var said []string
	for _, note := range notes {
		if note != "" && !slices.Contains(said, note) {
			said = append(said, note)
		}
	}
	return strings.Join(said, " ")
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
