package warehouse

import (
	"context"
	"testing"

	"github.com/inferlake/inferlake/stream"
)

// A partition that stops again and again without new data writes the same state each time: its file stays.
func TestTheSameStateAgainStays(t *testing.T) {
	mem, dir := allocator(t), t.TempDir()
	for stop := range 5 {
		w := open(t, dir)
		lease := acquire(t, w, lane0)
		if stop > 0 && string(lease.Snapshot) != "state at 10" {
			t.Fatalf("start %d: the state is %q", stop, lease.Snapshot)
		}
		b := batchOf(mem, lease, lane0, min(lease.Next, 10), 10)
		b.Snapshot = []byte("state at 10")
		commit(t, w, b, stream.Applied)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	w := open(t, dir)
	if lease, err := w.Acquire(context.Background(), lane0, "rules 2"); err != nil || string(lease.Snapshot) != "state at 10" {
		t.Errorf("new rules at the state: %q, %v", lease.Snapshot, err)
	}
}
