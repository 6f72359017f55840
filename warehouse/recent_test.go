package warehouse

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
)

// both is what a dashboard adds up: the windows that were written, and the last seconds from facts.
const both = `(SELECT * FROM v1.request_windows UNION ALL BY NAME SELECT * FROM v1.recent_request_windows)`

// atMoment are the measures that are booked at their moment, as SQL.
func atMoment() string {
	var names []string
	for _, m := range aggregate.Measures {
		if m.Booking == aggregate.AtMoment {
			names = append(names, m.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Rule 15: whatever the watermarks, with late events, revisions, flushes and too many windows, the two views together
// count no request twice; on a plain day, the first, they miss none; and in the end the windows say what the facts say.
func TestRecentWindowsCountNothingTwice(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { recentDay(t, seed) })
	}
}

func recentDay(t *testing.T, seed uint64) {
	mem, w := allocator(t), open(t, t.TempDir())
	random := rand.New(rand.NewPCG(seed, 15))
	rules := aggregate.Rules{MaxWindows: []int{200_000, 3}[seed%2]}
	plain, late := seed == 0, seed >= 2
	partitions := []*folded{foldInto(t, mem, w, 0, rules), foldInto(t, mem, w, 1, rules)}
	clocks := []int64{noon, noon + 37*second}
	sawRecent := false
	for n := range 90 {
		p := random.IntN(2)
		f := partitions[p]
		clocks[p] += random.Int64N(6 * second)
		f.take(clocks[p], recentEvent(random, n, clocks[p], late))
		if !plain && random.IntN(25) == 0 {
			f.flush()
		}
		if random.IntN(2) == 0 {
			f.commit()
		}
		if random.IntN(6) > 0 {
			continue
		}
		if !late { // a later end moves a request to another window, when windows are written next
			expect(t, w, 0, `SELECT count(*) FROM (SELECT window_start, sum(finished) AS n FROM `+both+` WHERE level_seconds = 10 GROUP BY ALL) b
				LEFT JOIN (SELECT v1.window_of(10, finished_at) AS window_start, count(*) AS n FROM requests GROUP BY ALL) f USING (window_start)
				WHERE b.n > coalesce(f.n, 0)`)
		}
		for _, level := range Levels {
			facts := ask(t, w, "SELECT count(*) FROM requests")
			have := ask(t, w, "SELECT coalesce(sum(finished), 0)::BIGINT FROM "+both+" WHERE level_seconds = $1", level)
			if have > facts || have < facts && plain {
				t.Fatalf("event %d: windows of %d s and the last seconds have %d requests, there are %d", n, level, have, facts)
			}
		}
		sawRecent = sawRecent || ask(t, w, "SELECT count(*) FROM v1.recent_request_windows") > 0
		if random.IntN(5) == 0 {
			rollup(t, w)
		}
	}
	if !sawRecent {
		t.Error("nothing was ever recent: nothing is tested")
	}
	for _, f := range partitions {
		f.flush()
		f.commit()
	}
	expect(t, w, 0, "SELECT count(*) FROM v1.recent_request_windows")
	sameAsFacts(t, w)
}

// sameAsFacts holds the windows to the facts, in every measure that is booked at its moment: the view of the last seconds shows
// all facts where it is not known that a window was written.
func sameAsFacts(t *testing.T, w *Warehouse) {
	t.Helper()
	if _, err := w.db.Exec("UPDATE progress SET windows_through = NULL"); err != nil {
		t.Fatal(err)
	}
	some := "greatest(" + atMoment() + ") > 0"
	for _, level := range Levels {
		query := fmt.Sprintf("SELECT window_start, role, instance, model, model_version, adapter, request_class, %s FROM v1.%%s WHERE level_seconds = %d AND %s", atMoment(), level, some)
		windows, facts := fmt.Sprintf(query, "request_windows"), fmt.Sprintf(query, "recent_request_windows")
		expect(t, w, 0, fmt.Sprintf("SELECT count(*) FROM ((%s EXCEPT %s) UNION ALL (%s EXCEPT %s))", windows, facts, facts, windows))
		if ask(t, w, "SELECT count(*) FROM ("+facts+")") == 0 {
			t.Error("there are no facts: nothing is tested")
		}
	}
}

// recentEvent is a request that ended now; one of ten is late, one of ten corrects what was told of an earlier one.
func recentEvent(random *rand.Rand, n int, now int64, late bool) stream.Event {
	finished := now - random.Int64N(3*second)
	if late && random.IntN(10) == 0 {
		finished -= 40 * second
	}
	e := ended(fmt.Sprint("r", n), finished-random.Int64N(25*second), finished)
	switch random.IntN(10) {
	case 0:
		e.SetInt(stream.RequestOutcome, int64(stream.OutcomeError))
		e.SetInt(stream.RequestHTTPStatus, 500)
	case 1:
		e.SetInt(stream.RequestClientGoneUnixNano, finished-second)
		e.SetInt(stream.RequestOutcome, int64(stream.OutcomeCancelled))
		e.SetInt(stream.RequestHTTPStatus, 499)
	case 2:
		e.SetInt(stream.RequestPreemptions, 2)
		e.SetInt(stream.RequestCachedLocalTokens, 7)
	case 3:
		if late {
			e.SetText(stream.RequestRequestID, fmt.Sprint("r", n-1)) // told again: greater counts and later ends win
		}
	}
	return e
}

// The view has the measures that are booked at their moment, under the keys of windows, and no other.
func TestRecentWindowsHaveTheMeasures(t *testing.T) {
	w := open(t, t.TempDir())
	columns := func(view string) string {
		var names []string
		err := each(t.Context(), w.db, "SELECT column_name FROM duckdb_columns() WHERE schema_name = 'v1' AND table_name = $1 ORDER BY column_index", []any{view}, func(scan scanner) error {
			var name string
			err := scan(&name)
			names = append(names, name)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(names, ", ")
	}
	want := "level_seconds, window_start, role, instance, model, model_version, adapter, request_class, " + atMoment()
	if got := columns("recent_request_windows"); got != want || !strings.HasPrefix(columns("request_windows"), want) {
		t.Errorf("v1.recent_request_windows has %s, want %s", got, want)
	}
}

// Rule 10: a lane that the fold had to forget says so, however commits were cut, and its repeats count again.
func TestForgottenLanesAreShown(t *testing.T) {
	var said []string
	for _, every := range []int{1, 3, 1000} {
		mem, w := allocator(t), open(t, t.TempDir())
		f := foldInto(t, mem, w, 0, aggregate.Rules{MaxLanes: 10})
		send := func(producer string, seq int64) {
			e := ended(fmt.Sprint(producer, "-", seq), noon+f.next*second, noon+f.next*second)
			e.SetText(stream.EventProducer, producer)
			e.SetText(stream.EventSource, "vllm")
			e.SetInt(stream.EventSeq, seq)
			f.take(noon+f.next*second, e)
			if f.next%int64(every) == 0 {
				f.commit()
			}
		}
		for seq := range int64(5) {
			send("p", seq)
		}
		send("p", 4) // a repeat, and known as one
		for other := range 10 {
			send(fmt.Sprint("q", other), 0)
		}
		send("p", 4) // a repeat again, known no longer
		send("p", 5)
		f.flush()
		f.commit()
		if err := w.Compact(t.Context(), 1<<60); err != nil {
			t.Fatal(err)
		}
		said = append(said, fmt.Sprint(rowsOfQuery(t, w, "SELECT producer, received, duplicates, missing, repeats_recognised FROM v1.producers WHERE producer < 'q2' ORDER BY ALL"),
			rowsOfQuery(t, w, "SELECT reason, parts FROM v1.evictions ORDER BY ALL"),
			rowsOfQuery(t, w, "SELECT lanes_forgotten, completeness_ratio, duplicates, topic_evicted FROM v1.completeness")))
	}
	const want = "[[p 7 1 <nil> false] [q0 1 0 0 false] [q1 1 0 0 true]] [[lane 2]] [[2 <nil> 1 2]]"
	for _, s := range said {
		if s != want {
			t.Errorf("said is\n%s, want\n%s", s, want)
		}
	}
}

func rowsOfQuery(t *testing.T, w *Warehouse, query string) [][]any {
	t.Helper()
	r, err := w.Query(t.Context(), query, nil)
	if err != nil {
		t.Fatal(query, err)
	}
	return r.Rows
}
