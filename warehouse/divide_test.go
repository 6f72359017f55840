package warehouse_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	text "github.com/inferlake/inferlake/sql"
	"github.com/inferlake/inferlake/warehouse"
)

// Of random fleets with parts of GPUs, restarts, preemptions and rows that come late: what is held is startup, busy, idle and down, to
// the nanosecond; what requests are charged with what nobody used is the bill; and it is the same, parts of requests to 100 µs, when
// the rows come in another order.
func TestTimeAndMoneyDivide(t *testing.T) {
	for seed := range uint64(10) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			f := newRandomFleet(rand.New(rand.NewPCG(seed, 6)))
			inParts, atOnce := openViews(t), openViews(t)
			f.load(t, inParts, 3)
			f.load(t, atOnce, 1)
			for _, db := range []*sql.DB{inParts, atOnce} {
				f.checkTime(t, db)
				f.checkMoney(t, db)
				f.checkRequests(t, db)
				checkPrices(t, db)
			}
			compareAttributed(t, inParts, atOnce)
		})
	}
}

// fleetFrom is where the time of random fleets begins; a price changes in the middle of a quarter of an hour.
var (
	fleetFrom  = time.Date(2026, 3, 1, 10, 2, 0, 0, time.UTC)
	fleetUntil = fleetFrom.Add(3 * time.Hour)
	fleetPrice = []struct {
		kind     string
		from, to time.Time
		usd      *big.Rat
	}{
		{"h", fleetFrom.AddDate(-1, 0, 0), fleetFrom.Add(67*time.Minute + 1234567*time.Microsecond), big.NewRat(2951234567891, 1e12)},
		{"h", fleetFrom.Add(67*time.Minute + 1234567*time.Microsecond), fleetUntil.AddDate(1, 0, 0), big.NewRat(317, 100)},
		{"a", fleetFrom.AddDate(-1, 0, 0), fleetUntil.AddDate(1, 0, 0), big.NewRat(1, 3e6)},
	}
)

// fleetBoot is one life of an instance: it holds its GPUs until the next begins or it says that it stopped.
type fleetBoot struct {
	instance, boot, kind string
	ppm                  []int64 // of the GPUs that it has a part of
	ranks                int
	begun, ready, ended  time.Time
	stops                bool
}

type randomFleet struct {
	boots []fleetBoot
	rows  []fleetRow
	ids   []string // of requests
}

// fleetRow is a row and by when it comes at the earliest: rows of one request come together.
type fleetRow struct {
	table, columns, values string
	round                  int    // 0, 1 or 2
	key                    string // of a request
	revises                bool   // the round before knew of it, but not what became of it
}

func newRandomFleet(r *rand.Rand) *randomFleet {
	f := &randomFleet{}
	for i := range 3 + r.IntN(3) {
		f.addInstance(r, i)
	}
	return f
}

// addInstance lets an instance live a few times: some lives end in silence, and some are nothing but startup.
func (f *randomFleet) addInstance(r *rand.Rand, i int) {
	slices7 := []int64{142_857, 285_714, 428_571, 571_428, 1_000_000}
	b := fleetBoot{instance: fmt.Sprint("i", i), kind: []string{"h", "a"}[r.IntN(2)], ranks: 1 + r.IntN(2)}
	for range 1 + r.IntN(3) {
		b.ppm = append(b.ppm, slices7[r.IntN(len(slices7))])
	}
	at := fleetFrom.Add(micros(r, 40*time.Minute))
	for life := 0; at.Before(fleetUntil) && life < 5; life++ {
		b.boot, b.begun, b.stops = fmt.Sprint("b", life), at, r.IntN(2) == 0
		b.ready = b.begun.Add(micros(r, 10*time.Minute))
		b.ended = b.ready.Add(micros(r, 80*time.Minute))
		if b.ended.After(fleetUntil) {
			b.stops, b.ended = false, fleetUntil
		}
		at = b.ended
		if b.stops {
			at = b.ended.Add(micros(r, 20*time.Minute))
		}
		f.boots = append(f.boots, b)
		f.addBoot(r, b)
	}
	if last := &f.boots[len(f.boots)-1]; !last.stops {
		last.ended = fleetUntil // nobody came after it
	}
}

