package aggregate

import (
	"cmp"
	"slices"
)

// sampleWindows holds the deltas of sample windows until the watermark passes their end.
type sampleWindows struct {
	deltas map[sampleKey]*sampleWindow

	lastKey sampleKey // the window used last, mostly the next one too
	last    *sampleWindow
}

type sampleKey struct {
	start  int64
	series *series
}

// sampleWindow is what a window of one series has gained since it was last emitted.
type sampleWindow struct {
	samples  int64
	measures []sampleDelta // by sampleMeasures
}

// sampleDelta is the part of one gauge or counter. The zero value says nothing of it.
type sampleDelta struct {
	sum        int64 // gauges: Σ value · ns; counters: increase
	observedNS int64
	min, max   int64
	seen       bool // a sample in the window has it
}

func newSampleWindows() sampleWindows {
	return sampleWindows{deltas: map[sampleKey]*sampleWindow{}}
}

func (w *sampleWindows) of(s *series, start int64) *sampleWindow {
	key := sampleKey{start, s}
	if w.last != nil && key == w.lastKey {
		return w.last
	}
	d := w.deltas[key]
	if d == nil {
		d = &sampleWindow{measures: make([]sampleDelta, len(s.points))}
		w.deltas[key] = d
		s.deltas++
	}
	w.lastKey, w.last = key, d
	return d
}

func (w *sampleWindows) len() int { return len(w.deltas) }

func (w *sampleWindows) delta(s *series, measure int, start int64) *sampleDelta {
	return &w.of(s, start).measures[measure]
}

// empty says that nothing changed.
func (d *sampleWindow) empty() bool {
	return d.samples == 0 && !slices.ContainsFunc(d.measures, func(m sampleDelta) bool { return m != sampleDelta{} })
}

// seen notes a value of a sample in its window.
func (w *sampleWindows) seen(s *series, measure int, t, v int64) {
	d := w.delta(s, measure, windowOf(t))
	if !d.seen {
		d.min, d.max, d.seen = v, v, true
	}
	d.min, d.max = min(d.min, v), max(d.max, v)
}

// level books a gauge's value over [from, to); sign −1 takes it back (with the value negated).
func (w *sampleWindows) level(s *series, measure int, from, to, v, sign int64) {
	for start := windowOf(from); start < to; start += WindowNS {
		ns := min(to, start+WindowNS) - max(from, start)
		d := w.delta(s, measure, start)
		d.sum = plus(d.sum, v*ns) // maxGauge keeps the product within 63 bits
		d.observedNS = plus(d.observedNS, sign*ns)
	}
}

// increase books a counter's increase over [from, to], in parts that add up to the whole.
func (w *sampleWindows) increase(s *series, measure int, from, to, v int64) {
	start := windowOf(from)
	if to <= start+WindowNS {
		d := w.delta(s, measure, start)
		d.sum = plus(d.sum, v)
		d.observedNS = plus(d.observedNS, to-from)
		return
	}
	var booked int64
	for ; start < to; start += WindowNS {
		end := min(to, start+WindowNS)
		upTo := share(v, end-from, to-from)
		d := w.delta(s, measure, start)
		d.sum = plus(d.sum, upTo-booked)
		d.observedNS = plus(d.observedNS, end-max(from, start))
		booked = upTo
	}
}

// keys lists the windows that end by w, in order.
func (w *sampleWindows) keys(end int64) []sampleKey {
	var keys []sampleKey
	for k := range w.deltas {
		if k.start <= end-WindowNS {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b sampleKey) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.series.ordinal, b.series.ordinal))
	})
	return keys
}

// emit writes the windows that end by w and starts new deltas for them.
func (w *sampleWindows) emit(end int64, out *output) {
	for _, k := range w.keys(end) {
		out.sampleWindow(k, w.deltas[k])
		delete(w.deltas, k)
		k.series.deltas--
	}
	w.last = nil
}
