package warehouse

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/arrow/memory/mallocator"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
)

// template is a batch of requests that a benchmark commits again and again, as if under other offsets.
func template(mem memory.Allocator, rows int64) aggregate.Delta {
	return aggregate.Delta{Rows: []aggregate.TableRows{rowsOf(mem, aggregate.Requests, requests(lane0, 0, rows)...)}}
}

// BenchmarkLoad loads requests in aligned batches.
func BenchmarkLoad(b *testing.B) {
	for _, rows := range []int64{122_880, 4 * 122_880} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) { loadBatches(b, rows) })
	}
}

func loadBatches(b *testing.B, rows int64) {
	w := openWith(b, b.TempDir(), Options{Threads: 2})
	lease := acquire(b, w, lane0)
	delta := template(mallocator.NewMallocator(), rows)
	defer delta.Release()
	n := int64(0)
	var wal int64
	for b.Loop() {
		batch := batchOf(nil, lease, lane0, n, n)
		n += rows
		batch.To, batch.Delta = n, delta
		if answer, err := w.Commit(b.Context(), batch); err != nil || answer != stream.Applied {
			b.Fatal(answer, err)
		}
		if info, err := os.Stat(w.path + ".wal"); err == nil {
			wal = max(wal, info.Size())
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(wal)/float64(n), "WAL-B/row")
}

// BenchmarkCommit measures the time of one small commit with rows for several tables.
func BenchmarkCommit(b *testing.B) {
	for _, rows := range []int64{0, 100, 1000, 10_000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) { commitRows(b, rows) })
	}
}

func commitRows(b *testing.B, rows int64) {
	mem := mallocator.NewMallocator()
	w := openWith(b, b.TempDir(), Options{Threads: 2})
	lease := acquire(b, w, lane0)
	var delta aggregate.Delta
	if rows > 0 {
		delta = template(mem, rows)
		delta.Rows = append(delta.Rows, windowsAt(mem, noon, "a", 5)...)
	}
	defer delta.Release()
	var took []time.Duration
	n := int64(0)
	for b.Loop() {
		batch := batchOf(nil, lease, lane0, n, n)
		n++
		batch.To, batch.Delta = n, delta
		start := time.Now()
		if answer, err := w.Commit(b.Context(), batch); err != nil || answer != stream.Applied {
			b.Fatal(answer, err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1e3, "p50-ms")
	b.ReportMetric(took[len(took)*99/100].Seconds()*1e3, "p99-ms")
}
