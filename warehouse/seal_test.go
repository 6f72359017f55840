package warehouse

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"

	text "github.com/inferlake/inferlake/sql"
)

var november = Seal{Name: "2022-01", From: time.Unix(0, noon-day).UTC(), To: time.Unix(0, noon+day).UTC(), Hash: "report 1"}

// fillHour commits requests with their windows, instance, coverage and a tick; some of it in every window.
func fillHour(t *testing.T, mem memory.Allocator, w *Warehouse, lease stream.Lease, from, batches int64) {
	t.Helper()
	for n := from; n < from+batches; n++ {
		b := batchOf(mem, lease, lane0, n*10, n*10+10)
		b.Delta.Rows = append(b.Delta.Rows, windowsAt(mem, noon+n*7%20*10*second, []string{"vllm-0", "vllm-1"}[n%2], n%5+1)...)
		b.Delta.Rows = append(b.Delta.Rows, rowsOf(mem, aggregate.Coverage, row{"topic": lane0.Topic, "partition": 0, "producer": "p", "boot": "b", "lane": 0,
			"source": "vllm", "first_seq": 0, "last_seq": b.To - 1, "received": b.To, "gaps": 0, "last_at": noon + b.To*second, "runs": []int64{0, b.To}}))
		if n == 0 {
			b.Delta.Rows = append(b.Delta.Rows, rowsOf(mem, aggregate.InstanceEvents, row{"topic": lane0.Topic, "partition": 0, "offset": 0, "idx": 1,
				"instance": "vllm-0", "boot": "b", "role": "engine", "at": noon, "state": "ready", "gpu_count": 1, "gpu_type": "H100", "model": "llama"}))
		}
		b.Ledger.Ticks = []stream.Tick{{Offset: b.To, Flush: true}}
		commit(t, w, b, stream.Applied)
	}
}

// correct replaces requests that were written before.
func correct(t *testing.T, mem memory.Allocator, w *Warehouse, lease stream.Lease, at int64, offsets ...int64) {
	t.Helper()
	b := batchOf(mem, lease, lane0, at, at)
	var rows []row
	for _, offset := range offsets {
		r := request(lane0, offset)
		r["output_tokens"], r["revision"] = 99, 1
		rows = append(rows, r)
		b.Delta.Replaced = append(b.Delta.Replaced, aggregate.RowID{TopicPartition: lane0, Position: stream.Position{Offset: offset}})
	}
	b.Delta.Rows = []aggregate.TableRows{rowsOf(mem, aggregate.Requests, rows...)}
	commit(t, w, b, stream.Applied)
}

// asking runs a query.
type asking func(query string, args map[string]any) (Result, error)

// sight lends a way to ask: now, or as of a seal.
type sight func(func(asking))

func seeNow(w *Warehouse) sight {
	return func(look func(asking)) {
		look(func(query string, args map[string]any) (Result, error) {
			return w.Query(context.Background(), query, args)
		})
	}
}

