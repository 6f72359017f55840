package aggregate

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferlake/inferlake/stream"
)

// batchSink notes the batches that a sink takes.
type batchSink struct {
	*memorySink
	batches []stream.Batch[Delta]
}

func (s *batchSink) Commit(ctx context.Context, b stream.Batch[Delta]) (stream.Answer, error) {
	s.batches = append(s.batches, b)
	return s.memorySink.Commit(ctx, b)
}

// batchesOf returns what a loop commits that folds a log of the partition.
func batchesOf(ctx context.Context, t *testing.T, log *memoryLog, partition int32, once bool) []stream.Batch[Delta] {
	t.Helper()
	rules := Rules{Expiry: 60e9, ClosedMemory: 30e9}
	sink := &batchSink{memorySink: &memorySink{folder: newFolder(t, rules), left: -1}}
	loop := sink.loop(log, rules, once)
	loop.Sink, loop.Partition.Partition = sink, partition
	loop.Options.BatchRows, loop.Options.SnapshotEvents = 10, 400
	defer loop.Fold.(*Fold).Close()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := loop.Run(ctx); err != nil {
		t.Fatal(err)
	}
	return sink.batches
}

// Rows that somebody waits for do not wait for a snapshot: it follows them, at the same offset.
func TestSnapshotsFollowRows(t *testing.T) {
	log := newMemoryLog(randomLog(rand.New(rand.NewPCG(1, 3)), 250))
	for _, once := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			batches := batchesOf(t.Context(), t, log, 0, once)
			var followed, with int
			for i, b := range batches[:len(batches)-1] { // the last one is the end's, which nobody waits for
				switch {
				case b.Snapshot == nil:
				case len(b.Delta.Rows) > 0:
					with++
				case i > 0 && batches[i-1].Snapshot == nil && batches[i-1].To == b.From && b.From == b.To && len(batches[i-1].Delta.Rows) > 0:
					followed++
				}
			}
			if once && followed > 0 || !once && (with > 0 || followed < 2) {
				t.Errorf("once %v: %d snapshots with rows, %d after them", once, with, followed)
			}
		})
	}
}

// Partitions that are fed alike take their snapshots one after the other.
func TestSnapshotsTakeTurns(t *testing.T) {
	log := newMemoryLog(randomLog(rand.New(rand.NewPCG(1, 3)), 250))
	first := map[int64]int32{}
	for partition := range int32(4) {
		synctest.Test(t, func(t *testing.T) {
			for _, b := range batchesOf(t.Context(), t, log, partition, false) {
				if b.Snapshot != nil {
					if other, taken := first[b.To]; taken {
						t.Errorf("partitions %d and %d take their first snapshot at %d", other, partition, b.To)
					}
					first[b.To] = partition
					return
				}
			}
		})
	}
}
