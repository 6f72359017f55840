package chart

import (
	"fmt"
	"math"
)

// heatHeight is how high a map is, about, and cellLeast and cellMost the bounds of its rows, pixels.
const (
	heatHeight = 200.0
	cellLeast  = 11.0
	cellMost   = 26.0
)

// heat draws a colour a cell: positions along x, series upwards. A cell without a row, or with NULL, is left blank.
func (c Chart) heat() string {
	w, x := new(canvas), c.spanOf()
	rows := len(c.Series)
	cell := min(max(heatHeight/float64(max(rows, 1)), cellLeast), cellMost)
	steps := c.steps()
	w.begin(c, "heat", plotTop+cell*float64(rows)+plotFoot)
	every := int(math.Ceil(13 / cell))
	for n, s := range c.Series {
		top := plotTop + cell*float64(rows-1-n)
		if n%every == 0 {
			w.text("tick far", 0, -6, top+cell/2+4, short(s.Name, 11))
		}
		for i, v := range s.Values {
			if !math.IsNaN(v) {
				w.rect(shade(steps, v), x.start(i), top, x.width(), cell, c.said(i, s, v))
			}
		}
	}
	w.provisional(x, cell*float64(rows))
	w.rule("axis", plotTop+cell*float64(rows))
	w.ticks(x, plotTop+cell*float64(rows)+15)
	return w.end()
}

// mostSaid is how many cells of a map show their value on pointing at them.
const mostSaid = 800

func (c Chart) said(i int, s Series, v float64) string {
	if len(c.X.Labels)*len(c.Series) > mostSaid {
		return ""
	}
	return fmt.Sprintf("%s, %s: %s", c.X.Labels[i], s.Name, c.value(v))
}

// heatShades is the number of colours above 0.
const heatShades = 7

// steps are the least values of the colours above 0: round and evenly apart, or by equal factors where values are far apart,
// which shares of a whole never are.
func (c Chart) steps() (steps []float64) {
	low, high := c.extremes()
	_, _, whole := c.bounds()
	if !(high > 0) {
		return nil
	}
	even := roundStep(high / heatShades)
	for i := range heatShades {
		step := even * float64(i)
		if high/low >= spread && c.Unit != percentSign {
			step = low * math.Pow(high/low, float64(i)/heatShades)
		}
		if whole {
			step = math.Ceil(step)
		}
		if step <= high {
			steps = append(steps, step)
		}
	}
	return steps
}

// shade is the class of a cell: q0 for 0 and below, q1 and on above.
func shade(steps []float64, v float64) string {
	n := 0
	for v > 0 && n < len(steps) && v >= steps[n] {
		n++
	}
	return fmt.Sprintf("q%d", n)
}
