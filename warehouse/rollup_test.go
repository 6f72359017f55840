package warehouse

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
)

// sampleWindows are the tables of gauges and counters.
var sampleWindows = []*aggregate.Table{aggregate.EngineWindows, aggregate.GPUWindows, aggregate.NodeWindows, aggregate.KubeWindows}

// windowsAt are the deltas of one window: a request that ended well, its sketch, and gauges and counters.
func windowsAt(mem memory.Allocator, start int64, instance string, bucket int64) []aggregate.TableRows {
	rows := []aggregate.TableRows{
		rowsOf(mem, aggregate.RequestWindows, row{"window_start": start, "level": 10, "role": "engine", "instance": instance,
			"finished": 1, "ok": 1, "output_tokens": 10}),
		rowsOf(mem, aggregate.RequestSketch, row{"window_start": start, "level": 10, "role": "engine", "instance": instance, "measure": "ttft",
			"n": 4, "zero": 1, "total": 30 * bucket, "min": 0, "max": bucket, "idx": []int64{bucket, bucket + 1}, "cnt": []int64{2, 1}}),
	}
	for _, t := range sampleWindows {
		rows = append(rows, rowsOf(mem, t, sampleWindow(t, start, instance, bucket)))
	}
	return rows
}

// sampleWindow fills every gauge and counter but the last, which nobody has seen.
func sampleWindow(t *aggregate.Table, start int64, instance string, bucket int64) row {
	r := row{"window_start": start, "level": 10, "instance": instance, "samples": 2}
	for i, c := range t.Columns[:len(t.Columns)-1] {
		switch {
		case c.Type == aggregate.HugeInt:
			r[c.Name] = int64(1) << 62
		case strings.HasSuffix(c.Name, "_observed_ns"):
			r[c.Name] = 10 * second
		case strings.HasSuffix(c.Name, "_increase"), c.Sum() != "sum":
			r[c.Name] = bucket + int64(i)
		}
	}
	return r
}

// fill commits a window a batch, several batches a window, some of them out of order.
func fill(t *testing.T, mem memory.Allocator, w *Warehouse, lease stream.Lease, batches int64) {
	for n := range batches {
		b := batchOf(mem, lease, lane0, n, n)
		b.To = n + 1
		start := noon + (n*7%batches)/3*10*second
		b.Delta.Rows = windowsAt(mem, start, []string{"a", "b"}[n%2], n%5+1)
		commit(t, w, b, stream.Applied)
	}
}

// sameSums holds every level to the sums of the first.
func sameSums(t *testing.T, w *Warehouse) {
	t.Helper()
	for _, query := range []string{
		"SELECT count(DISTINCT s) FROM (SELECT level, (sum(finished), sum(ok), sum(output_tokens)) AS s FROM request_windows GROUP BY level)",
		"SELECT count(DISTINCT s) FROM (SELECT level, (sum(n), sum(zero), sum(total), min(min), max(max)) AS s FROM request_sketches GROUP BY level)",
		"SELECT count(DISTINCT s) FROM (SELECT level, list((i, c) ORDER BY i) AS s FROM (SELECT level, i, sum(c) AS c FROM (SELECT level, unnest(idx) AS i, unnest(cnt) AS c FROM request_sketches) GROUP BY ALL) GROUP BY level)",
	} {
		expect(t, w, 1, query)
	}
	for _, s := range seriesTables {
		expect(t, w, int64(len(Levels)), "SELECT count(DISTINCT level) FROM "+s.table.Name)
	}
	for _, table := range sampleWindows {
		expect(t, w, 1, `SELECT count(*) FROM (
			SELECT DISTINCT * EXCLUDE (level)
			FROM (SELECT level, sum(COLUMNS('samples|_ns$|_increase$')), min(COLUMNS('_min$')), max(COLUMNS('_max$')) FROM `+table.Name+` GROUP BY level))`)
	}
}

