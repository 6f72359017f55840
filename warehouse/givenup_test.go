package warehouse

import (
	"testing"

	"github.com/inferlake/inferlake/stream"
)

// What the fold went without is told of the log that is there, and of a topic's earlier logs together with it.
func TestWhatIsGivenUpIsTold(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	lease := acquire(t, w, lane0)
	old := batchOf(mem, lease, lane0, 0, 10)
	old.Status.GivenUp = stream.GivenUp{Evicted: 1, Forgotten: 2, Others: 3, Stale: 4}
	commit(t, w, old, stream.Applied)
	turn := batchOf(mem, lease, lane0, 10, 10)
	turn.To, turn.Restart, turn.Snapshot = 0, "another topic id", []byte("empty")
	turn.Status = stream.Status{}
	commit(t, w, turn, stream.Applied)
	again := batchOf(mem, lease, lane0, 0, 10)
	again.Status.GivenUp = stream.GivenUp{Evicted: 10, Forgotten: 20, Others: 30, Stale: 40}
	commit(t, w, again, stream.Applied)
	expect(t, w, 1, "SELECT count(*) FROM v1.lineages WHERE (evicted, forgotten, other_bookings, stale_samples) = (1, 2, 3, 4)")
	expect(t, w, 1, "SELECT count(*) FROM v1.progress WHERE (evicted, forgotten, other_bookings, stale_samples) = (10, 20, 30, 40)")
	expect(t, w, 1, `SELECT count(*) FROM v1.completeness
		WHERE (topic_evicted, topic_forgotten, topic_other_bookings, topic_stale_samples) = (11, 22, 33, 44)`)
}