func micros(r *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(r.Int64N(most.Microseconds())) * time.Microsecond
}

func (f *randomFleet) addBoot(r *rand.Rand, b fleetBoot) {
	round := func() int { return r.IntN(3) }
	if r.IntN(2) == 0 { // what is said of it comes in order, life by life
		round = func() int { return min(int(b.boot[1]-'0'), 2) }
	}
	event := func(at time.Time, state string) {
		f.rows = append(f.rows, fleetRow{"instance_events", "instance, boot, \"at\", state, model, gpu_type, gpu_shares_ppm, role",
			fmt.Sprintf("'%s', '%s', %s, '%s', 'm', '%s', %s, 'engine'", b.instance, b.boot, stampOf(at), state, b.kind, strings.ReplaceAll(fmt.Sprint(b.ppm), " ", ", ")), round(), "", false})
	}
	event(b.begun, "starting")
	event(b.ready, "ready")
	if b.stops {
		event(b.ended, "stopped")
	} else { // it goes silent before the next one begins
		f.rows = append(f.rows, fleetRow{"producer_coverage", "instance, boot, producer, last_at", fmt.Sprintf("'%s', '%s', 'p', %s", b.instance, b.boot,
			stampOf(b.ready.Add(micros(r, max(time.Second, b.ended.Sub(b.ready)))))), round(), "", false})
	}
	steps := r.IntN(2) == 0
	for at := b.ready; steps && at.Before(b.ended); at = at.Add(micros(r, 4*time.Minute)) {
		f.rows = append(f.rows, fleetRow{"step_runs", "instance, dp_index, boot, \"at\", rank_index, passes, wall_ns, prefill_tokens, prefill_context_twice, prefill_sequences, decode_sequences, decode_tokens, kv_tokens_read",
			fmt.Sprintf("'%s', %d, '%s', %s, 0, %d, %d, %d, %d, %d, %d, %d, %d", b.instance, r.IntN(b.ranks), b.boot, stampOf(at), 1+r.IntN(500),
				1+r.Int64N(int64(3*time.Minute)), r.IntN(9000), r.IntN(1e6), r.IntN(4), r.IntN(4000), r.IntN(4000), r.IntN(1e7)), round(), "", false})
	}
	most := []int{3, 60}[r.IntN(2)] // where little happens nothing but what is told of the boot makes a quarter anew
	for range r.IntN(most) {
		f.addRequest(r, b)
	}
}

// addRequest has some requests of before the instance was ready or after it ended: clocks and engines do that.
func (f *randomFleet) addRequest(r *rand.Rand, b fleetBoot) {
	id, round := fmt.Sprint("r", len(f.ids)), r.IntN(3)
	f.ids = append(f.ids, id)
	begun := b.begun.Add(micros(r, max(time.Second, b.ended.Sub(b.begun)+time.Minute)))
	first := begun.Add(micros(r, time.Minute))
	last := first.Add(micros(r, 25*time.Minute))
	rank, preempted := r.IntN(b.ranks), r.IntN(3)
	scheduled, token, outcome := stampOf(begun), stampOf(first), "ok"
	switch r.IntN(8) {
	case 0:
		scheduled = "NULL"
	case 1:
		token, outcome = "NULL", "error"
	case 2:
		outcome = "lost"
	}
	f.rows = append(f.rows, fleetRow{"requests", `topic, partition, lineage, "offset", idx, request_id, instance, dp_index, boot, role, model, tenant, outcome, received_at, scheduled_at,
		first_token_at, last_token_at, finished_at, prompt_tokens, cached_local_tokens, output_tokens, drafted_tokens, accepted_tokens, preemptions`,
		fmt.Sprintf("'t', 0, 1, %d, 0, '%s', '%s', %d, '%s', 'engine', 'm', %d, '%s', %s, %s, %s, %s, %s, %d, %d, %d, %d, %d, %d", len(f.ids), id, b.instance, rank, b.boot, r.IntN(4), outcome,
			stampOf(begun.Add(-micros(r, time.Minute))), scheduled, token, stampOf(last), stampOf(last.Add(micros(r, time.Second))),
			r.IntN(5000), r.IntN(3000), r.IntN(900), r.IntN(500), r.IntN(500), preempted), round, fmt.Sprintf("request_id = '%s'", id), r.IntN(4) == 0})
	for k, at := 1, begun; k <= preempted; k++ {
		for _, phase := range []string{"preempted", "scheduled"} {
			at = at.Add(micros(r, 8*time.Minute))
			f.rows = append(f.rows, fleetRow{"request_marks", `instance, dp_index, boot, role, "at", request_id, phase, occurrence, prefilled_tokens`,
				fmt.Sprintf("'%s', %d, '%s', 'engine', %s, '%s', '%s', %d, %d", b.instance, rank, b.boot, stampOf(at), id, phase, k+len(phase)-len("preempted"), r.IntN(5000)), round, "", false})
		}
	}
}

