package aggregate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inferlake/inferlake/stream"
)

// contradictions are events about one request by sources of several ranks that agree on nothing.
func contradictions(rng *rand.Rand, start int64) []stream.Event {
	var events []stream.Event
	for i := range 6 {
		phase := []stream.Phase{stream.PhaseScheduled, stream.PhaseTokens, stream.PhaseFinished}[i%3]
		e := phaseEvent("r", phase, start+rng.Int64N(3)*second)
		e.SetInt(stream.EventRank, rng.Int64N(3))
		e.SetText(stream.RequestModel, fmt.Sprint("m", rng.IntN(3)))
		e.SetInt(stream.RequestTenant, int64(rng.Uint64()))
		e.SetInt(stream.RequestPromptTokens, rng.Int64N(5))
		for _, f := range progressFields {
			e.SetInt(f, rng.Int64N(5))
		}
		if phase == stream.PhaseFinished {
			e.SetInt(stream.RequestOutcome, 1+rng.Int64N(7))
		}
		events = append(events, e)
	}
	return events
}

// What is odd about a request does not depend on the order of the events either.
func TestFlagsAreJoins(t *testing.T) {
	start := 1_700_000_000 * second
	run := func(events []stream.Event) string {
		d := newFolder(t, Rules{})
		for i, e := range events {
			d.apply(i, step{start, e})
		}
		d.take()
		for _, row := range d.rows {
			return fmt.Sprint(row["flags"], row["model"], row["tenant"], row["outcome"], row["prompt_tokens"], row["drafted_tokens"], row["accepted_tokens"], row["prefilled_tokens"])
		}
		return "no row"
	}
	rng := rand.New(rand.NewPCG(11, 12))
	for range 200 {
		events := contradictions(rng, start)
		want := run(events)
		for range 5 {
			rng.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
			if have := run(events); have != want {
				t.Fatalf("%s in one order, %s in another", want, have)
			}
		}
	}
}

// The end has the last word about what was told on the way, whoever tells it; fewer than were seen are flagged.
func TestTheEndSaysHowMany(t *testing.T) {
	start := 1_700_000_000 * second
	said := func(phase stream.Phase, rank, tokens int64) stream.Event {
		e := phaseEvent("r", phase, start)
		e.SetInt(stream.EventRank, rank)
		for _, f := range progressFields {
			e.SetInt(f, tokens)
		}
		return e
	}
	const way, end = stream.PhaseTokens, stream.PhaseFinished
	for _, c := range []struct {
		what   string
		events []stream.Event
		want   int64
		fewer  bool
	}{
		{"more at the end", []stream.Event{said(way, 0, 5), said(way, 0, 3), said(end, 0, 9)}, 9, false},
		{"fewer at the end", []stream.Event{said(way, 0, 5), said(end, 0, 4)}, 4, true},
		{"a better source on the way", []stream.Event{said(way, 3, 5), said(end, 0, 4)}, 4, true},
		{"two ends", []stream.Event{said(end, 3, 4), said(end, 0, 6)}, 6, false},
		{"on the way, after the end", []stream.Event{said(end, 0, 4), said(way, 3, 5)}, 4, true},
	} {
		d := newFolder(t, Rules{})
		d.feed(start, c.events...)
		d.take()
		for _, row := range d.rows {
			for _, column := range []string{"drafted_tokens", "accepted_tokens", "prefilled_tokens"} {
				if have := number64(row[column]); have != c.want {
					t.Errorf("%s: %s %d, want %d", c.what, column, have, c.want)
				}
			}
			if fewer := number64(row["flags"])&int64(FlagFewerThanSeen) != 0; fewer != c.fewer {
				t.Errorf("%s: fewer_than_seen is %t", c.what, fewer)
			}
		}
	}
}

// A monotonic reading is of the event's own moment: marks of other moments in the same event do not take it.
func TestReadingBelongsToItsMark(t *testing.T) {
	start := 1_700_000_000 * second
	e := phaseEvent("r", stream.PhaseFinished, start+10*second)
	e.SetText(stream.EventClockDomain, "c")
	e.SetInt(stream.EventMonoNano, 99*second)
	e.SetInt(stream.RequestReceivedUnixNano, start)
	e.SetInt(stream.RequestFirstTokenUnixNano, start+second)
	d := newFolder(t, Rules{})
	d.apply(0, step{start, e})
	d.take()
	for _, row := range d.rows {
		if have, want := number64(row["ttft_ns"]), second; have != want {
			t.Errorf("ttft %d, want %d", have, want)
		}
		if have, want := number64(row["e2e_ns"]), 10*second; have != want {
			t.Errorf("e2e %d, want %d", have, want)
		}
	}
}

// Whatever merges as progress has its place.
func TestProgressFields(t *testing.T) {
	var fields []stream.Field
	for _, f := range stream.FieldsOf(stream.KindRequest) {
		if stream.Fields[f].Merge == stream.Progress {
			fields = append(fields, f)
		}
	}
	if !slices.Equal(fields, progressFields[:]) {
		t.Errorf("progress fields are %v, listed %v", fields, progressFields)
	}
}
