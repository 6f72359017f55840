package warehouse

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
)

func TestBatchIsAppliedOnce(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	lease := acquire(t, w, lane0)
	first := batchOf(mem, lease, lane0, 0, 10)
	commit(t, w, first, stream.Applied)
	again := batchOf(mem, lease, lane0, 0, 10)
	again.Seq = first.Seq
	commit(t, w, again, stream.AlreadyApplied) // the answer was lost
	commit(t, w, batchOf(mem, lease, lane0, 10, 20), stream.Applied)
	commit(t, w, batchOf(mem, lease, lane0, 25, 30), stream.Superseded) // a hole
	commit(t, w, batchOf(mem, lease, lane0, 15, 30), stream.Superseded) // an overlap
	expect(t, w, 20, "SELECT count(*) FROM requests")
	expect(t, w, 20, "SELECT next_offset FROM progress")
	expect(t, w, 2, "SELECT count(*) FROM commits")
}

// Case M39: who lost the partition adds nothing, however late its rows come.
func TestOldLeaseIsRefused(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	old := acquire(t, w, lane0)
	commit(t, w, batchOf(mem, old, lane0, 0, 10), stream.Applied)
	now := acquire(t, w, lane0)
	if now.Generation <= old.Generation || now.Next != 10 {
		t.Fatalf("the second lease is %+v after %+v", now, old)
	}
	commit(t, w, batchOf(mem, old, lane0, 10, 20), stream.Superseded)
	commit(t, w, batchOf(mem, old, lane0, 0, 10), stream.Superseded)
	commit(t, w, batchOf(mem, now, lane0, 10, 20), stream.Applied)
	expect(t, w, 20, "SELECT count(*) FROM requests")
}

func TestTicksWithoutRecordsAreAppliedOnce(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	lease := acquire(t, w, lane0)
	tick := func(at int64) stream.Batch[aggregate.Delta] {
		b := batchOf(mem, lease, lane0, 0, 0)
		b.Seq = at
		b.Ledger.Ticks = []stream.Tick{{Offset: 0, At: at}}
		b.Status.LogClock = at
		return b
	}
	commit(t, w, tick(5), stream.Applied)
	commit(t, w, tick(5), stream.AlreadyApplied)
	commit(t, w, tick(6), stream.Applied)
	expect(t, w, 2, "SELECT count(*) FROM ticks")
}

// Case C06: a row is replaced by delete and insert in one transaction, the last version wins.
func TestReplacedRowsGo(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	lease := acquire(t, w, lane0)
	commit(t, w, batchOf(mem, lease, lane0, 0, 10), stream.Applied)
	b := batchOf(mem, lease, lane0, 10, 11)
	b.Delta.Release()
	again := request(lane0, 3)
	again["revision"] = 1
	b.Delta.Rows = []aggregate.TableRows{rowsOf(mem, aggregate.Requests, again)}
	b.Delta.Replaced = []aggregate.RowID{{TopicPartition: lane0, Position: stream.Position{Offset: 3}}}
	commit(t, w, b, stream.Applied)
	expect(t, w, 10, "SELECT count(*) FROM requests")
	expect(t, w, 1, `SELECT revision FROM requests WHERE "offset" = 3`)
}

// Case C06: there is one writer, whoever commits.
func TestPartitionsShareATransaction(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	const partitions, batches = 8, 20
	var wg sync.WaitGroup
	for p := range int32(partitions) {
		tp := stream.TopicPartition{Topic: "inferlake.requests", Partition: p}
		lease := acquire(t, w, tp)
		wg.Go(func() {
			for n := range int64(batches) {
				commit(t, w, batchOf(mem, lease, tp, n*5, n*5+5), stream.Applied)
			}
		})
	}
	wg.Wait()
	expect(t, w, partitions*batches*5, `SELECT count(DISTINCT (partition, "offset")) FROM requests`)
	expect(t, w, partitions*batches, "SELECT sum(batches)::BIGINT FROM commits")
	if n := ask(t, w, "SELECT count(*) FROM commits"); n == partitions*batches {
		t.Errorf("%d commits for %d batches: none was shared", n, partitions*batches)
	}
}