func seeAsOf(t *testing.T, w *Warehouse, seal string) sight {
	return func(look func(asking)) {
		t.Helper()
		err := w.asOf(context.Background(), seal, func(conn *sql.Conn) error {
			look(func(query string, args map[string]any) (Result, error) {
				return readOnly(context.Background(), conn, query, args)
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// published is all that a reader can see: every report and every view, as text, but the list of seals, and what compares with now.
func published(t *testing.T, see sight, views []string) (all map[string]string) {
	t.Helper()
	all = map[string]string{}
	see(func(ask asking) {
		for _, report := range text.Reports() {
			if strings.HasSuffix(report.Name, "_corrections") {
				continue
			}
			query, args := questionOf(t, report, nil)
			all["report "+report.Name] = answerOf(t, ask, query, args)
		}
		for _, view := range views {
			all[view] = answerOf(t, ask, "SELECT COLUMNS(lambda c: c <> 'commit') FROM v1."+view+" ORDER BY ALL", nil)
		}
	})
	return all
}

func answerOf(t *testing.T, ask asking, query string, args map[string]any) string {
	t.Helper()
	r, err := ask(query, args)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(len(r.Rows), r)
}

func viewNames(t *testing.T, w *Warehouse) (views []string) {
	t.Helper()
	err := each(t.Context(), w.db, `SELECT view_name FROM duckdb_views()
		WHERE database_name = current_database() AND schema_name = 'v1' AND view_name <> 'seals' AND view_name NOT LIKE '%\_deltas' ESCAPE '\' ORDER BY 1`,
		nil, func(scan scanner) error {
			var name string
			err := scan(&name)
			views = append(views, name)
			return err
		})
	if err != nil || len(views) < 20 {
		t.Fatal(views, err)
	}
	return views
}

// I9: what was published reads the same to the byte, whatever comes later, and later seals see it.
func TestASealedPeriodReadsTheSame(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	lease, views := acquire(t, w, lane0), viewNames(t, w)
	now := seeNow(w)
	at := func(seal string) sight { return seeAsOf(t, w, seal) }
	same := func(what string, got, want map[string]string) {
		t.Helper()
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%s: %s is\n%.2000s\nwas\n%.2000s", what, name, got[name], want[name])
			}
		}
	}
	price := func(usd string) {
		t.Helper()
		if err := w.SetPrices(context.Background(), []Price{{GPUType: "H100", From: time.Unix(0, 0), USDPerHour: usd}}); err != nil {
			t.Fatal(err)
		}
	}
	tidy := func() {
		t.Helper()
		rollup(t, w)
		if err := w.Compact(context.Background(), math.MaxInt64); err != nil {
			t.Fatal(err)
		}
	}
	price("2")
	fillHour(t, mem, w, lease, 0, 20)
	rollup(t, w) // some is rolled up before, some at the seal
	fillHour(t, mem, w, lease, 20, 20)
	seal, err := w.Seal(context.Background(), november)
	if err != nil {
		t.Fatal(err)
	}
	first := published(t, now, views)
	same("at the seal", published(t, at(seal.Name), views), first)

	tidy()
	same("compacted", published(t, at(seal.Name), views), first)
	fillHour(t, mem, w, lease, 40, 20)
	correct(t, mem, w, lease, 600, 5, 399, 405)
	price("3")
	same("after late rows, corrections and other prices", published(t, at(seal.Name), views), first)
	tidy()
	same("and rolled up and compacted", published(t, at(seal.Name), views), first)

	december := november
	december.Name = "2022-02"
	if _, err := w.Seal(context.Background(), december); err != nil {
		t.Fatal(err)
	}
	second := published(t, now, views)
	correct(t, mem, w, lease, 600, 5, 6, 7)
	fillHour(t, mem, w, lease, 60, 5)
	tidy()
	same("the first of two seals", published(t, at(november.Name), views), first)
	same("the second of two seals", published(t, at(december.Name), views), second)
	for _, name := range []string{"report overview", "requests", "request_windows", "prices", "progress", "producers", "engine_windows"} {
		if first[name] == second[name] {
			t.Errorf("%s never changed: nothing is tested", name)
		}
	}
	// The sealed figures and the corrections together are what is there now.
	expect(t, w, 0, `SELECT count(*) FROM (`+corrections(t)+`) WHERE sealed + difference <> now`, november.Name)
	expect(t, w, 25, `SELECT difference FROM (`+corrections(t)+`) WHERE measure = 'finished'`, november.Name)
	expect(t, w, 65, "SELECT sum(finished)::BIGINT FROM v1.request_windows WHERE level_seconds = 900")
	expect(t, w, 650, "SELECT count(*) FROM requests")
	for _, c := range verify(t, w).Checks {
		if (c.Name == "40_row_ids" || c.Name == "60_levels") && !c.Held {
			t.Errorf("%s is broken: %+v", c.Name, c)
		}
	}
}

// corrections is the query of the report of that name, of all of the period of seal $1.
func corrections(t *testing.T) string {
	r, err := text.Find("corrections")
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer("$seal", "$1", "$by", "'all'", "$per", "'period'", ";", "").Replace(r.Query)
}

// A seal that is dropped leaves nothing behind, and the others as they are.
func TestADroppedSealLeavesNothing(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	lease := acquire(t, w, lane0)
	seal := func(name string) {
		t.Helper()
		s := november
		s.Name = name
		if _, err := w.Seal(context.Background(), s); err != nil {
			t.Fatal(err)
		}
	}
	drop := func(name string) {
		t.Helper()
		if err := w.DropSeal(context.Background(), name); err != nil {
			t.Fatal(err)
		}
	}
	fillHour(t, mem, w, lease, 0, 5)
	seal("first")
	correct(t, mem, w, lease, 50, 5, 6)
	seal("second")
	seal("of the same commit")
	correct(t, mem, w, lease, 50, 6, 7)
	expect(t, w, 4, "SELECT count(*) FROM replaced_requests")
	for name, want := range map[string]string{"first": "[[first]]", "second": "[[first] [second]]"} {
		r, err := w.QueryAt(context.Background(), name, "SELECT name FROM v1.seals ORDER BY sealed_at", nil)
		if err != nil || fmt.Sprint(r.Rows) != want {
			t.Errorf("as of %s there are the seals %v, %v", name, r.Rows, err)
		}
	}
	drop("first")
	expect(t, w, 2, "SELECT count(*) FROM replaced_requests")
	drop("second")
	expect(t, w, 2, "SELECT count(*) FROM replaced_requests") // the third shows them
	drop("of the same commit")
	for _, table := range []string{"seals", "sealed_progress", "sealed_prices", "sealed_counting_legs", "sealed_price_settings", "sealed_api_prices",
		"sealed_legs", "sealed_anomalies", "replaced_requests"} {
		expect(t, w, 0, "SELECT count(*) FROM "+table)
	}
	if err := w.DropSeal(context.Background(), "first"); err == nil {
		t.Error("a seal was dropped twice")
	}
}

func TestASealIsMadeOnce(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	fillHour(t, mem, w, acquire(t, w, lane0), 0, 2)
	first, err := w.Seal(context.Background(), november)
	if err != nil || first.Commit == 0 {
		t.Fatal(first, err)
	}
	again, err := w.Seal(context.Background(), november)
	if err != nil || again != first {
		t.Errorf("again: %+v, %v; it was %+v", again, err, first)
	}
	other := november
	other.Hash = "report 2"
	if _, err := w.Seal(context.Background(), other); err == nil {
		t.Error("another report took the seal")
	}
	if _, err := w.QueryAt(context.Background(), "never", "SELECT 1", nil); err == nil {
		t.Error("a seal that is not there was read")
	}
	expect(t, w, 0, "SELECT count(*) FROM duckdb_databases() WHERE database_name LIKE 'sealed%'")
}
