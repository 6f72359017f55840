package warehouse

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/arrow/memory/mallocator"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"

	text "github.com/inferlake/inferlake/sql"
)

// row is a row by column name; columns left out are NULL.
type row map[string]any

// allocator gives memory outside Go's heap, as DuckDB must get it, and holds the test to give it all back.
func allocator(tb testing.TB) memory.Allocator {
	checked := memory.NewCheckedAllocator(mallocator.NewMallocator())
	tb.Cleanup(func() { checked.AssertSize(tb, 0) })
	return checked
}

// questionOf is a report's query with its arguments.
func questionOf(tb testing.TB, report text.Report, given map[string]string) (query string, args map[string]any) {
	tb.Helper()
	arguments, err := report.Arguments(given)
	if err != nil {
		tb.Fatal(err)
	}
	args = map[string]any{}
	for _, a := range arguments {
		args[a.Name] = a.Value
	}
	return report.Query, args
}

// rowsOf builds the rows of one table.
func rowsOf(mem memory.Allocator, t *aggregate.Table, rows ...row) aggregate.TableRows {
	b := array.NewRecordBuilder(mem, t.Schema())
	defer b.Release()
	for _, r := range rows {
		for i, c := range t.Columns {
			appendValue(b.Field(i), r[c.Name])
		}
	}
	return aggregate.TableRows{Table: t, Batch: b.NewRecordBatch()}
}

func appendValue(b array.Builder, v any) {
	switch v := v.(type) {
	case nil:
		b.AppendNull()
	case int:
		appendInt(b, int64(v))
	case int64:
		appendInt(b, v)
	case string:
		b.(*array.StringBuilder).Append(v)
	case bool:
		b.(*array.BooleanBuilder).Append(v)
	case []int64:
		list := b.(*array.ListBuilder)
		list.Append(true)
		for _, x := range v {
			appendInt(list.ValueBuilder(), x)
		}
	case []string:
		list := b.(*array.ListBuilder)
		list.Append(true)
		for _, x := range v {
			list.ValueBuilder().(*array.StringBuilder).Append(x)
		}
	default:
		panic(fmt.Sprintf("no column holds a %T", v))
	}
}

func appendInt(b array.Builder, v int64) {
	if t, ok := b.(*array.TimestampBuilder); ok {
		t.Append(arrow.Timestamp(v))
		return
	}
	b.(*array.Int64Builder).Append(v)
}

const (
	second = int64(1_000_000_000)
	day    = 86400 * second
	noon   = 19_000*day + 43200*second // 2022-01-08 12:00 UTC
)

var (
	lane0 = stream.TopicPartition{Topic: "inferlake.requests", Partition: 0}
	lane1 = stream.TopicPartition{Topic: "inferlake.requests", Partition: 1}
)

// request is a finished request whose first event was at an offset.
func request(tp stream.TopicPartition, offset int64) row {
	at := noon + offset*second/100
	return row{
		"topic": tp.Topic, "partition": int64(tp.Partition), "offset": offset, "idx": 0,
		"producer": "p", "boot": "b", "instance": "vllm-0", "role": "engine", "model": "llama",
		"request_id": fmt.Sprint("r", offset), "attempt": 0, "choice": 0, "outcome": "ok",
		"prompt_tokens": 100, "output_tokens": 10, "received_at": at, "first_token_at": at + second/2, "finished_at": at + second,
		"ttft_ns": second / 2, "e2e_ns": second, "events": 1, "revision": 0, "flags": 0, "late": false,
	}
}

func requests(tp stream.TopicPartition, from, to int64) []row {
	var rows []row
	for offset := from; offset < to; offset++ {
		rows = append(rows, request(tp, offset))
	}
	return rows
}

// batches numbers the batches of all tests: numbers need only rise under a lease.
var batches atomic.Int64

// batchOf is a batch of one finished request an offset.
func batchOf(mem memory.Allocator, lease stream.Lease, tp stream.TopicPartition, from, to int64) stream.Batch[aggregate.Delta] {
	b := stream.Batch[aggregate.Delta]{
		Partition: tp, Generation: lease.Generation, Seq: batches.Add(1), From: from, To: to, Rules: "rules 1",
		Status: stream.Status{LogClock: noon + to, Watermark: noon + to, Counts: stream.Counts{Records: to, Consumed: to, Loaded: to}},
	}
	if to > from {
		b.Delta.Rows = []aggregate.TableRows{rowsOf(mem, aggregate.Requests, requests(tp, from, to)...)}
	}
	return b
}

// open opens a warehouse that loads all rows through Arrow views where they are built in.
func open(tb testing.TB, dir string) *Warehouse {
	tb.Helper()
	return openWith(tb, dir, Options{Threads: 2, viewRows: 1})
}

func openWith(tb testing.TB, dir string, o Options) *Warehouse {
	tb.Helper()
	w, err := Open(context.Background(), dir, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { w.Close() })
	return w
}

func acquire(tb testing.TB, w *Warehouse, tp stream.TopicPartition) stream.Lease {
	tb.Helper()
	lease, err := w.Acquire(context.Background(), tp, "rules 1")
	if err != nil {
		tb.Fatal(err)
	}
	return lease
}

// commit commits a batch, holds the answer to the expected one and gives the memory back.
func commit(tb testing.TB, w *Warehouse, b stream.Batch[aggregate.Delta], want stream.Answer) {
	tb.Helper()
	answer, err := w.Commit(context.Background(), b)
	b.Delta.Release()
	if err != nil {
		tb.Fatal(err)
	}
	if answer != want {
		tb.Fatalf("the batch [%d, %d) was answered %d, want %d", b.From, b.To, answer, want)
	}
}

// ask returns the single number that a query gives.
func ask(tb testing.TB, w *Warehouse, query string, args ...any) int64 {
	tb.Helper()
	var n int64
	if err := w.db.QueryRow(query, args...).Scan(&n); err != nil {
		tb.Fatal(query, err)
	}
	return n
}

func expect(tb testing.TB, w *Warehouse, want int64, query string, args ...any) {
	tb.Helper()
	if got := ask(tb, w, query, args...); got != want {
		tb.Fatalf("%s: %d, want %d", query, got, want)
	}
}
