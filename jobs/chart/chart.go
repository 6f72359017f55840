// Package chart draws numbers as SVG that a page carries within itself.
//
//   - Chart: what one picture shows: its kind, an Axis along which it runs, and Series, a value a position.
//   - SVG: the picture. Plot areas stretch with the page and texts do not: x is in per cent, y in pixels, and lines
//     lie in a nested view box that is stretched without its strokes.
//   - Keys: what the colours mean, for a legend in HTML, which wraps as text does.
//   - Style: the CSS of both. A colour is a custom property, so one picture serves light, dark and print.
//
// A value that is not known (NaN) is a gap and never 0. Columns and stacks begin at 0.
//
// It is not a library's work because none had all of that at once: go-analyze/charts and wcharczuk/go-chart write fixed
// widths and colours into every element, so that text shrinks on a phone and nothing follows the reader's dark page;
// gonum/plot draws text as outlines or in millimetres; none has percentile bands, or a time axis with gaps in it.
package chart

import (
	_ "embed"
	"math"
)

// Style is the CSS that the pictures and legends need.
//
//go:embed chart.css
var Style string

// Chart is what one picture shows.
type Chart struct {
	ID     string               // unique within the page; of letters, digits, _ and -
	Kind   string               // bars, stack, lines, band or heat
	Title  string               // what a screen reader says first
	Unit   string               // as written beside a value; "": a plain number
	Write  func(float64) string // a value for people, without its unit
	X      Axis
	Series []Series // of a band: percentiles, least first; of a heat map: its rows, lowest first
	Low    float64  // Least and Greatest, where several charts share one scale; 0 and 0: its own
	High   float64
}

// Axis is what a chart runs along.
type Axis struct {
	Labels []string  // of each position, for people
	At     []float64 // where each position lies, ascending; nil: side by side
	Time   bool      // At is in seconds since 1970
	From   float64   // bounds of At, where several charts share them; 0 and 0: its own
	To     float64
	Until  float64 // from here on, on the scale of At, values may still change; 0: not said
}

// Series is a value at each position of the axis; NaN is not known.
type Series struct {
	Name   string
	Values []float64
}

// Greatest is the greatest value that a chart shows, for a scale that several share; a stack's is of its sums.
func (c Chart) Greatest() float64 {
	greatest := c.High
	for i := range c.X.Labels {
		sum := 0.0
		for _, s := range c.Series {
			v := s.Values[i]
			if math.IsNaN(v) {
				continue
			}
			sum += v
			greatest = max(greatest, v)
		}
		if c.Kind == "stack" {
			greatest = max(greatest, sum)
		}
	}
	return greatest
}

// SVG draws the chart.
func (c Chart) SVG() string {
	switch {
	case c.Kind == "heat":
		return c.heat()
	case c.Kind == "lines" || c.Kind == "band":
		return c.curves()
	case c.X.At != nil:
		return c.columns()
	}
	return c.rows()
}
