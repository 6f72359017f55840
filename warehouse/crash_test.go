package warehouse

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory/mallocator"
	"go.uber.org/goleak"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/fault"
)

// childFolder, when set, makes the test binary commit batches to the warehouse there until it is killed.
const childFolder = "INFERLAKE_TEST_WAREHOUSE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		commitForEver(dir)
	}
	if dir := os.Getenv(retainFolder); dir != "" {
		retainThere(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

// commitForEver commits batches, each with a revision of an earlier row and some with a state, and says each position
// once it is answered.
func commitForEver(dir string) {
	ctx := context.Background()
	mem := mallocator.NewMallocator()
	w, err := Open(ctx, dir, Options{})
	exitOn(err)
	lease, err := w.Acquire(ctx, lane0, "rules 1")
	exitOn(err)
	for n := lease.Next; ; n += 10 {
		b := batchOf(mem, lease, lane0, n, n+10)
		b.Delta.Rows = append(b.Delta.Rows, windowsAt(mem, noon+n/100*10*second, "a", n%7+1)...)
		b.Ledger.Ahead = []int64{n}
		if n > 0 {
			revise(&b, mem, n)
		}
		if n%50 == 0 {
			b.Snapshot = fmt.Append(nil, "state at ", n+10)
		}
		answer, err := w.Commit(ctx, b)
		exitOn(err)
		if answer != stream.Applied {
			exitOn(fmt.Errorf("the batch at %d was answered %d", n, answer))
		}
		b.Delta.Release()
		if n%70 == 0 {
			exitOn(w.Rollup(ctx))
			exitOn(w.Compact(ctx, n))
		}
		fmt.Println(n + 10)
	}
}

// revise adds a row that replaces the one of an earlier offset.
func revise(b *stream.Batch[aggregate.Delta], mem *mallocator.Mallocator, n int64) {
	b.Delta.Rows[0].Batch.Release()
	again := request(lane0, n/2)
	again["revision"] = 1
	b.Delta.Rows[0] = rowsOf(mem, aggregate.Requests, append(requests(lane0, n, n+10), again)...)
	b.Delta.Replaced = []aggregate.RowID{{TopicPartition: lane0, Position: stream.Position{Offset: n / 2}}}
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Cases C03, C04, M32: killed at any moment, with rows replaced in the same transactions, the file opens again by itself and
// holds each row once, up to the position that goes with them.
func TestKilledProcessesLoseAndDoubleNothing(t *testing.T) {
	kills := 30
	if testing.Short() {
		kills = 5
	}
	dir := t.TempDir()
	for range kills {
		said := runAndKill(t, dir)
		w := open(t, dir)
		next := ask(t, w, "SELECT next_offset FROM progress")
		if next < said {
			t.Fatalf("position %d was answered and %d is stored", said, next)
		}
		expect(t, w, next, "SELECT count(*) FROM requests")
		expect(t, w, next, `SELECT count(DISTINCT "offset") FROM requests`)
		expect(t, w, next/10, "SELECT count(*) FROM clock_exceptions")
		expect(t, w, next/10, "SELECT sum(finished)::BIGINT FROM request_windows WHERE level = 10")
		lease := acquire(t, w, lane0)
		if want := fmt.Sprint("state at ", lease.Replay); string(lease.Snapshot) != want || lease.Next-lease.Replay >= 60 {
			t.Fatalf("the state at %d is %q, next is %d", lease.Replay, lease.Snapshot, lease.Next)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	w := open(t, dir)
	rollup(t, w)
	sameSums(t, w)
	t.Logf("%d offsets in %d commits", ask(t, w, "SELECT next_offset FROM progress"), ask(t, w, "SELECT count(*) FROM commits"))
}

// A process that dies in a compaction, when deltas are deleted and their sums are not there yet, has compacted nothing.
func TestKilledInCompaction(t *testing.T) {
	const second = 24 + 1 // passage: the first compaction has nothing to merge, and passes once a table and level
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childFolder+"="+dir, fmt.Sprint(fault.Variable, "=", fault.InCompaction, ":", second))
	if out, err := child.CombinedOutput(); err == nil || child.ProcessState.Exited() {
		t.Fatalf("the child was not killed: %v\n%s", err, out)
	}
	w := open(t, dir)
	next := ask(t, w, "SELECT next_offset FROM progress")
	for _, level := range Levels {
		if have := ask(t, w, "SELECT coalesce(sum(finished), 0)::BIGINT FROM request_windows WHERE level = $1", level); have != next/10 {
			t.Errorf("I3 compaction: windows of %d s hold %d requests, %d were committed", level, have, next/10)
		}
	}
}

// runAndKill lets a child commit for a while after its first answer, kills it and returns the last position it said.
func runAndKill(t *testing.T, dir string) (said int64) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childFolder+"="+dir)
	var complaint strings.Builder
	child.Stderr = &complaint
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for first := true; lines.Scan(); first = false {
		if said, err = strconv.ParseInt(lines.Text(), 10, 64); err != nil {
			t.Fatal(err)
		}
		if first {
			time.AfterFunc(time.Duration(rand.IntN(150))*time.Millisecond, func() { child.Process.Kill() })
		}
	}
	child.Wait()
	if complaint.Len() > 0 {
		t.Fatal(complaint.String())
	}
	return said
}
