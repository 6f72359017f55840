package stream

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// aheadLog is records of all encodings: of one event and of many, of none, of refused ones, and broken in the middle.
func aheadLog(r *rand.Rand, n int) (log []Record) {
	for i := range n {
		var events []*Event
		for range []int{0, 1, 1, 1, 2, Held, Held + 1, 3 * Held}[r.IntN(8)] {
			e := randomEvent(r)
			if r.IntN(10) == 0 {
				e.SetInt(EventTimeUnixNano, -1) // refused
			}
			events = append(events, e)
		}
		rec := Record{Offset: int64(i), Timestamp: int64(i), Key: []byte("p/0")}
		switch kind := r.IntN(4); {
		case len(events) == 1 && kind == 0:
			rec.ContentType, rec.Value = ContentProtobuf, AppendEvent(nil, events[0])
		case kind == 1 && len(events) > 0:
			var w ColumnsWriter
			for _, e := range events {
				w.Add(e)
			}
			rec.ContentType, rec.Value = ContentColumns, w.AppendTo(nil)
		default:
			rec.ContentType, rec.Value = ContentJSON, []byte{'['}
			for j, e := range events {
				if j > 0 {
					rec.Value = append(rec.Value, ',')
				}
				rec.Value = AppendJSON(rec.Value, e)
			}
			rec.Value = append(rec.Value, []string{"]", "", "oops"}[r.IntN(30)/14]...)
		}
		log = append(log, rec)
	}
	return log
}

// told is what a fold is given of an event.
func told(d *decoded) string {
	return fmt.Sprintf("record %d believed %t first %t last %t index %d %q %s", d.rec.Offset, !d.unbelieved, d.first, d.last, d.index, d.why, show(d.event))
}

// oneByOne is what a fold must be given of a log.
func oneByOne(log []Record) (all []string) {
	var d Decoder
	for i := range log {
		var of []decoded
		d.Decode(&log[i], func(index int32, e *Event, why Reason) {
			if e != nil {
				e = &Event{}
				d.event.CopyTo(e)
				for f := range e.ints {
					e.ints[f] = slices.Clone(e.ints[f])
				}
				for f := range e.texts {
					e.texts[f] = slices.Clone(e.texts[f])
				}
			}
			of = append(of, decoded{rec: &log[i], unbelieved: i%3 == 0, index: index, event: e, why: why})
		})
		if len(of) == 0 {
			of = []decoded{{rec: &log[i], unbelieved: i%3 == 0}}
		}
		of[0].first, of[len(of)-1].last = true, true
		for j := range of {
			all = append(all, told(&of[j]))
		}
	}
	return all
}

// TestEventsComeInOrder: a fold is given the same of a log whether its events are decoded ahead or one by one, and what it
// is told to expect is what comes.
func TestEventsComeInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		log := aheadLog(r, 20)
		want := oneByOne(log)
		var have []string
		var expected []*Event
		l := lookahead{
			expect: func(events []*Event) {
				if len(expected) > 0 {
					t.Fatalf("%d events were expected and did not come", len(expected))
				}
				expected = slices.Clone(events)
			},
			fold: func(_ context.Context, d *decoded) error {
				have = append(have, told(d))
				if d.event != nil {
					if len(expected) == 0 || expected[0] != d.event {
						t.Fatal("an event came that was not expected")
					}
					expected = expected[1:]
				}
				return nil
			},
		}
		for i := range log {
			if err := l.read(t.Context(), &log[i], i%3 == 0); err != nil {
				t.Fatal(err)
			}
			if r.IntN(10) == 0 {
				l.flush(t.Context())
			}
		}
		l.flush(t.Context())
		for i := range max(len(have), len(want)) {
			if i >= len(have) || i >= len(want) || have[i] != want[i] {
				t.Fatalf("event %d of %d, want %d\n%s\nwant\n%s", i, len(have), len(want), at(have, i), at(want, i))
			}
		}
	}
}

func at(s []string, i int) string {
	if i >= len(s) {
		return "nothing"
	}
	return s[i]
}

// TestNothingIsFoldedAfterAnError: an error ends what waits, wherever its record is.
func TestNothingIsFoldedAfterAnError(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	failed := errors.New("no")
	for stop := range int64(20) {
		log := aheadLog(r, 20)
		folded, calls := int64(-1), 0
		l := lookahead{fold: func(_ context.Context, d *decoded) error {
			if folded = d.rec.Offset; d.last && folded == stop {
				calls++
				return failed
			}
			return nil
		}}
		var err error
		for i := 0; i < len(log) && err == nil; i++ {
			err = l.read(t.Context(), &log[i], false)
		}
		if err == nil {
			err = l.flush(t.Context())
		}
		if !errors.Is(err, failed) || folded != stop || calls != 1 || len(l.waiting) != 0 {
			t.Fatalf("record %d fails: %v; folded last is %d, %d events wait", stop, err, folded, len(l.waiting))
		}
	}
}