func stampOf(at time.Time) string { return at.UTC().Format("'2006-01-02 15:04:05.000000'") }

// load puts the rows in, in so many rounds, and attributes after each; time goes on with the rounds.
func (f *randomFleet) load(t *testing.T, db *sql.DB, rounds int) {
	t.Helper()
	for _, p := range fleetPrice {
		exec(t, db, fmt.Sprintf("INSERT INTO prices (gpu_type, valid_from, valid_to, usd_per_hour) VALUES ('%s', %s, %s, %s)", p.kind, stampOf(p.from), stampOf(p.to), p.usd.FloatString(12)))
	}
	exec(t, db, `INSERT INTO fits (fit, source, model, gpu_type, pass_fs, prompt_token_fs, prompt_context_fs, decode_sequence_fs, kv_token_fs, commit)
		VALUES (1, 'steps', 'm', 'h', 9000000000000, 30000000000, 2000000, 40000000000, 150000000, 1)`)
	exec(t, db, "INSERT INTO progress (topic, partition) VALUES ('t', 0)")
	for round := range rounds {
		values := map[string][]string{}
		for _, row := range f.rows {
			at := row.round * rounds / 3
			if at == round || row.revises && at == round+1 {
				into := fmt.Sprintf("INSERT INTO %s (%s, commit) VALUES ", row.table, row.columns)
				values[into] = append(values[into], fmt.Sprintf("(%s, %d)", row.values, round+1))
			}
			if at == round && row.revises {
				exec(t, db, "DELETE FROM requests WHERE "+row.key)
			}
		}
		for into, v := range values {
			exec(t, db, into+strings.Join(v, ", "))
		}
		for _, row := range f.rows {
			if row.revises && row.round*rounds/3 == round+1 {
				exec(t, db, "UPDATE requests SET outcome = 'lost', output_tokens = output_tokens // 2, last_token_at = last_token_at - INTERVAL 20 MINUTE, finished_at = finished_at - INTERVAL 20 MINUTE WHERE "+row.key)
			}
		}
		through := fleetFrom.Add(fleetUntil.Sub(fleetFrom) * time.Duration(round+1) / time.Duration(rounds))
		exec(t, db, fmt.Sprintf("UPDATE progress SET complete_through = %d", through.UnixNano()))
		f.attribute(t, db, int64(round+1), round == rounds-1)
	}
}

func (f *randomFleet) attribute(t *testing.T, db *sql.DB, until int64, partial bool) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := warehouse.AttributeOn(t.Context(), conn, until, partial); err != nil {
		t.Fatal(err)
	}
}

