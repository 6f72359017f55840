package warehouse

import (
	"context"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // not every machine has the zones

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
)

// filled is a row with a value in every column, at the edge of what the column's type holds where n is odd.
func filled(table *aggregate.Table, n int) row {
	r := row{}
	for i, c := range table.Columns {
		r[c.Name] = sample(c.Type, n, i)
	}
	return r
}

func sample(t aggregate.ColumnType, n, i int) any {
	switch t.SQL {
	case "VARCHAR":
		return []string{"", "a\x00b", "日本", "x'y"}[(n+i)%4]
	case "BOOLEAN":
		return n%2 == 0
	case "TIMESTAMP_NS":
		return noon + int64(n*i) + 123456789
	case "BIGINT[]":
		return [][]int64{{}, {int64(n), math.MaxInt64, -1}}[n%2]
	case "VARCHAR[]":
		return [][]string{{"é", ""}, {}}[n%2]
	}
	return []int64{int64(n * i), math.MaxInt64, math.MinInt64}[(n+i)%3]
}

// Every column of every table arrives as it was, by either way, also from a batch that is a slice.
// Case W39: no value becomes another on its way: the greatest numbers, texts with NUL, NULL.
func TestEveryColumnArrives(t *testing.T) {
	t.Run("view", func(t *testing.T) { everyColumnArrives(t, Options{viewRows: 1}) })
	t.Run("append", func(t *testing.T) { everyColumnArrives(t, Options{}) })
}

func everyColumnArrives(t *testing.T, o Options) {
	mem, w := allocator(t), openWith(t, t.TempDir(), o)
	b := batchOf(mem, acquire(t, w, lane0), lane0, 0, 0)
	b.To = 1
	want := map[string][]row{}
	for _, table := range aggregate.Tables {
		rows := []row{{}, filled(table, 1), filled(table, 2), {}, filled(table, 3)}
		whole := rowsOf(mem, table, rows...)
		b.Delta.Rows = append(b.Delta.Rows, aggregate.TableRows{Table: table, Batch: whole.Batch.NewSlice(1, 5)})
		whole.Batch.Release()
		want[table.Name] = rows[1:]
	}
	commit(t, w, b, stream.Applied)
	for _, table := range aggregate.Tables {
		got, err := w.Query(context.Background(), "SELECT "+columns(table)+" FROM "+table.Name+" ORDER BY rowid", nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range want[table.Name] {
			for c, column := range table.Columns {
				if v := plainOf(r[column.Name], column.Type); !reflect.DeepEqual(got.Rows[i][c], v) {
					t.Errorf("%s.%s of row %d is %#v, want %#v", table.Name, column.Name, i, got.Rows[i][c], v)
				}
			}
		}
	}
}

// plainOf is a row's value as a query returns it.
func plainOf(v any, t aggregate.ColumnType) any {
	switch x := v.(type) {
	case int64:
		if t.SQL == "TIMESTAMP_NS" {
			return time.Unix(0, x).UTC()
		}
	case []int64:
		list := []any{}
		for _, e := range x {
			list = append(list, e)
		}
		return list
	case []string:
		list := []any{}
		for _, e := range x {
			list = append(list, e)
		}
		return list
	}
	return v
}

func TestOtherColumnsAreRefused(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	b := batchOf(mem, acquire(t, w, lane0), lane0, 0, 0)
	b.To = 1
	rows := rowsOf(mem, aggregate.GPUFaults, row{"gpu": "GPU-1"})
	b.Delta.Rows = []aggregate.TableRows{{Table: aggregate.Requests, Batch: rows.Batch}}
	if _, err := w.Commit(context.Background(), b); err == nil || !strings.Contains(err.Error(), "other columns") {
		t.Errorf("rows of another table: %v", err)
	}
	b.Delta.Release()
}

// Case W32: times are those of the input, whatever zone the host is in.
func TestEpochsInOtherZones(t *testing.T) {
	local := time.Local
	defer func() { time.Local = local }()
	for _, zone := range []string{"Asia/Tokyo", "America/St_Johns"} {
		location, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		time.Local = location
		t.Setenv("TZ", zone)
		mem, w := allocator(t), open(t, t.TempDir())
		commit(t, w, batchOf(mem, acquire(t, w, lane0), lane0, 0, 1), stream.Applied)
		expect(t, w, noon, "SELECT epoch_ns(received_at) FROM requests")
		expect(t, w, 1, "SELECT count(*) FROM requests WHERE strftime(received_at, '%Y-%m-%d %H:%M:%S') = '2022-01-08 12:00:00'")
		if age := time.Now().UnixMicro() - ask(t, w, `SELECT epoch_us("at") FROM commits`); age < 0 || age > 60e6 {
			t.Errorf("a commit was made %d µs ago in %s", age, zone)
		}
	}
}

// Case C07: the batches' memory is given back, counted by the allocator, and what DuckDB takes stays bounded.
func TestLoadingLeaksNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	mem, w := allocator(t), open(t, t.TempDir())
	lease := acquire(t, w, lane0)
	var before int64
	const rows, batches = 1000, 150
	for n := range int64(batches) {
		if n == batches/3 {
			before = residentAfterCheckpoint(t, w)
		}
		commit(t, w, batchOf(mem, lease, lane0, n*rows, n*rows+rows), stream.Applied)
	}
	if grown := residentAfterCheckpoint(t, w) - before; grown > 100<<20 {
		t.Errorf("%d batches left %d MiB", batches*2/3, grown>>20)
	}
}

// residentAfterCheckpoint is the process's memory without the rows that wait for a checkpoint.
func residentAfterCheckpoint(t *testing.T, w *Warehouse) int64 {
	t.Helper()
	if _, err := w.db.Exec("CHECKPOINT"); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(b))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}
