package aggregate

import "github.com/inferlake/inferlake/stream"

// Booking says at which time a measure counts.
type Booking uint8

// The two bookings.
const (
	AtMoment   Booking = iota // at the mark itself: complete through the watermark
	SpreadBack                // over the time in which it happened: complete through the oldest open request
)

func (b Booking) String() string { return [...]string{"at its moment", "spread back"}[b] }

// Measure is one column of request_windows: a sum of whole numbers. To add one: a line in Measures and a column in sql/schema.
type Measure struct {
	Name    string
	Unit    string
	Booking Booking
	// When is the span that the value belongs to, from = to for a moment; ok is false when the request has none.
	When func(*Request) (from, to int64, ok bool)
	// Value is what is booked; it is cut over the windows of the span with parts equal to the whole.
	Value func(*Request) int64
	Doc   string
}

// Distribution is one measure of request_sketches. To add one: a line in Distributions.
type Distribution struct {
	Name string
	Unit string
	// When is the moment at which the observation counts.
	When func(*Request) (at int64, ok bool)
	// Value is the observation, at least 0; ok is false when the request has none.
	Value func(*Request) (v int64, ok bool)
	Doc   string
}

func at(mark func(*Request) (int64, bool)) func(*Request) (int64, int64, bool) {
	return func(r *Request) (int64, int64, bool) {
		t, ok := mark(r)
		return t, t, ok
	}
}

func one(*Request) int64 { return 1 }

func is(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func outcome(o stream.Outcome) func(*Request) int64 {
	return func(r *Request) int64 {
		said := r.outcome()
		if said == 0 {
			said = stream.OutcomeUnknown
		}
		return is(said == o)
	}
}

func httpClass(hundreds int64) func(*Request) int64 {
	return func(r *Request) int64 { return is(r.count(stream.RequestHTTPStatus)/100 == hundreds) }
}

func number(f stream.Field) func(*Request) int64 {
	return func(r *Request) int64 { return r.count(f) }
}

func known(f stream.Field) func(*Request) (int64, bool) {
	return func(r *Request) (int64, bool) { return r.value(f) }
}

func span(when func(*Request) (int64, int64, bool)) func(*Request) int64 {
	return func(r *Request) int64 {
		from, to, ok := when(r)
		if !ok {
			return 0
		}
		return to - from
	}
}

func unknownUsage(r *Request) int64 {
	_, known := r.outputLength()
	return is(!known && r.outcome() == stream.OutcomeOK)
}

func cacheKnown(r *Request) int64 { return is(r.cachedKnown()) }
func lateRow(r *Request) int64    { return is(r.late) }