// checkTime compares what is held with the lives of the instances.
func (f *randomFleet) checkTime(t *testing.T, db *sql.DB) {
	t.Helper()
	want := map[string]int64{} // millionths of a GPU times µs
	for _, b := range f.boots {
		if b.ended.After(b.begun) {
			want[b.instance+" "+b.boot] += sumOf(b.ppm) * b.ended.Sub(b.begun).Microseconds()
		}
	}
	got := map[string]int64{}
	rows, err := db.Query("SELECT concat_ws(' ', instance, boot), sum(held_ns // 1000 * gpus_ppm)::BIGINT, bool_and(startup_ns + busy_ns + idle_ns + down_ns = held_ns AND least(startup_ns, busy_ns, idle_ns, down_ns, unattributed_ns) >= 0 AND held_ns % 1000 = 0) FROM allocations GROUP BY ALL")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var life string
		var held int64
		var divides bool
		if err := rows.Scan(&life, &held, &divides); err != nil {
			t.Fatal(err)
		}
		if got[life] = held; !divides {
			t.Errorf("%s: startup, busy, idle and down are not what is held", life)
		}
	}
	for life, held := range want {
		if got[life] != held {
			t.Errorf("%s: %d ppm·µs are allocated, %d were held", life, got[life], held)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d lives are allocated, there were %d", len(got), len(want))
	}
}

func sumOf(numbers []int64) (sum int64) {
	for _, n := range numbers {
		sum += n
	}
	return sum
}

// checkMoney compares what is charged with hours times prices: to half a picodollar for each end of a quarter, rank and price.
func (f *randomFleet) checkMoney(t *testing.T, db *sql.DB) {
	t.Helper()
	want := new(big.Rat)
	for _, b := range f.boots {
		for _, p := range fleetPrice {
			from, to := slices.MaxFunc([]time.Time{b.begun, p.from}, time.Time.Compare), slices.MinFunc([]time.Time{b.ended, p.to}, time.Time.Compare)
			if p.kind == b.kind && to.After(from) {
				hours := new(big.Rat).SetFrac64(to.Sub(from).Microseconds(), time.Hour.Microseconds())
				hours.Mul(hours, big.NewRat(sumOf(b.ppm), 1e6))
				price, _ := new(big.Rat).SetString(p.usd.FloatString(12))
				want.Add(want, hours.Mul(hours, price))
			}
		}
	}
	var paid, charged string
	var rows int64
	err := db.QueryRow(`SELECT (SELECT sum(usd) FROM v1.allocations)::VARCHAR, (SELECT count(*) FROM allocations),
		((SELECT sum(startup_usd + idle_usd + down_usd + unattributed_usd) FROM v1.allocations) + (SELECT coalesce(sum(prefill_usd + cached_usd + decode_usd), 0) FROM v1.charges))::VARCHAR`).Scan(&paid, &rows, &charged)
	if err != nil {
		t.Fatal(err)
	}
	if paid != charged {
		t.Errorf("%s USD are paid, charges and what nobody used come to %s", paid, charged)
	}
	off := new(big.Rat).Sub(ratOf(t, paid), want)
	if off.Abs(off).Cmp(big.NewRat(2*rows, 1e12)) > 0 {
		t.Errorf("%s USD are paid for hours that cost %s", paid, want.FloatString(12))
	}
}

// checkPrices asks that prices of tokens times tokens are what was used, and that the rows of the report are the bill.
func checkPrices(t *testing.T, db *sql.DB) {
	t.Helper()
	report, err := text.Find("cost_per_token")
	if err != nil {
		t.Fatal(err)
	}
	const sums = `SELECT sum(usd)::VARCHAR, (SELECT sum(usd) FROM v1.allocations)::VARCHAR, sum(used_usd)::DOUBLE,
		sum((usd_per_million_input_tokens * uncached_tokens + usd_per_million_cached_tokens * cached_tokens + usd_per_million_output_tokens * output_tokens) / 1e6)
		FROM (`
	for _, by := range []string{"all", "gpu_type", "day"} {
		var rows, bill string
		var used, priced float64
		query := sums + strings.TrimRight(report.Query, "; \n") + ")"
		err := db.QueryRow(query, sql.Named("from", nil), sql.Named("to", nil), sql.Named("by", by), sql.Named("zone", "UTC")).Scan(&rows, &bill, &used, &priced)
		if err != nil {
			t.Fatal(err)
		}
		if rows != bill || used <= 0 || math.Abs(priced/used-1) > 1e-9 {
			t.Errorf("by %s: the rows come to %s USD of %s, prices times tokens to %g of %g used", by, rows, bill, priced, used)
		}
	}
}