// A text that is not UTF-8 fails its whole batch; the other partitions' batches go on.
// Case W40: the decoder refuses such a text before, its event alone (TestBadTextInColumns).
func TestBadBatchFailsAlone(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	bad, good := acquire(t, w, lane0), stream.TopicPartition{Topic: "inferlake.requests", Partition: 1}
	goodLease := acquire(t, w, good)
	broken := request(lane0, 0)
	broken["model"] = "bad\xff"
	b := batchOf(mem, bad, lane0, 0, 0)
	b.To = 1
	b.Delta.Rows = []aggregate.TableRows{rowsOf(mem, aggregate.Requests, broken)}
	g := batchOf(mem, goodLease, good, 0, 5)
	group := []*pending{{Batch: b, done: make(chan error, 1)}, {Batch: g, done: make(chan error, 1)}}
	w.writer.do(context.Background(), func(ctx context.Context) error {
		w.writer.answer(ctx, group)
		return nil
	})
	if err := <-group[0].done; err == nil {
		t.Error("a text that is not UTF-8 was loaded")
	}
	if err := <-group[1].done; err != nil || group[1].answer != stream.Applied {
		t.Errorf("the other partition's batch: %v, answer %d", err, group[1].answer)
	}
	b.Delta.Release()
	g.Delta.Release()
	expect(t, w, 5, "SELECT count(*) FROM requests")
	expect(t, w, 0, "SELECT next_offset FROM progress WHERE partition = 0")
}

func TestLedgerComesBack(t *testing.T) {
	mem, dir := allocator(t), t.TempDir()
	w := open(t, dir)
	lease := acquire(t, w, lane0)
	b := batchOf(mem, lease, lane0, 0, 10)
	b.Snapshot = []byte("state at 10")
	b.Ledger.Ticks = []stream.Tick{{Offset: 10, At: 7}}
	commit(t, w, b, stream.Applied)
	b = batchOf(mem, lease, lane0, 10, 20)
	after := stream.Ledger{
		Ticks: []stream.Tick{{Offset: 10, At: 9}, {Offset: 20, Flush: true}},
		Ahead: []int64{12, 15},
		Dead:  []stream.DeadLetter{{Position: stream.Position{Offset: 13, Index: 2}, Reason: stream.ReasonEnum, Length: 9, Hash: 1 << 63, Events: 1}},
		Gaps:  []stream.Gap{{From: 16, To: 18}},
	}
	b.Ledger = after
	commit(t, w, b, stream.Applied)
	w.Close()
	w = open(t, dir)
	lease = acquire(t, w, lane0)
	want := stream.Lease{Generation: 2, Next: 20, Replay: 10, Snapshot: []byte("state at 10"), Ledger: after, Attempts: 1}
	if !reflect.DeepEqual(lease, want) {
		t.Errorf("the lease is %+v, want %+v", lease, want)
	}
	whole, err := w.Ledger(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got := whole[lane0]; got.Next != 20 || len(got.Ledger.Ticks) != 3 {
		t.Errorf("the whole ledger is %+v", got)
	}
}

func TestClosedWarehouseRefuses(t *testing.T) {
	w := open(t, t.TempDir())
	lease := acquire(t, w, lane0)
	w.Close()
	if _, err := w.Commit(context.Background(), stream.Batch[aggregate.Delta]{Partition: lane0, Generation: lease.Generation}); !errors.Is(err, errClosed) {
		t.Errorf("a commit to a closed warehouse: %v", err)
	}
}

// A batch that failed three times is loaded once when it works again.
// Case M31.
func TestFailedBatchIsRetried(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	b := batchOf(mem, acquire(t, w, lane0), lane0, 0, 10)
	b.Snapshot = []byte("state")
	rename := func(from, to string) {
		t.Helper()
		if _, err := w.db.Exec("ALTER TABLE " + from + " RENAME TO " + to); err != nil {
			t.Fatal(err)
		}
	}
	rename("snapshots", "away") // the last step of the transaction fails
	for range 3 {
		if _, err := w.Commit(context.Background(), b); err == nil {
			t.Fatal("the commit did not fail")
		}
		expect(t, w, 0, "SELECT count(*) FROM requests")
		expect(t, w, 0, "SELECT next_offset FROM progress")
	}
	rename("away", "snapshots")
	commit(t, w, b, stream.Applied)
	expect(t, w, 10, "SELECT count(*) FROM requests")
	expect(t, w, 1, "SELECT commit FROM requests LIMIT 1")
}
