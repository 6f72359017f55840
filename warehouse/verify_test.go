package warehouse

import (
	"context"
	"testing"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
)

// whole fills a warehouse in which every check holds.
func whole(t *testing.T) *Warehouse {
	mem, w := allocator(t), open(t, t.TempDir())
	stubViews(t, w)
	lease := acquire(t, w, lane0)
	for n := range int64(5) {
		b := batchOf(mem, lease, lane0, n*10, n*10+10)
		b.Delta.Rows = append(b.Delta.Rows, rowsOf(mem, aggregate.RequestWindows, row{"window_start": noon + n*10*second, "level": 10,
			"role": "engine", "finished": 10, "ok": 10, "output_tokens": 100, "prompt_tokens": 1000, "running_ns": 10 * second}))
		commit(t, w, b, stream.Applied)
	}
	flush := batchOf(mem, lease, lane0, 50, 50)
	flush.Ledger.Ticks = []stream.Tick{{Offset: 50, Flush: true}}
	commit(t, w, flush, stream.Applied)
	rollup(t, w)
	return w
}

// stubViews stands in for the views while there are none.
func stubViews(t *testing.T, w *Warehouse) {
	t.Helper()
	_, err := w.db.Exec(`CREATE VIEW IF NOT EXISTS v1.requests AS SELECT ttft_ns / 1e9 AS ttft_seconds, NULL AS tpot_seconds, e2e_ns / 1e9 AS e2e_seconds,
		queue_ns / 1e9 AS queue_seconds, prefill_ns / 1e9 AS prefill_seconds, decode_ns / 1e9 AS decode_seconds FROM main.requests`)
	if err != nil {
		t.Fatal(err)
	}
}

func TestVerifyHolds(t *testing.T) {
	for _, c := range verify(t, whole(t)).Checks {
		if !c.Held || c.Error != "" {
			t.Errorf("%s is broken: %+v", c.Name, c)
		}
		if c.Title == "" || len(c.Figures) == 0 {
			t.Errorf("%s shows nothing: %+v", c.Name, c)
		}
	}
}

// Each damage is seen by the check it breaks.
func TestVerifySeesDamage(t *testing.T) {
	for _, damage := range []struct{ check, statement string }{
		{"10_positions", "UPDATE progress SET next_offset = 40"},
		{"20_accounted", "UPDATE progress SET loaded = loaded - 1"},
		{"30_loaded", "UPDATE requests SET events = 100 WHERE \"offset\" = 3"},
		{"40_row_ids", "INSERT INTO requests FROM requests LIMIT 1"},
		{"50_windows", "DELETE FROM request_windows WHERE window_start = (SELECT min(window_start) FROM request_windows WHERE level = 10)"},
		{"60_levels", "UPDATE request_windows SET output_tokens = 1 WHERE level = 900"},
		{"80_commits", "DELETE FROM commits WHERE commit = 3"},
	} {
		w := whole(t)
		if _, err := w.db.Exec(damage.statement); err != nil {
			t.Fatal(err)
		}
		for _, c := range verify(t, w).Checks {
			if c.Name == damage.check && c.Held {
				t.Errorf("%s holds after %q: %+v", c.Name, damage.statement, c.Figures)
			}
		}
	}
}

func verify(t *testing.T, w *Warehouse) Report {
	t.Helper()
	r, err := w.Verify(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}
