package chart

import (
	"math"
	"slices"
)

// A chart of rows, pixels.
const (
	rowName = 17.0
	rowBar  = 13.0
	rowGap  = 10.0
)

// barShare is how much of the width the longest bar takes, per cent; its value stands beside it.
const barShare = 78.0

// rows draws a row a position, with its name above: a bar a series, or for a stack one bar of parts. Names of any length
// fit on a phone so.
func (c Chart) rows() string {
	w, l := new(canvas), c.ruler()
	bars := len(c.Series)
	if c.Kind == "stack" {
		bars = 1
	}
	row := rowName + rowBar*float64(bars) + rowGap
	w.begin(c, "wide", row*float64(len(c.X.Labels)))
	for i, label := range c.X.Labels {
		y := row * float64(i)
		w.text("name", 0, 0, y+12, label)
		if !c.known(i) {
			w.text("value null", l.at(0), 4, y+rowName+rowBar-3, "not known")
			continue
		}
		if c.Kind == "stack" {
			w.parts(c, i, y+rowName, l)
			continue
		}
		for n, s := range c.Series {
			w.bar(c, i, n, s, y+rowName+rowBar*float64(n), l)
		}
	}
	return w.end()
}

// known says that a position has any value.
func (c Chart) known(i int) bool {
	return slices.ContainsFunc(c.Series, func(s Series) bool { return !math.IsNaN(s.Values[i]) })
}

// ruler says where a value lies along a bar.
type ruler struct{ low, high float64 }

func (c Chart) ruler() ruler {
	l := ruler{min(c.Least(), c.Low, 0), c.Greatest()}
	if c.Unit == percentSign && l.high > 50 {
		l.high = max(l.high, 100)
	}
	return l
}

// at is the place of a value, per cent of the width.
func (l ruler) at(v float64) float64 {
	if l.high <= l.low {
		return 0
	}
	return barShare * (v - l.low) / (l.high - l.low)
}

// bar draws one value from 0, and writes it beside.
func (w *canvas) bar(c Chart, i, n int, s Series, y float64, l ruler) {
	v := s.Values[i]
	if math.IsNaN(v) {
		w.text("value null", l.at(0), 4, y+rowBar-3, "not known")
		return
	}
	from, to := l.at(min(v, 0)), l.at(max(v, 0))
	w.rect("fill "+color(n), from, y, to-from, rowBar-2, c.X.Labels[i]+"\n"+s.Name+": "+c.value(v))
	w.text("value", to, 4, y+rowBar-3, c.Write(v))
}

// parts draws the values of a position end to end and writes their sum.
func (w *canvas) parts(c Chart, i int, y float64, l ruler) {
	sum := 0.0
	for n, s := range c.Series {
		v := s.Values[i]
		if math.IsNaN(v) {
			continue
		}
		w.rect("fill part "+c.part(n), l.at(sum), y, l.at(sum+v)-l.at(sum), rowBar-1, c.X.Labels[i]+"\n"+s.Name+": "+c.value(v))
		sum += v
	}
	w.text("value", l.at(sum), 4, y+rowBar-3, c.Write(sum))
}