func rollup(t *testing.T, w *Warehouse) {
	t.Helper()
	if err := w.Rollup(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// What is rolled up and compacted a few rows at a time is what it is at once, and nothing is left to merge.
func TestManyDeltasRollUpInParts(t *testing.T) {
	mem := allocator(t)
	w := openWith(t, t.TempDir(), Options{Threads: 2, viewRows: 1, summedRows: 3})
	fill(t, mem, w, acquire(t, w, lane0), 40)
	before := ask(t, w, "SELECT count(*) FROM commits")
	rollup(t, w)
	if rounds := ask(t, w, "SELECT count(*) FROM commits") - before; rounds < 40/3 {
		t.Errorf("40 commits were rolled up in %d transactions", rounds)
	}
	sameSums(t, w)
	if err := w.Compact(t.Context(), math.MaxInt64); err != nil {
		t.Fatal(err)
	}
	sameSums(t, w)
	for _, s := range seriesTables {
		expect(t, w, 0, "SELECT count(*) FROM (SELECT 1 FROM "+s.table.Name+" GROUP BY level, window_start, "+s.key+" HAVING count(*) > 1)")
	}
}

func TestLateDeltasRollUp(t *testing.T) {
	mem, dir := allocator(t), t.TempDir()
	w := open(t, dir)
	fill(t, mem, w, acquire(t, w, lane0), 40)
	rollup(t, w)
	sameSums(t, w)
	before := ask(t, w, "SELECT count(*) FROM commits")
	rollup(t, w) // nothing new
	expect(t, w, before, "SELECT count(*) FROM commits")
	w.Close()

	w = open(t, dir)
	late := batchOf(mem, acquire(t, w, lane0), lane0, 40, 40)
	late.To, late.Delta.Rows = 41, windowsAt(mem, noon-day, "a", 9)
	commit(t, w, late, stream.Applied)
	rollup(t, w)
	sameSums(t, w)
	expect(t, w, 2, "SELECT count(DISTINCT window_start) FROM request_windows WHERE level = 86400")
	expect(t, w, 41, "SELECT sum(finished)::BIGINT FROM request_windows WHERE level = 86400")
}

func TestCompactionKeepsWhatTablesSay(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	lease := acquire(t, w, lane0)
	fill(t, mem, w, lease, 40)
	coverage := batchOf(mem, lease, lane0, 40, 40)
	coverage.To = 41
	coverage.Delta.Rows = []aggregate.TableRows{rowsOf(mem, aggregate.Coverage, lane("p", 3), lane("q", 4))}
	commit(t, w, coverage, stream.Applied)
	coverage.Seq, coverage.From, coverage.To = batches.Add(1), 41, 42
	coverage.Delta.Rows = []aggregate.TableRows{rowsOf(mem, aggregate.Coverage, lane("p", 9))}
	commit(t, w, coverage, stream.Applied)

	compact := func(until int64) {
		t.Helper()
		if err := w.Compact(context.Background(), until); err != nil {
			t.Fatal(err)
		}
	}
	compact(40) // nothing is rolled up yet, so nothing may go
	expect(t, w, 40, "SELECT count(*) FROM request_windows")
	rollup(t, w)
	compact(10)
	expect(t, w, 30, "SELECT count(*) FROM request_windows WHERE level = 10 AND commit > 10")
	compact(1000)
	sameSums(t, w)
	expect(t, w, 0, "SELECT count(*) FROM (SELECT 1 FROM request_sketches GROUP BY level, window_start, instance HAVING count(*) > 1)")
	expect(t, w, 9, "SELECT last_seq FROM producer_coverage WHERE producer = 'p'")
	expect(t, w, 2, "SELECT count(*) FROM producer_coverage")
	late := batchOf(mem, lease, lane0, 42, 42)
	late.To, late.Delta.Rows = 43, windowsAt(mem, noon, "a", 1)
	commit(t, w, late, stream.Applied)
	rollup(t, w)
	sameSums(t, w)
}

func lane(producer string, last int64) row {
	return row{"topic": lane0.Topic, "partition": 0, "producer": producer, "boot": "b", "lane": 0, "last_seq": last}
}
