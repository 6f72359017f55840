package warehouse

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/fault"

	text "github.com/inferlake/inferlake/sql"
)

const days = 24 * time.Hour

// dayBatch is a batch of a day: requests, samples and windows of it, for the offsets [at, at+10). It is known to be complete.
func dayBatch(mem memory.Allocator, lease stream.Lease, at, start, complete, bucket int64) stream.Batch[aggregate.Delta] {
	b := batchOf(mem, lease, lane0, at, at)
	b.To = at + 10
	var facts, samples []row
	for n := range int64(10) {
		r := request(lane0, at+n)
		r["received_at"], r["first_token_at"], r["finished_at"] = start+n*second, start+(n+1)*second, start+(n+2)*second
		facts = append(facts, r)
	}
	samples = append(samples, row{"topic": lane0.Topic, "partition": 0, "offset": at, "idx": 1, "instance": "vllm-0", "at": start, "running_requests": 3})
	b.Delta.Rows = append([]aggregate.TableRows{rowsOf(mem, aggregate.Requests, facts...), rowsOf(mem, aggregate.EngineSamples, samples...)},
		windowsAt(mem, start-start%(10*second), []string{"a", "b"}[bucket%2], bucket)...)
	b.Status = stream.Status{LogClock: time.Now().UnixNano(), Watermark: complete, CompleteThrough: complete, SettledThrough: complete,
		Counts: stream.Counts{Records: b.To, Consumed: 2 * b.To, Loaded: 2 * b.To}}
	return b
}

// letPass makes all that was committed older.
func letPass(t *testing.T, w *Warehouse, d time.Duration) {
	t.Helper()
	if _, err := w.db.Exec(`UPDATE commits SET "at" = "at" - to_microseconds($1)`, d.Microseconds()); err != nil {
		t.Fatal(err)
	}
	touch(t, w)
}

// touch makes a commit now: age counts back from it.
func touch(t *testing.T, w *Warehouse) {
	t.Helper()
	err := w.writer.do(context.Background(), func(ctx context.Context) error {
		return w.writer.numbered(ctx, func(int64) (rows int64, batches int, err error) { return 0, 0, nil })
	})
	if err != nil {
		t.Fatal(err)
	}
}

func retain(t *testing.T, w *Warehouse, keep Keep) int64 {
	t.Helper()
	rows, err := w.Retain(context.Background(), keep)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func compact(t *testing.T, w *Warehouse) {
	t.Helper()
	if err := w.Compact(context.Background(), math.MaxInt64); err != nil {
		t.Fatal(err)
	}
}

func everythingHolds(t *testing.T, w *Warehouse, but ...string) {
	t.Helper()
	for _, c := range verify(t, w).Checks {
		if !c.Held && fmt.Sprint(but) != "["+c.Name+"]" {
			t.Errorf("%s is broken: %+v", c.Title, c)
		}
	}
}

// windowViews are the views over windows, with their tables.
var windowViews = map[string]string{"request_windows": "request_windows", "request_sketches": "request_sketches", "engine_windows": "engine_windows",
	"gpu_windows": "gpu_windows", "node_windows": "node_windows", "kube_windows": "kube_windows"}

// Rule 16: whatever goes of a tier, and whenever, the tiers above show the same as where nothing goes, in every measure and
// every sketch, late data included; what is left of each tier is whole, and verify holds.
func TestRetentionKeepsTheSums(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { retentionDays(t, seed) })
	}
}

