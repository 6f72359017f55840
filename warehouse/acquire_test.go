package warehouse

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferlake/inferlake/stream"
)

// withStates commits [0, 40) with states at 10, 20 and 30.
func withStates(t *testing.T, dir string) {
	mem, w := allocator(t), open(t, dir)
	lease := acquire(t, w, lane0)
	for _, to := range []int64{10, 20, 30, 40} {
		b := batchOf(mem, lease, lane0, to-10, to)
		b.Ledger.Ahead = []int64{to - 5}
		if to < 40 {
			b.Snapshot = []byte{byte(to)}
		}
		commit(t, w, b, stream.Applied)
	}
	w.Close()
}

func stateFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "states", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files // in the order of their offsets, which have two digits
}

func TestTwoStatesAreKept(t *testing.T) {
	dir := t.TempDir()
	withStates(t, dir)
	files := stateFiles(t, dir)
	if len(files) != 2 || !strings.Contains(files[0], "-0-20-") || !strings.Contains(files[1], "-0-30-") {
		t.Errorf("the states are %v", files)
	}
}

func TestDamagedStatesFallBack(t *testing.T) {
	dir := t.TempDir()
	withStates(t, dir)
	for _, step := range []struct {
		damage  func(file string) error
		replay  int64
		state   string
		ledgers int
	}{
		{nil, 30, "\x1e", 1},
		{func(file string) error { return os.WriteFile(file, []byte("other"), 0o600) }, 20, "\x14", 2},
		{os.Remove, 0, "", 4},
	} {
		if step.damage != nil {
			files := stateFiles(t, dir)
			if err := step.damage(files[len(files)-1]); err != nil {
				t.Fatal(err)
			}
			if step.replay == 0 {
				os.Remove(files[0])
			}
		}
		w := open(t, dir)
		lease := acquire(t, w, lane0)
		w.Close()
		if lease.Replay != step.replay || string(lease.Snapshot) != step.state || len(lease.Ledger.Ahead) != step.ledgers || lease.Next != 40 {
			t.Errorf("the lease is %+v, want %+v", lease, step)
		}
	}
}

func TestStrayStatesAreSwept(t *testing.T) {
	dir := t.TempDir()
	withStates(t, dir)
	stray := state{lane0, 50, "abc"}
	if err := stateFolder(filepath.Join(dir, "states")).write(stray, []byte("x")); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
	if files := stateFiles(t, dir); len(files) != 2 {
		t.Errorf("the states are %v", files)
	}
}

func TestOtherRulesNeedASnapshotAtNext(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	lease := acquire(t, w, lane0)
	commit(t, w, batchOf(mem, lease, lane0, 0, 10), stream.Applied)
	_, err := w.Acquire(context.Background(), lane0, "rules 2")
	if err == nil || !strings.Contains(err.Error(), "serve --once") {
		t.Errorf("other rules without a snapshot: %v", err)
	}
	commit(t, w, batchOf(mem, lease, lane0, 10, 20), stream.Applied) // the refusal took no lease
	last := batchOf(mem, lease, lane0, 20, 30)
	last.Snapshot = []byte("state")
	commit(t, w, last, stream.Applied)
	if _, err := w.Acquire(context.Background(), lane0, "rules 2"); err != nil {
		t.Errorf("other rules at a snapshot: %v", err)
	}
}

func TestAttemptsCountUntilACommit(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	acquire(t, w, lane0)
	lease := acquire(t, w, lane0)
	expect(t, w, 2, "SELECT attempts FROM progress")
	commit(t, w, batchOf(mem, lease, lane0, 0, 10), stream.Applied)
	expect(t, w, 0, "SELECT attempts FROM progress")
}
