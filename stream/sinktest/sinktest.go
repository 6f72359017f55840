// Package sinktest holds what every stream.Sink must do, as one test. A sink's own test calls Exercise:
//
//	sinktest.Exercise(t, sinktest.Sink[aggregate.Delta]{Open: open, Batch: batch, Rows: rows})
package sinktest

import (
	"testing"

	"github.com/inferlake/inferlake/stream"
)

// Sink is what the test needs to know of a sink.
type Sink[D any] struct {
	// Open opens the sink as it was left, empty the first time.
	Open func(t *testing.T) stream.Sink[D]
	// Delta makes the rows of the offsets [from, to): one row an offset.
	Delta func(t *testing.T, tp stream.TopicPartition, from, to int64) D
	// Rows counts the rows that a reader sees.
	Rows func(t *testing.T) int64
}

var (
	tp    = stream.TopicPartition{Topic: stream.TopicRequests, Partition: 0}
	other = stream.TopicPartition{Topic: stream.TopicRequests, Partition: 1}
)

const rules = "rules of the sink's test"

// Exercise runs the whole contract: atomic, once only, under one lease, with the position that it gives back.
func Exercise[D any](t *testing.T, s Sink[D]) {
	e := &exercise[D]{Sink: s, t: t, sink: s.Open(t)}
	e.once()
	e.fence()
	e.partitionsApart()
	e.state()
	e.reopened()
	e.careful()
	e.lineage()
}

type exercise[D any] struct {
	Sink[D]
	t    *testing.T
	sink stream.Sink[D]
	rows int64
}

func (e *exercise[D]) acquire(tp stream.TopicPartition) stream.Lease {
	e.t.Helper()
	lease, err := e.sink.Acquire(e.t.Context(), tp, rules)
	if err != nil {
		e.t.Fatalf("cannot acquire %v: %v", tp, err)
	}
	return lease
}

func (e *exercise[D]) batch(l stream.Lease, tp stream.TopicPartition, seq, from, to int64) stream.Batch[D] {
	return stream.Batch[D]{Partition: tp, Generation: l.Generation, Seq: seq, From: from, To: to, Rules: rules, Delta: e.Delta(e.t, tp, from, to),
		Status: stream.Status{LogClock: to, Watermark: to, Counts: stream.Counts{Records: to, Consumed: to, Loaded: to}}}
}

// commit commits and checks the answer and the rows that are then there.
func (e *exercise[D]) commit(what string, b stream.Batch[D], want stream.Answer) {
	e.t.Helper()
	answer, err := e.sink.Commit(e.t.Context(), b)
	if err != nil {
		e.t.Fatalf("%s: %v", what, err)
	}
	if answer != want {
		e.t.Errorf("%s: answer %d, want %d", what, answer, want)
	}
	if want == stream.Applied {
		e.rows += b.To - b.From
	}
	if rows := e.Rows(e.t); rows != e.rows {
		e.t.Errorf("%s: %d rows, want %d", what, rows, e.rows)
	}
}

// once: a batch counts once, also when its answer was lost; one that does not follow does not count.
func (e *exercise[D]) once() {
	l := e.acquire(tp)
	if l.Next != 0 || l.Replay != 0 || l.Snapshot != nil {
		e.t.Errorf("an empty sink starts at %d, replay %d, with %d bytes of state", l.Next, l.Replay, len(l.Snapshot))
	}
	e.commit("first batch", e.batch(l, tp, 1, 0, 10), stream.Applied)
	e.commit("the same again", e.batch(l, tp, 1, 0, 10), stream.AlreadyApplied)
	e.commit("a batch without records", e.batch(l, tp, 2, 10, 10), stream.Applied)
	e.commit("a batch beyond a hole", e.batch(l, tp, 3, 12, 20), stream.Superseded)
	e.commit("the next batch", e.batch(l, tp, 3, 10, 20), stream.Applied)
}

// fence: a new lease ends the old one.
func (e *exercise[D]) fence() {
	old := e.acquire(tp)
	now := e.acquire(tp)
	if now.Generation <= old.Generation || now.Next != 20 {
		e.t.Errorf("second lease: generation %d after %d, next %d, want 20", now.Generation, old.Generation, now.Next)
	}
	e.commit("the old lease's batch", e.batch(old, tp, 1, 20, 30), stream.Superseded)
	e.commit("the new lease's batch", e.batch(now, tp, 1, 20, 30), stream.Applied)
}

