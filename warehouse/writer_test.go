package warehouse

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
)

// A commit takes the batches of partitions that were in the last two, if they come in as long as the last one took.
func TestPartitionsAreWaitedFor(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		last    [2]partitions
		took    time.Duration
		comes   stream.TopicPartition
		after   time.Duration
		group   int // batches in the commit
		left    bool
		waiting time.Duration
	}{
		"the other comes in time":                {[2]partitions{{lane0: true}, {lane1: true}}, 50 * ms, lane1, 15 * ms, 2, false, 15 * ms},
		"the other was in the commit before":     {[2]partitions{{lane1: true}, {lane0: true}}, 50 * ms, lane1, 15 * ms, 2, false, 15 * ms},
		"the other comes too late":               {[2]partitions{{lane0: true}, {lane1: true}}, 50 * ms, lane1, 25 * ms, 1, false, 20 * ms},
		"the last commit was quick":              {[2]partitions{{lane0: true}, {lane1: true}}, 5 * ms, lane1, 15 * ms, 1, false, 5 * ms},
		"there is no other":                      {[2]partitions{{lane0: true}, {lane0: true}}, 50 * ms, lane1, 15 * ms, 1, false, 0},
		"nobody is waited for, but one is there": {[2]partitions{}, 50 * ms, lane1, 0, 2, false, 0},
		"its own next batch waits on":            {[2]partitions{{lane0: true}, {lane1: true}}, 50 * ms, lane0, 15 * ms, 1, true, 15 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wr := &writer{batches: make(chan *pending), last: c.last, took: c.took}
				batch := func(tp stream.TopicPartition) *pending {
					return &pending{Batch: stream.Batch[aggregate.Delta]{Partition: tp}}
				}
				done := make(chan struct{})
				go func() {
					time.Sleep(c.after)
					select {
					case wr.batches <- batch(c.comes):
					case <-done:
					}
				}()
				if c.after == 0 {
					synctest.Wait()
				}
				begun := time.Now()
				group, left := wr.gather(batch(lane0))
				waited := time.Since(begun)
				close(done)
				time.Sleep(c.after) // the other ends, too
				if len(group) != c.group || (left != nil) != c.left || waited != c.waiting {
					t.Errorf("%d batches, one left: %v, after %v; want %d, %v, %v", len(group), left != nil, waited, c.group, c.left, c.waiting)
				}
			})
		})
	}
}
