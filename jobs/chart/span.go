package chart

import "math"

// span is an axis as it is drawn: where each position begins and how wide it is, in per cent of the plot.
type span struct {
	Axis
	from, to float64
	step     float64 // usual distance of two positions
}

// spanOf lays out an axis. Columns and cells are as wide as the step, so the last one needs its room; a curve does not.
func (c Chart) spanOf() span {
	x := span{Axis: c.X, to: float64(len(c.X.Labels)), step: 1}
	if c.X.At == nil {
		return x
	}
	at := c.X.At
	x.from, x.to, x.step = at[0], at[len(at)-1], usualStep(at)
	if c.X.From < c.X.To {
		x.from, x.to = c.X.From, c.X.To
	}
	if c.Kind != "lines" && c.Kind != "band" || x.from == x.to {
		x.to += x.step
	}
	return x
}

// usualStep is the least distance of two positions; an hour where there is only one.
func usualStep(at []float64) float64 {
	step := math.Inf(1)
	for i := 1; i < len(at); i++ {
		step = min(step, at[i]-at[i-1])
	}
	if math.IsInf(step, 1) {
		return 3600
	}
	return step
}

// start is where position i begins.
func (x span) start(i int) float64 {
	if x.At == nil {
		return 100 * float64(i) / x.to
	}
	return x.percent(x.At[i])
}

// middle is where a point of a curve lies.
func (x span) middle(i int) float64 {
	if x.At == nil {
		return x.start(i) + x.width()/2
	}
	return x.start(i)
}

func (x span) width() float64            { return 100 * x.step / (x.to - x.from) }
func (x span) percent(v float64) float64 { return 100 * (v - x.from) / (x.to - x.from) }

// follows says that position i comes right after the one before: no window between them is missing.
func (x span) follows(i int) bool {
	return i > 0 && (x.At == nil || !x.Time || x.At[i]-x.At[i-1] < 1.5*x.step)
}

// provisional shades the time whose values may still change.
func (w *canvas) provisional(x span, height float64) {
	if from := max(x.percent(x.Until), 0); x.Provisional() && from < 100 {
		w.rect("provisional", from, plotTop, 100-from, height, "")
	}
}

// Provisional says that some of a time axis may still change.
func (x Axis) Provisional() bool {
	return x.Time && x.Until != 0 && x.At[len(x.At)-1] >= x.Until
}

// ticks writes the labels below the plot. Those at its ends are turned inwards.
func (w *canvas) ticks(x span, y float64) {
	switch {
	case x.Time:
		at, step := timeTicks(x.from, x.to)
		for _, t := range at {
			w.label(x.percent(t), y, clock(t, step))
		}
	case x.At != nil:
		for i := range thinned(len(x.At), 5) {
			w.label(x.percent(x.At[i]), y, x.Labels[i])
		}
	default:
		for i := range thinned(len(x.Labels), 6) {
			w.text("tick mid", x.middle(i), 0, y, short(x.Labels[i], 9))
		}
	}
}

func (w *canvas) label(percent, y float64, text string) {
	class := "tick mid"
	switch {
	case percent < 8:
		class = "tick"
	case percent > 92:
		class = "tick far"
	}
	w.text(class, percent, 0, y, text)
}

// thinned yields at most most of n indexes, evenly.
func thinned(n, most int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n; i += (n + most - 1) / most {
			if !yield(i) {
				return
			}
		}
	}
}
