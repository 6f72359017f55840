package render

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inferlake/inferlake/jobs/chart"
	"github.com/inferlake/inferlake/sql"
)

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