func retentionDays(t *testing.T, seed uint64) {
	mem, random := allocator(t), rand.New(rand.NewPCG(seed, 16))
	less, all := open(t, t.TempDir()), open(t, t.TempDir())
	keep := Keep{Requests: 4 * days, Samples: days, Windows: [3]time.Duration{2 * days, time.Duration(random.IntN(2)) * 3 * days, time.Duration(random.IntN(2)) * 5 * days}}
	leases := []stream.Lease{acquire(t, less, lane0), acquire(t, all, lane0)}
	complete := noon
	for n := range int64(60) {
		complete += random.Int64N(8 * 3600 * second)
		start := complete - random.Int64N(3600*second)
		if random.IntN(5) == 0 {
			start -= random.Int64N(9 * day) // late, as far as where tiers are gone
		}
		bucket := random.Int64N(5) + 1
		for i, w := range []*Warehouse{less, all} {
			commit(t, w, dayBatch(mem, leases[i], n*10, start, complete, bucket), stream.Applied)
		}
		for range random.IntN(3) {
			w := []*Warehouse{less, all}[random.IntN(2)]
			[]func(){func() { rollup(t, w) }, func() { compact(t, w) }, func() { letPass(t, less, time.Duration(random.IntN(72))*time.Hour) },
				func() { retain(t, less, keep) }, func() { retain(t, less, keep) }}[random.IntN(5)]()
		}
		if n%20 == 19 {
			sameWindows(t, less, all)
		}
	}
	letPass(t, less, 10*days)
	rollup(t, less)
	retain(t, less, keep)
	sameWindows(t, less, all)
	everythingHolds(t, less, "50_windows") // the windows here are not those of the requests
	for _, table := range []string{"requests", "engine_samples"} {
		expect(t, less, ask(t, all, "SELECT count(*) FROM "+table), "SELECT ((SELECT count(*) FROM "+table+") + (SELECT sum(rows) FROM retention WHERE \"table\" = $1))::BIGINT", table)
	}
	for _, query := range []string{"\"table\" = 'requests'", "\"table\" = 'engine_samples'", "level = 10"} {
		if ask(t, less, "SELECT coalesce(sum(rows), 0)::BIGINT FROM retention WHERE "+query) == 0 {
			t.Errorf("nothing went where %s: nothing is tested", query)
		}
	}
	if ask(t, less, "SELECT count(*) FROM request_windows WHERE level = 86400") == 0 {
		t.Error("the days went too")
	}
}

// sameWindows holds each tier, from where it is kept on, to that of the warehouse that keeps everything.
func sameWindows(t *testing.T, less, all *Warehouse) {
	t.Helper()
	for view, table := range windowViews {
		for _, level := range Levels {
			from := ask(t, less, `SELECT coalesce(max(epoch_ns("before")), 0) FROM retention WHERE "table" = $1 AND level = $2`, table, level)
			query := fmt.Sprintf(`SELECT coalesce(sum(hash(r)::HUGEINT), 0)::VARCHAR || ' in ' || count(*) FROM (
				SELECT * FROM v1.%s WHERE level_seconds = %d AND window_start >= make_timestamp_ns(%d)::TIMESTAMP) r`, view, level, from)
			if have, want := rowsOfQuery(t, less, query), rowsOfQuery(t, all, query); fmt.Sprint(have) != fmt.Sprint(want) {
				t.Errorf("I2 retention: v1.%s of %d s from %d on: %v, where everything is kept %v", view, level, from, have, want)
			}
		}
		expect(t, less, 0, fmt.Sprintf(`SELECT count(*) FROM v1.%s v JOIN v1.kept k ON k.table_name = '%s' AND k.level_seconds = v.level_seconds WHERE v.window_start < k.kept_from`, view, table))
	}
}

// Days are the sum of their hours also for what comes after a window of 10 s is gone: it reaches every tier above, once.
func TestLateDataReachesTheTiersAbove(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	lease := acquire(t, w, lane0)
	commit(t, w, dayBatch(mem, lease, 0, noon, noon+10*day, 1), stream.Applied)
	rollup(t, w)
	letPass(t, w, 8*days)
	if retain(t, w, Keep{Windows: [3]time.Duration{7 * days}}) == 0 {
		t.Fatal("nothing went")
	}
	expect(t, w, 0, "SELECT count(*) FROM request_windows WHERE level = 10")
	commit(t, w, dayBatch(mem, lease, 10, noon, noon+10*day, 3), stream.Applied)
	finished := "SELECT coalesce(sum(finished), 0)::BIGINT FROM v1.request_windows WHERE level_seconds = $1"
	for range 3 {
		for level, want := range map[int64]int64{10: 0, 60: 2, 900: 2, 86400: 2} { // 10 s: what is left is a rest, and not shown
			expect(t, w, want, finished, level)
		}
		rollup(t, w)
		compact(t, w)
		everythingHolds(t, w, "50_windows")
		letPass(t, w, 8*days)
		retain(t, w, Keep{Windows: [3]time.Duration{7 * days}})
	}
	expect(t, w, 0, "SELECT count(*) FROM request_windows WHERE level = 10")
	expect(t, w, 2, "SELECT sum(rows)::BIGINT FROM v1.retention WHERE table_name = 'request_windows'")
}