// checkRequests compares the parts of requests with the sums.
func (f *randomFleet) checkRequests(t *testing.T, db *sql.DB) {
	t.Helper()
	var busy, parts, sums, charged int64
	var least sql.NullInt64
	err := db.QueryRow(`SELECT (SELECT sum(busy_ns - unattributed_ns) FROM allocations)::BIGINT,
		(SELECT coalesce(sum(prefill_ns + cached_ns + decode_ns), 0) FROM request_gpu_time)::BIGINT, (SELECT min(least(prefill_ns, cached_ns, decode_ns)) FROM request_gpu_time),
		(SELECT coalesce(sum(prefill_ns + cached_ns + decode_ns), 0) FROM charges)::BIGINT, (SELECT coalesce(sum(requests), 0) FROM charges)::BIGINT`).Scan(&busy, &parts, &least, &sums, &charged)
	if err != nil {
		t.Fatal(err)
	}
	if busy != parts || parts != sums || least.Int64 < 0 || parts == 0 {
		t.Errorf("%d ns busy for requests, %d in their parts (least %d), %d in their sums", busy, parts, least.Int64, sums)
	}
	if charged == 0 || charged > int64(len(f.ids)) {
		t.Errorf("%d requests are charged, there were %d", charged, len(f.ids))
	}
}

// sumsAreRough are ns by which parts may differ with what else is attributed at once: they are differences of running sums.
const sumsAreRough = 100_000

// compareAttributed asks that two databases say the same.
func compareAttributed(t *testing.T, one, other *sql.DB) {
	t.Helper()
	for table, rough := range map[string]string{
		"allocations":      "unattributed_ns",
		"request_gpu_time": "prefill_from_ns, prefill_ns, cached_from_ns, cached_ns, decode_from_ns, decode_ns",
		"charges":          "prefill_from_ns, prefill_ns, cached_from_ns, cached_ns, decode_from_ns, decode_ns, after_gone_ns, recomputed_ns, rejected_draft_ns",
	} {
		a, b := attributedRows(t, one, table, rough), attributedRows(t, other, table, rough)
		for key := range b {
			if _, ok := a[key]; !ok {
				t.Errorf("%s: %s is there only when all rows come at once", table, key)
			}
		}
		for key, parts := range a {
			if wanted, ok := b[key]; !ok || !slices.EqualFunc(parts, wanted, aboutEqual) {
				t.Errorf("%s: %s has %d ns when rows come late, %d at once", table, key, parts, wanted)
			}
		}
	}
}

func aboutEqual(a, b int64) bool { return max(a-b, b-a) <= sumsAreRough }

// attributedRows are the rough numbers by all others.
func attributedRows(t *testing.T, db *sql.DB, table, rough string) map[string][]int64 {
	t.Helper()
	rows, err := db.Query(fmt.Sprintf("SELECT to_json(k)::VARCHAR, [%[1]s]::BIGINT[]::VARCHAR FROM (SELECT * EXCLUDE (commit, %[1]s) FROM %[2]s) k POSITIONAL JOIN %[2]s", rough, table))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string][]int64{}
	for rows.Next() {
		var key, parts string
		if err := rows.Scan(&key, &parts); err != nil {
			t.Fatal(err)
		}
		var numbers []int64
		if err := json.Unmarshal([]byte(parts), &numbers); err != nil {
			t.Fatal(err)
		}
		all[key] = numbers
	}
	return all
}
