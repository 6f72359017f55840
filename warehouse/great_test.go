package warehouse

import (
	"context"
	"math"
	"testing"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
)

// Sums beyond 64 bits stop there: no flood of great numbers keeps windows from being rolled up, compacted and read.
func TestGreatSumsStop(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	lease := acquire(t, w, lane0)
	for n := range int64(3) {
		b := batchOf(mem, lease, lane0, n, n)
		b.To = n + 1
		at := row{"window_start": noon + n%2*10*second, "level": 10, "role": "engine", "instance": "vllm-0"}
		windows, sketch, engine := row{"finished": 1, "output_tokens": int64(math.MaxInt64)}, row{"measure": "decode", "n": 1, "zero": 0,
			"total": int64(math.MaxInt64), "min": 1, "max": 1, "idx": []int64{1}, "cnt": []int64{math.MaxInt64}},
			row{"samples": 1, "output_tokens_increase": int64(math.MaxInt64)}
		for _, r := range []row{windows, sketch, engine} {
			for name, v := range at {
				r[name] = v
			}
		}
		b.Delta.Rows = []aggregate.TableRows{rowsOf(mem, aggregate.RequestWindows, windows), rowsOf(mem, aggregate.RequestSketch, sketch),
			rowsOf(mem, aggregate.EngineWindows, engine)}
		commit(t, w, b, stream.Applied)
	}
	rollup(t, w)
	if err := w.Compact(context.Background(), math.MaxInt64); err != nil {
		t.Fatal(err)
	}
	const most = int64(math.MaxInt64)
	for _, column := range []string{"output_tokens FROM v1.request_windows", "idx[1] * cnt[1] FROM v1.request_sketches", "output_tokens FROM v1.engine_windows"} {
		expect(t, w, most, "SELECT min(s) FROM (SELECT "+column+") rows(s)")
	}
	expect(t, w, most, "SELECT max(total) FROM main.request_sketches WHERE level = 60")
	expect(t, w, 3, "SELECT finished FROM v1.request_windows WHERE level_seconds = 86400")
	expect(t, w, 4, "SELECT count(DISTINCT level) FROM request_windows")
}
