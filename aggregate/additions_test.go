package aggregate

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/inferlake/inferlake/stream"
)

// chatter are events about a few requests, most of which only add to what is known, and some of which do not: other texts,
// ranks, clocks and ids, lists, marks from before, ends, and what comes after them.
func chatter(rng *rand.Rand, n int) []step {
	start, now, rank := 1_700_000_000*second, int64(0), rng.Int64N(3)
	numbers := make([]stream.Field, 0)
	for b := requestBit; ; {
		f, next, ok := numberFields.Next(stream.KindRequest, b)
		if !ok {
			break
		}
		b, numbers = next, append(numbers, f)
	}
	rarely := func() bool { return rng.IntN(20) == 0 }
	var steps []step
	for i := range n {
		now += rng.Int64N(2 * second)
		if rng.IntN(100) == 0 {
			now += 700 * second // some are given up
		}
		phase := stream.Phase(1 + rng.IntN(len(phaseMark)-1))
		if rng.IntN(3) == 0 || phase == stream.PhaseFinished && rng.IntN(4) != 0 {
			phase = stream.PhaseTokens // mostly that
		}
		e := phaseEvent(fmt.Sprint("r", rng.IntN(4)), phase, start+now)
		e.SetInt(stream.EventSeq, int64(i))
		e.SetText(stream.RequestModel, "m")
		e.SetText(stream.RequestTraceID, "0123456789abcdef0123456789abcdef")
		e.SetInt(stream.RequestTenant, 77)
		e.SetText(stream.EventClockDomain, "boot")
		e.SetInt(stream.EventMonoNano, now+int64(rng.IntN(1000)))
		e.SetInt(stream.EventRank, rank)
		switch phase {
		case stream.PhaseTokens:
			e.SetInt(stream.RequestOutputTokens, rng.Int64N(1000))
		case stream.PhaseScheduled:
			e.SetInt(stream.RequestEngineStep, rng.Int64N(1000))
		}
		for range rng.IntN(3) {
			f := numbers[rng.IntN(len(numbers))]
			e.SetInt(f, someNumber(rng, &stream.Fields[f]))
			if stream.Fields[f].Type == stream.Time {
				e.SetInt(f, start+now-rng.Int64N(20*second))
			}
		}
		for _, odd := range []func(){
			func() { e.SetText(stream.RequestModel, fmt.Sprint("m", rng.IntN(3))) },
			func() { e.SetText(stream.RequestAdapter, "lora") },
			func() { e.SetInt(stream.RequestTenant, rng.Int64()) },
			func() { e.SetInt(stream.EventRank, rng.Int64N(4)) },
			func() { e.SetText(stream.EventClockDomain, "another") },
			func() { e.Unset(stream.EventMonoNano) },
			func() { e.SetInt(stream.RequestLastTokenUnixNano, start+now-rng.Int64N(60*second)) },
			func() { e.Unset(stream.EventTimeUnixNano) },
			func() { e.SetInt(stream.EventTimeUnixNano, start+now-rng.Int64N(10*second)) },
			func() { e.SetInt(stream.EventTimeUnixNano, start+now+rng.Int64N(600*second)) },
			func() {
				e.SetInts(stream.RequestITLBucket, []int64{3})
				e.SetInts(stream.RequestITLCount, []int64{rng.Int64N(9)})
			},
			func() { e.SetInt(stream.EventSeq, int64(rng.IntN(i+1))) },
		} {
			if rarely() {
				odd()
			}
		}
		steps = append(steps, step{start + now, e})
	}
	return steps
}

// TestAdditionsChangeNothing: a fold that merges later ends with the rows, the windows and the state of one that merges
// each event at once.
func TestAdditionsChangeNothing(t *testing.T) {
	added := 0
	for seed := range uint64(trials(100)) {
		rng := rand.New(rand.NewPCG(seed, 5))
		rules := Rules{MaxOpen: 3, OutOfOrderness: 2e9, Expiry: 600e9}
		quick, plain := newFolder(t, rules), newFolder(t, rules)
		plain.fold.plain = true
		for i, s := range chatter(rng, 200) {
			quick.apply(i, s)
			plain.apply(i, s)
			if rng.IntN(20) != 0 {
				continue
			}
			quick.take()
			plain.take()
			if have, want := quick.fold.Status(), plain.fold.Status(); have != want {
				t.Fatalf("seed %d: I1 additions: event %d: the state is %+v, want %+v", seed, i, have, want)
			}
			added += quick.waiting()
			snapshot := quick.fold.Snapshot(nil)
			if !bytes.Equal(snapshot, plain.fold.Snapshot(nil)) {
				t.Fatalf("seed %d: I1 additions: event %d: another snapshot", seed, i)
			}
			if rng.IntN(3) == 0 {
				if err := quick.fold.Restore(snapshot); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !reflect.DeepEqual(quick.rows, plain.rows) {
			t.Fatalf("seed %d: I1 additions: rows are %v, want %v", seed, quick.rows, plain.rows)
		}
		if !reflect.DeepEqual(quick.sums, plain.sums) {
			t.Fatalf("seed %d: I1 additions: windows are %v, want %v", seed, quick.sums, plain.sums)
		}
	}
	if added == 0 {
		t.Error("no addition waited at any snapshot")
	}
}

// waiting is how many requests have additions that are not merged yet.
func (d *folder) waiting() (n int) {
	q := &d.fold.requests
	for at := q.open.front; at != 0; at = q.open.at(at).next {
		if q.open.at(at).last != 0 {
			n++
		}
	}
	return n
}

// TestAdditionsByScript has what random events come to seldom: progress of which only the first part is late, a lower source
// with other texts before a higher one says them too, and a request of two ranks that is unpacked behind one of another.
func TestAdditionsByScript(t *testing.T) {
	start := 1_700_000_000 * second
	say := func(id string, phase stream.Phase, after, rank int64, model string) step {
		e := phaseEvent(id, phase, start+after*second)
		e.SetText(stream.RequestModel, model)
		e.SetInt(stream.EventRank, rank)
		return step{start + after*second, e}
	}
	const received, queued, scheduled, tokens, moved = stream.PhaseReceived, stream.PhaseQueued, stream.PhaseScheduled, stream.PhaseTokens, stream.PhaseKVTransfer
	for what, script := range map[string][]step{
		"late, then not":               {say("r", received, 0, 2, "m"), say("other", received, 60, 2, "m"), say("r", tokens, 1, 2, "m"), say("r", tokens, 55, 2, "m")},
		"a lower source says it first": {say("r", received, 0, 2, "m"), say("r", moved, 1, 1, "m2"), say("r", tokens, 2, 2, "m2")},
		"two ranks": {say("r", received, 0, 0, "m"), say("r", queued, 1, 2, "m"), say("r", scheduled, 2, 0, "m"), say("other", received, 3, 2, "m"),
			say("other", queued, 4, 2, "m"), say("r", tokens, 5, 0, "m")},
	} {
		quick, plain := newFolder(t, Rules{}), newFolder(t, Rules{})
		plain.fold.plain = true
		for i, s := range script {
			quick.apply(i, s)
			plain.apply(i, s)
		}
		quick.take()
		plain.take()
		if !bytes.Equal(quick.fold.Snapshot(nil), plain.fold.Snapshot(nil)) {
			t.Errorf("%s: another snapshot", what)
		}
	}
}
