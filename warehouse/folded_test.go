package warehouse

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
)

// folded is a partition whose events are folded and committed, as the loop does it.
type folded struct {
	t     *testing.T
	w     *Warehouse
	lease stream.Lease
	tp    stream.TopicPartition
	fold  *aggregate.Fold

	from, next int64
	ticks      []stream.Tick
}

func foldInto(t *testing.T, mem memory.Allocator, w *Warehouse, partition int32, rules aggregate.Rules) *folded {
	tp := stream.TopicPartition{Topic: lane0.Topic, Partition: partition}
	f := &folded{t: t, w: w, lease: acquire(t, w, tp), tp: tp, fold: aggregate.NewFold(tp, rules, mem)}
	t.Cleanup(f.fold.Close)
	return f
}

// take folds an event, a record of its own that was sent at a time.
func (f *folded) take(sent int64, e stream.Event) {
	f.t.Helper()
	f.fold.Begin(f.next, sent, false)
	if why := f.fold.Apply(&e, stream.Position{Offset: f.next}); why != stream.Accepted {
		f.t.Fatalf("the event at %d was refused: %s", f.next, why)
	}
	f.next++
}

// flush ticks as a partition does that was caught up for a while.
func (f *folded) flush() {
	tick := stream.Tick{Offset: f.next, Flush: true}
	f.ticks = append(f.ticks, tick)
	f.fold.Tick(tick)
}

// commit makes durable what came of the events since the last commit.
func (f *folded) commit() {
	f.t.Helper()
	b := batchOf(nil, f.lease, f.tp, f.next, f.next)
	b.From, b.Delta, b.Status, b.Ledger.Ticks = f.from, f.fold.Cut(), f.fold.Status(), f.ticks
	commit(f.t, f.w, b, stream.Applied)
	f.from, f.ticks = f.next, nil
}

// ended is all of a request in one event, without a sequence number.
func ended(id string, received, finished int64) stream.Event {
	var e stream.Event
	e.Reset(stream.KindRequest)
	e.SetText(stream.EventInstance, "vllm-0")
	e.SetInt(stream.EventRole, int64(stream.RoleEngine))
	e.SetInt(stream.EventTimeUnixNano, finished)
	e.SetText(stream.RequestRequestID, id)
	e.SetText(stream.RequestModel, "llama")
	e.SetInt(stream.RequestPhase, int64(stream.PhaseFinished))
	e.SetInt(stream.RequestOutcome, int64(stream.OutcomeOK))
	e.SetInt(stream.RequestReceivedUnixNano, received)
	e.SetInt(stream.RequestFirstTokenUnixNano, received+(finished-received)/3)
	e.SetInt(stream.RequestFinishedUnixNano, finished)
	e.SetInt(stream.RequestPromptTokens, 100)
	e.SetInt(stream.RequestOutputTokens, 30)
	return e
}
