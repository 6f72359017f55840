package aggregate

import (
	"cmp"
	"slices"
)

// sampleWindows holds the deltas of sample windows until the watermark passes their end.
type sampleWindows struct {
	deltas map[sampleKey]*sampleDelta
}

type sampleKey struct {
	start   int64
	series  *series
	measure int
}

// sampleDelta is what a window of one gauge or counter has gained since it was last emitted.
type sampleDelta struct {
	valueNS, observedNS int64
	n, min, max         int64
	increase            int64
}

func newSampleWindows() sampleWindows { return sampleWindows{map[sampleKey]*sampleDelta{}} }

func (w *sampleWindows) delta(s *series, measure int, start int64) *sampleDelta {
	key := sampleKey{start, s, measure}
	d := w.deltas[key]
	if d == nil {
		d = &sampleDelta{}
		w.deltas[key] = d
		s.deltas++
	}
	return d
}

// seen counts a sample in its window.
func (w *sampleWindows) seen(s *series, measure int, t, v int64) {
	d := w.delta(s, measure, windowOf(t))
	if d.n == 0 {
		d.min, d.max = v, v
	}
	d.min, d.max = min(d.min, v), max(d.max, v)
	d.n++
}

// level books a gauge's value over [from, to); sign −1 takes it back (with the value negated).
func (w *sampleWindows) level(s *series, measure int, from, to, v, sign int64) {
	for start := windowOf(from); start < to; start += WindowNS {
		ns := min(to, start+WindowNS) - max(from, start)
		d := w.delta(s, measure, start)
		d.valueNS += v * ns
		d.observedNS += sign * ns
	}
}

// increase books a counter's increase over [from, to], in parts that add up to the whole.
func (w *sampleWindows) increase(s *series, measure int, from, to, v int64) {
	start := windowOf(from)
	if to <= start+WindowNS {
		d := w.delta(s, measure, start)
		d.increase += v
		d.observedNS += to - from
		return
	}
	var booked int64
	for ; start < to; start += WindowNS {
		end := min(to, start+WindowNS)
		upTo := part(v, end-from, to-from)
		d := w.delta(s, measure, start)
		d.increase += upTo - booked
		d.observedNS += end - max(from, start)
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
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.series.ordinal, b.series.ordinal), cmp.Compare(a.measure, b.measure))
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
}
