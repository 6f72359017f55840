package chart

import (
	"fmt"
	"math"
	"strings"
)

// The plot of a chart with a value axis, pixels.
const (
	plotTop    = 10.0
	plotHeight = 180.0
	plotFoot   = 22.0
)

// curves draws lines, or percentile bands: the least percentile as a line, and a band up to each next one, lighter and lighter.
func (c Chart) curves() string {
	w, x, y := new(canvas), c.spanOf(), c.linear()
	if c.Logarithmic() {
		y = c.logarithmic()
	}
	w.frame(c, y)
	w.provisional(x, plotHeight)
	w.stretch(plotTop, plotHeight)
	if c.Kind == "band" {
		w.bands(c, x, y)
	} else {
		for i, s := range c.Series {
			w.path("line "+color(i), curve(s.Values, x, y))
		}
	}
	w.WriteString("</svg>")
	w.ticks(x, plotTop+plotHeight+15)
	w.readings(c, x)
	return w.end()
}

// frame opens the picture and draws the value axis.
func (w *canvas) frame(c Chart, y scale) {
	w.begin(c, "plot", plotTop+plotHeight+plotFoot)
	for i, v := range y.ticks {
		at := plotTop + plotHeight*(1-y.at(v))
		w.rule(map[bool]string{true: "axis", false: "grid"}[i == 0], at)
		w.text("tick far", 0, -6, at+4, tick(v))
	}
}

func (w *canvas) bands(c Chart, x span, y scale) {
	for i := len(c.Series) - 1; i > 0; i-- {
		w.path(fmt.Sprintf("band b%d", min(i, bandShades)), ribbon(c.Series[i-1].Values, c.Series[i].Values, x, y))
	}
	if len(c.Series) > 0 {
		w.path("line b0", curve(c.Series[0].Values, x, y))
	}
}

// curve is the path of a line; what is not known, or missing, interrupts it. A point alone is a dot.
func curve(values []float64, x span, y scale) string {
	var d strings.Builder
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		begins := !x.follows(i) || math.IsNaN(values[i-1])
		if begins {
			d.WriteString("M")
		} else {
			d.WriteString("L")
		}
		d.WriteString(point(x.middle(i), y.at(v)))
		if begins && (i+1 == len(values) || math.IsNaN(values[i+1]) || !x.follows(i+1)) {
			d.WriteString("h0")
		}
	}
	return d.String()
}

func point(percent, height float64) string {
	return num(10*percent) + " " + num(1000-1000*height)
}

// ribbon is the path of the area between two series, in pieces where both are known.
func ribbon(low, high []float64, x span, y scale) string {
	known := func(i int) bool { return !math.IsNaN(low[i]) && !math.IsNaN(high[i]) }
	var d strings.Builder
	for from := 0; from < len(low); from++ {
		if !known(from) {
			continue
		}
		to := from + 1
		for to < len(low) && known(to) && x.follows(to) {
			to++
		}
		for i := from; i < to; i++ {
			d.WriteString(map[bool]string{true: "M", false: "L"}[i == from] + point(x.middle(i), y.at(high[i])))
		}
		for i := to - 1; i >= from; i-- {
			d.WriteString("L" + point(x.middle(i), y.at(low[i])))
		}
		d.WriteString("Z")
		from = to - 1
	}
	return d.String()
}

// mostReadings is how many positions of a curve show their values on pointing at them.
const mostReadings = 300

// readings lays an unseen box over each position that says the values there.
func (w *canvas) readings(c Chart, x span) {
	n := len(c.X.Labels)
	if n > mostReadings {
		return
	}
	for i := range n {
		from, to := 0.0, 100.0
		if i > 0 {
			from = (x.middle(i-1) + x.middle(i)) / 2
		}
		if i+1 < n {
			to = (x.middle(i) + x.middle(i+1)) / 2
		}
		w.rect("reading", from, plotTop, to-from, plotHeight, c.reading(i))
	}
}

// reading says the values at a position.
func (c Chart) reading(i int) string {
	lines := []string{c.X.Labels[i]}
	for _, s := range c.Series {
		if !math.IsNaN(s.Values[i]) {
			lines = append(lines, s.Name+": "+c.value(s.Values[i]))
		}
	}
	return strings.Join(lines, "\n")
}

func (c Chart) value(v float64) string {
	if c.Unit == "" {
		return c.Write(v)
	}
	return c.Write(v) + " " + c.Unit
}