// An old trace that was loaded today stays as long as what happened today, and a warehouse that nobody uses keeps all.
func TestRetentionGoesByBothClocks(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	lease := acquire(t, w, lane0)
	keep := Keep{Requests: 30 * days, Samples: 30 * days, Windows: [3]time.Duration{30 * days, 30 * days, 30 * days}}
	commit(t, w, dayBatch(mem, lease, 0, noon, noon, 1), stream.Applied) // of 2022, alone
	rollup(t, w)
	letPass(t, w, 400*days)
	expect(t, w, 0, "SELECT $1", retain(t, w, keep)) // no event says that time went on
	now := time.Now().UnixNano()
	commit(t, w, dayBatch(mem, lease, 10, now, now, 1), stream.Applied) // and live traffic beside it
	commit(t, w, dayBatch(mem, lease, 20, noon+day, now, 1), stream.Applied)
	rollup(t, w)
	if retain(t, w, keep) == 0 {
		t.Error("what is old by both clocks stays")
	}
	expect(t, w, 20, "SELECT count(*) FROM requests") // the trace loaded just now, and the live ones
	expect(t, w, 0, `SELECT count(*) FROM requests WHERE "offset" < 10`)
	letPass(t, w, 31*days)
	retain(t, w, keep)
	expect(t, w, 10, "SELECT count(*) FROM requests")
	expect(t, w, 0, "SELECT count(*) FROM v1.requests WHERE finished_at < (SELECT facts_from FROM v1.horizon)")
	expect(t, w, 0, "SELECT $1", retain(t, w, Keep{}))
}

// A request that the fold still remembers may be replaced, so its row stays.
func TestWhatMayBeReplacedStays(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	b := dayBatch(mem, acquire(t, w, lane0), 0, noon, noon+20*day, 1)
	b.Status.LogClock -= (10 * days).Nanoseconds() // the partition has been silent since
	commit(t, w, b, stream.Applied)
	letPass(t, w, 9*days)
	keep := Keep{Requests: days, Correctable: 2 * days}
	expect(t, w, 0, "SELECT $1", retain(t, w, keep))
	keep.Correctable = 0
	letPass(t, w, 9*days)
	expect(t, w, 10, "SELECT $1", retain(t, w, keep))
}

// A failure in the middle takes nothing.
func TestRetentionIsAllOrNothing(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	oldWarehouse(t, mem, w)
	commits := ask(t, w, "SELECT max(commit) FROM commits")
	if _, err := w.db.Exec("ALTER TABLE retention RENAME COLUMN total TO away"); err != nil { // windows come last, and need it
		t.Fatal(err)
	}
	if _, err := w.Retain(context.Background(), keepADay); err == nil {
		t.Fatal("it went well")
	}
	expect(t, w, 10, "SELECT count(*) FROM requests")
	expect(t, w, 0, "SELECT count(*) FROM retention")
	expect(t, w, commits, "SELECT max(commit) FROM commits")
	if _, err := w.db.Exec("ALTER TABLE retention RENAME COLUMN away TO total"); err != nil {
		t.Fatal(err)
	}
	retainedAll(t, w)
}

var keepADay = Keep{Requests: days, Samples: days, Windows: [3]time.Duration{days, days, days}}

// oldWarehouse holds a batch that is old by both clocks.
func oldWarehouse(t *testing.T, mem memory.Allocator, w *Warehouse) {
	t.Helper()
	commit(t, w, dayBatch(mem, acquire(t, w, lane0), 0, noon, noon+10*day, 1), stream.Applied)
	rollup(t, w)
	letPass(t, w, 10*days)
}

func retainedAll(t *testing.T, w *Warehouse) {
	t.Helper()
	if retain(t, w, keepADay) == 0 {
		t.Error("nothing went")
	}
	expect(t, w, 0, "SELECT (SELECT count(*) FROM requests) + (SELECT count(*) FROM engine_samples) + (SELECT count(*) FROM request_windows WHERE level < 86400)")
	expect(t, w, 1, "SELECT sum(finished)::BIGINT FROM v1.request_windows WHERE level_seconds = 86400")
	everythingHolds(t, w, "50_windows")
}

// retainFolder, when set, makes the test binary remove what is old in the warehouse there.
const retainFolder = "INFERLAKE_TEST_RETAIN"

func retainThere(dir string) {
	w, err := Open(context.Background(), dir, Options{})
	exitOn(err)
	_, err = w.Retain(context.Background(), keepADay)
	exitOn(err)
	exitOn(w.Close())
}

// A process that dies when some tables are done has removed nothing.
func TestKilledInRetention(t *testing.T) {
	mem, dir := allocator(t), t.TempDir()
	w := open(t, dir)
	oldWarehouse(t, mem, w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), retainFolder+"="+dir, fmt.Sprint(fault.Variable, "=", fault.InRetention, ":", 3))
	if out, err := child.CombinedOutput(); err == nil || child.ProcessState.Exited() {
		t.Fatalf("the child was not killed: %v\n%s", err, out)
	}
	w = open(t, dir)
	expect(t, w, 10, "SELECT count(*) FROM requests")
	expect(t, w, 1, "SELECT count(*) FROM request_windows WHERE level = 10")
	expect(t, w, 0, "SELECT count(*) FROM retention")
	retainedAll(t, w)
}

