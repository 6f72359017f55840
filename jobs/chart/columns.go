package chart

import "math"

// columns draws upright bars along time or a number: a stack of parts at each position, or a bar a series side by side.
func (c Chart) columns() string {
	w, x, y := new(canvas), c.spanOf(), c.linear()
	w.frame(c, y)
	w.provisional(x, plotHeight)
	width := 0.86 * x.width()
	for i := range c.X.Labels {
		if c.Kind == "stack" {
			w.pile(c, i, x.start(i), width, y)
			continue
		}
		each := width / float64(len(c.Series))
		for n, s := range c.Series {
			if v := s.Values[i]; !math.IsNaN(v) {
				w.upright("fill "+color(n), x.start(i)+each*float64(n), each, 0, v, y, "")
			}
		}
	}
	w.ticks(x, plotTop+plotHeight+15)
	w.cells(c, x)
	return w.end()
}

// pile draws the parts of a position on top of each other.
func (w *canvas) pile(c Chart, i int, left, width float64, y scale) {
	sum := 0.0
	for n, s := range c.Series {
		if v := s.Values[i]; !math.IsNaN(v) && v != 0 {
			w.upright("fill "+c.part(n), left, width, sum, sum+v, y, "")
			sum += v
		}
	}
}

// upright is a bar between two values.
func (w *canvas) upright(class string, left, width, low, high float64, y scale, said string) {
	top, bottom := y.at(max(low, high)), y.at(min(low, high))
	w.rect(class, left, plotTop+plotHeight*(1-top), width, plotHeight*(top-bottom), said)
}

// cells lays an unseen box over each position that says the values there.
func (w *canvas) cells(c Chart, x span) {
	if len(c.X.Labels) > mostReadings {
		return
	}
	for i := range c.X.Labels {
		w.rect("reading", x.start(i), plotTop, x.width(), plotHeight, c.reading(i))
	}
}
