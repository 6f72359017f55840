package aggregate

import (
	"math/bits"

	"github.com/inferlake/inferlake/stream"
)

// WindowNS is the length of a base window: 10 s in ns.
const WindowNS = 10_000_000_000

// windowOf is the start of the window that holds t, also before 1970.
func windowOf(t int64) int64 {
	w := t - t%WindowNS
	if t%WindowNS < 0 {
		w -= WindowNS
	}
	return w
}

// dims are the dimensions of request windows.
type dims struct {
	role                                            string
	instance, model, version, adapter, requestClass string
}

type windowKey struct {
	start int64
	dims  int32
}

// windowDelta is what a window has gained since it was last emitted.
type windowDelta struct {
	sums     []int64
	sketches []Sketch // by Distributions, ITL last
}

// add adds to a measure's sum.
func (d *windowDelta) add(measure int, v int64) { d.sums[measure] = plus(d.sums[measure], v) }

// windows holds the deltas of request windows until the watermark passes their end.
type windows struct {
	deltas map[windowKey]*windowDelta
	ids    map[dims]int32
	dims   []dims

	lastKey windowKey // the delta used last, mostly the next one too
	last    *windowDelta
}

func newWindows() windows {
	return windows{deltas: map[windowKey]*windowDelta{}, ids: map[dims]int32{}}
}

func (w *windows) id(d dims) int32 {
	id, ok := w.ids[d]
	if !ok {
		id = int32(len(w.dims))
		w.ids[d] = id
		w.dims = append(w.dims, d)
	}
	return id
}

func (w *windows) delta(start int64, dims int32) *windowDelta {
	key := windowKey{start, dims}
	if w.last != nil && key == w.lastKey {
		return w.last
	}
	d := w.deltas[key]
	if d == nil {
		d = &windowDelta{sums: make([]int64, len(Measures)), sketches: make([]Sketch, len(Distributions)+1)}
		w.deltas[key] = d
	}
	w.lastKey, w.last = key, d
	return d
}

// part is which part of what a request contributes is booked.
type part uint8

const (
	atOpen   part = 1 << iota // what counts at its moment and is known before the end
	atEnd                     // the rest, once it is closed
	allParts = atOpen | atEnd
)

// openingMeasures and openingDistributions are those that a request contributes to before its end.
var openingMeasures, openingDistributions = openings()

// openings asks the tables: a request that has all marks but the last contributes what counts at its moment.
func openings() (measures []bool, distributions []bool) {
	r := new(Request)
	for _, f := range markFields {
		if f != stream.RequestFinishedUnixNano {
			r.put(index(f), 1, 0)
		}
	}
	for i := range Measures {
		_, _, ok := Measures[i].When(r)
		measures = append(measures, ok && Measures[i].Booking == AtMoment)
	}
	for i := range Distributions {
		_, ok := Distributions[i].When(r)
		distributions = append(distributions, ok)
	}
	return measures, distributions
}

func (p part) has(isOpening bool) bool {
	if isOpening {
		return p&atOpen != 0
	}
	return p&atEnd != 0
}

// book adds (sign +1) or takes back (−1) a part of what a request contributes. It is a function of the request alone, so
// what was booked before a change can be taken back.
func (w *windows) book(r *Request, id int32, p part, sign int64) {
	for i := range Measures {
		if p.has(openingMeasures[i]) {
			w.measure(r, id, i, sign)
		}
	}
	for i := range Distributions {
		if p.has(openingDistributions[i]) {
			w.observe(r, id, i, sign)
		}
	}
	if at, ok := r.finished(); ok && p&atEnd != 0 && len(r.itlBucket) > 0 {
		w.delta(windowOf(at), id).sketches[len(Distributions)].AddBuckets(r.itlBucket, r.itlCount, sign)
	}
}

func (w *windows) measure(r *Request, id int32, i int, sign int64) {
	m := &Measures[i]
	from, to, ok := m.When(r)
	if !ok {
		return
	}
	v := m.Value(r)
	if v == 0 {
		return
	}
	if m.Booking == SpreadBack && r.flags&FlagSpan != 0 {
		if m.Unit == "ns" {
			return // its times are not believed
		}
		from = to
	}
	w.spread(i, id, from, to, sign*v)
}

func (w *windows) observe(r *Request, id int32, i int, sign int64) {
	d := &Distributions[i]
	at, ok := d.When(r)
	if !ok {
		return
	}
	if v, ok := d.Value(r); ok && v >= 0 && (r.flags&FlagSpan == 0 || d.Unit != "ns") {
		w.delta(windowOf(at), id).sketches[i].Add(v, sign)
	}
}

// spread books v over [from, to], cut at window bounds so that the parts add up to v.
func (w *windows) spread(measure int, id int32, from, to, v int64) {
	start := windowOf(from)
	if to <= start+WindowNS {
		w.delta(start, id).add(measure, v)
		return
	}
	var booked int64
	for ; start < to; start += WindowNS {
		upTo := v
		if end := start + WindowNS; end < to {
			upTo = share(v, end-from, to-from)
		}
		if upTo != booked {
			w.delta(start, id).add(measure, upTo-booked)
		}
		booked = upTo
	}
}

// share is v·num/den rounded towards zero, without overflow; 0 ≤ num ≤ den.
func share(v, num, den int64) int64 {
	abs, neg := uint64(v), v < 0
	if neg {
		abs = -abs
	}
	hi, lo := bits.Mul64(abs, uint64(num))
	q, _ := bits.Div64(hi, lo, uint64(den))
	if neg {
		return -int64(q)
	}
	return int64(q)
}