// A sealed period reads the same to the byte after retention, as what is sealed stays, and which legs there were stays known;
// what is older goes, and so does the period once its seal is dropped.
func TestRetentionKeepsWhatIsSealed(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	lease := acquire(t, w, lane0)
	old := dayBatch(mem, lease, 0, noon-20*day, noon+40*day, 1)
	gateway := request(lane0, 10) // the only one of its role, and of two sources: v1.legs and v1.anomalies tell of it
	gateway["role"], gateway["finished_at"], gateway["received_at"], gateway["source"] = "gateway", noon-20*day+second, noon-20*day, "envoy"
	again := request(lane0, 11)
	again["role"], again["finished_at"], again["received_at"], again["source"] = "gateway", noon-20*day+second, noon-20*day, "nginx"
	old.Delta.Rows[0].Batch.Release()
	old.Delta.Rows[0], old.To = rowsOf(mem, aggregate.Requests, gateway, again), 12
	commit(t, w, old, stream.Applied)
	commit(t, w, dayBatch(mem, lease, 12, noon, noon+40*day, 2), stream.Applied)
	seal, err := w.Seal(t.Context(), november)
	if err != nil {
		t.Fatal(err)
	}
	was := sealedReports(t, w, seal)
	letPass(t, w, 30*days)
	if retain(t, w, keepADay) == 0 {
		t.Error("what is older than what is sealed stays")
	}
	expect(t, w, 10, "SELECT count(*) FROM requests")
	compact(t, w)
	for name, is := range sealedReports(t, w, seal) {
		if is != was[name] {
			t.Errorf("%s is\n%.2000s\nwas\n%.2000s", name, is, was[name])
		}
	}
	if now := rowsOfQuery(t, w, "SELECT counting_role FROM v1.legs"); fmt.Sprint(now) != "[[engine]]" {
		t.Errorf("the legs are now %v: nothing is tested", now)
	}
	if err := w.DropSeal(t.Context(), seal.Name); err != nil {
		t.Fatal(err)
	}
	retain(t, w, keepADay)
	expect(t, w, 0, "SELECT count(*) FROM requests")
	everythingHolds(t, w, "50_windows")
}

// The seal of a job holds nothing back.
func TestRetentionPassesOverSealsOfJobs(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	commit(t, w, dayBatch(mem, acquire(t, w, lane0), 0, noon, noon+40*day, 1), stream.Applied)
	note := func(state string) {
		t.Helper()
		if err := w.Put(t.Context(), "insert_job_run", "monthly", "2022-01", november.From.UnixMicro(), november.To.UnixMicro(), "UTC", state, 1, 0, "", november.Name, []string{}); err != nil {
			t.Fatal(err)
		}
	}
	note("running")
	if _, err := w.Seal(t.Context(), november); err != nil {
		t.Fatal(err)
	}
	letPass(t, w, 30*days)
	note("done")
	if retain(t, w, keepADay) == 0 {
		t.Error("what a job sealed stays")
	}
	expect(t, w, 0, "SELECT count(*) FROM requests")
}

// sealedReports is every report of the sealed period, and what it says of legs and anomalies.
func sealedReports(t *testing.T, w *Warehouse, seal Seal) map[string]string {
	t.Helper()
	at := func(query string, args map[string]any) (Result, error) {
		return w.QueryAt(t.Context(), seal.Name, query, args)
	}
	all := map[string]string{}
	for _, report := range text.Reports() {
		_, args := questionOf(t, report, nil)
		for name, value := range map[string]time.Time{"from": seal.From, "to": seal.To} {
			if _, takes := args[name]; takes {
				args[name] = value
			}
		}
		all[report.Name] = answerOf(t, at, report.Query, args)
	}
	for _, view := range []string{"legs", "anomalies", "completeness"} {
		all[view] = answerOf(t, at, "SELECT * FROM v1."+view+" ORDER BY ALL", nil)
	}
	return all
}

// What a seal copies of a view has the view's columns.
func TestSealedAnswersHaveTheirColumns(t *testing.T) {
	w := open(t, t.TempDir())
	for _, view := range []string{"legs", "anomalies"} {
		expect(t, w, 0, `SELECT count(*) FROM duckdb_columns() v FULL JOIN (FROM duckdb_columns() WHERE schema_name = 'main' AND column_name <> 'seal' AND table_name = $1) c
			USING (database_name, column_name, data_type)
			WHERE v.database_name = current_database() AND v.schema_name = 'v1' AND v.table_name = $2 AND c.table_name IS NULL`, "sealed_"+view, view)
	}
}