func (e *exercise[D]) partitionsApart() {
	l := e.acquire(other)
	if l.Next != 0 {
		e.t.Errorf("another partition starts at %d", l.Next)
	}
	e.commit("another partition's batch", e.batch(l, other, 1, 0, 5), stream.Applied)
}

// state: a batch's snapshot and its ledger come back with the next lease.
func (e *exercise[D]) state() {
	l := e.acquire(tp)
	b := e.batch(l, tp, 1, 30, 40)
	b.Snapshot = []byte("state at 40")
	e.commit("a batch with a snapshot", b, stream.Applied)
	b = e.batch(l, tp, 2, 40, 50)
	b.Ledger = stream.Ledger{Ticks: []stream.Tick{{Offset: 45, At: 7}}, Ahead: []int64{44}}
	e.commit("a batch with a ledger", b, stream.Applied)
}

func (e *exercise[D]) reopened() {
	e.sink = e.Open(e.t)
	l := e.acquire(tp)
	if l.Next != 50 || l.Replay != 40 || string(l.Snapshot) != "state at 40" {
		e.t.Errorf("after opening again: next %d, replay %d, state %q; want 50, 40, %q", l.Next, l.Replay, l.Snapshot, "state at 40")
	}
	if len(l.Ledger.Ticks) != 1 || len(l.Ledger.Ahead) != 1 {
		e.t.Errorf("after opening again: ledger %+v, want one tick and one record ahead", l.Ledger)
	}
	if rows := e.Rows(e.t); rows != e.rows {
		e.t.Errorf("after opening again: %d rows, want %d", rows, e.rows)
	}
}

// careful: starts without progress are counted, and so are the tries of one record, until a batch moves on.
func (e *exercise[D]) careful() {
	for tries := range int64(2) {
		l := e.acquire(tp)
		if l.Attempts != tries+2 || l.Tried != tries {
			e.t.Errorf("start %d: attempts %d, tried %d; want %d, %d", tries+1, l.Attempts, l.Tried, tries+2, tries)
		}
		b := e.batch(l, tp, 1, 50, 50)
		b.Trying = 51
		e.commit("a record is about to be tried", b, stream.Applied)
	}
	l := e.acquire(tp)
	if l.Trying != 51 || l.Tried != 2 {
		e.t.Errorf("the record at 50 was tried twice, the sink says offset + 1 = %d, %d times", l.Trying, l.Tried)
	}
	e.commit("the record is done", e.batch(l, tp, 1, 50, 51), stream.Applied)
	if l = e.acquire(tp); l.Attempts != 1 || l.Trying != 0 || l.Tried != 0 {
		e.t.Errorf("after moving on: attempts %d, trying %d, tried %d; want 1, 0, 0", l.Attempts, l.Trying, l.Tried)
	}
}

// lineage: what was folded last comes back with the lease. Another log begins at 0, with a state, in one commit with the
// rows that end the old one; the same offsets are other rows then, and nothing of the old log's ledger comes back.
func (e *exercise[D]) lineage() {
	l := e.acquire(tp)
	b := e.batch(l, tp, 1, 51, 60)
	b.Lineage = stream.Lineage{LogID: stream.LogID{Cluster: "here", TopicID: "t1"}, AnchorNext: 60, AnchorHash: 1<<63 + 7}
	b.Ledger = stream.Ledger{Ticks: []stream.Tick{{Offset: 55, At: 9}}}
	e.commit("a batch with an anchor", b, stream.Applied)
	if l = e.acquire(tp); l.Lineage != b.Lineage {
		e.t.Errorf("the lineage came back as %+v, it was %+v", l.Lineage, b.Lineage)
	}
	ending := e.batch(l, tp, 1, 60, 60)
	ending.To, ending.Restart, ending.Snapshot = 0, "test", []byte("state at 0")
	ending.Lineage = stream.Lineage{LogID: stream.LogID{Cluster: "there"}}
	e.rows += 60 // what commit would take off for a position that falls
	e.commit("another log begins", ending, stream.Applied)
	e.commit("the same again", ending, stream.AlreadyApplied)
	e.commit("its first batch", e.batch(l, tp, 2, 0, 10), stream.Applied)
	e.sink = e.Open(e.t)
	l = e.acquire(tp)
	if l.Next != 10 || l.Replay != 0 || string(l.Snapshot) != "state at 0" || len(l.Ledger.Ticks) != 0 {
		e.t.Errorf("in the new log: next %d, replay %d, state %q, %d ticks; want 10, 0, %q, 0", l.Next, l.Replay, l.Snapshot, len(l.Ledger.Ticks), "state at 0")
	}
}
