package warehouse_test

import (
	"database/sql"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
)

func TestFlagNames(t *testing.T) {
	db := openViews(t)
	for bit, want := range aggregate.FlagNames {
		var names string
		var mask int64
		query := "SELECT array_to_string(v1.flag_names(?::BIGINT), ','), v1.flag_bit(?)"
		if err := db.QueryRow(query, int64(1)<<bit, want).Scan(&names, &mask); err != nil {
			t.Fatal(err)
		}
		if names != want || mask != 1<<bit {
			t.Errorf("bit %d is %q with mask %d in sql/macros/20_flags.sql, %q in aggregate/flags.go", bit, names, mask, want)
		}
	}
	var n int
	if err := db.QueryRow("SELECT len(v1.all_flag_names())").Scan(&n); err != nil || n != len(aggregate.FlagNames) {
		t.Errorf("%d flags in SQL, %d in aggregate %v", n, len(aggregate.FlagNames), err)
	}
}

// TestMeasuresHaveColumns holds v1.request_windows to aggregate/measures.go.
func TestMeasuresHaveColumns(t *testing.T) {
	columns := columnsOf(t, openViews(t), "request_windows")
	for _, m := range aggregate.Measures {
		name := m.Name
		if m.Unit == "ns" {
			name = strings.TrimSuffix(name, "_ns") + "_seconds"
		}
		if !slices.Contains(columns, name) {
			t.Errorf("v1.request_windows has no %s: add it to sql/schema", name)
		}
	}
}

// TestGaugesAndCountersHaveColumns holds the wide window views to the contract: a gauge fills three columns, a counter one.
func TestGaugesAndCountersHaveColumns(t *testing.T) {
	db := openViews(t)
	for kind, tables := range map[stream.Kind][2]*aggregate.Table{
		stream.KindEngine: {aggregate.EngineSamples, aggregate.EngineWindows}, stream.KindGPU: {aggregate.GPUSamples, aggregate.GPUWindows},
		stream.KindNode: {aggregate.NodeSamples, aggregate.NodeWindows}, stream.KindKube: {aggregate.KubeSamples, aggregate.KubeWindows},
	} {
		samples, windows := tables[0], tables[1]
		fields := stream.FieldsOf(kind)
		columns := samples.Columns[len(samples.Columns)-len(fields):]
		before := filled(t, db, windows, "nothing")
		for i, f := range fields {
			want := map[stream.Merge]int{stream.Gauge: 3, stream.Counter: 1}[stream.Fields[f].Merge]
			if want == 0 {
				continue
			}
			if got := filled(t, db, windows, strings.TrimSuffix(columns[i].Name, "_total")) - before; got != want {
				t.Errorf("%s fills %d columns of v1.%s, want %d", columns[i].Name, got, windows.Name, want)
			}
		}
	}
}

// filled counts the columns that are not NULL when one gauge or counter is known.
func filled(t *testing.T, db *sql.DB, windows *aggregate.Table, measure string) int {
	t.Helper()
	exec(t, db, "DELETE FROM "+windows.Name)
	known := ""
	for _, c := range windows.Columns {
		if rest, ok := strings.CutPrefix(c.Name, measure+"_"); ok && slices.Contains([]string{"value_ns", "observed_ns", "min", "max", "increase"}, rest) {
			known += ", 5 AS " + c.Name
		}
	}
	exec(t, db, fmt.Sprintf(`INSERT INTO %s BY NAME
		SELECT TIMESTAMP_NS '2026-01-01' AS window_start, 10 AS level, 1 AS samples, 1 AS "commit"%s`, windows.Name, known))
	return nonNull(t, db, "SELECT * FROM v1."+windows.Name+" WHERE level_seconds = 10")
}

func nonNull(t *testing.T, db *sql.DB, query string) (n int) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, _ := rows.Columns()
	for rows.Next() {
		values, pointers := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			pointers[i] = &values[i]
		}
		if err := rows.Scan(pointers...); err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			if v != nil {
				n++
			}
		}
	}
	return n
}

func columnsOf(t *testing.T, db *sql.DB, view string) (names []string) {
	t.Helper()
	rows, err := db.Query("SELECT column_name FROM duckdb_columns() WHERE schema_name = 'v1' AND table_name = ? ORDER BY column_index", view)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// TestViewsAreSane stores impossible values and looks for NaN, Inf and negative times in the view (I8).
func TestViewsAreSane(t *testing.T) {
	db := openViews(t)
	for _, ns := range []string{"NULL", "-1", "0", "1", "-9223372036854775808", "9223372036854775807"} {
		for _, tokens := range []string{"NULL", "0", "1", "2"} {
			exec(t, db, fmt.Sprintf(`INSERT INTO requests BY NAME SELECT 'engine' AS "role", 'ok' AS outcome, %[1]s AS ttft_ns, %[1]s AS queue_ns,
				%[1]s AS rest_ns, %[1]s AS prefill_ns, %[1]s AS decode_ns, %[1]s AS e2e_ns, %[1]s AS measured_tokenize_ns, %[2]s AS output_tokens,
				%[2]s AS prompt_tokens, 5 AS cached_local_tokens, TIMESTAMP_NS '2026-01-01' AS finished_at, 1 AS "commit"`, ns, tokens))
		}
	}
	for _, column := range columnsOf(t, db, "requests") {
		if !strings.HasSuffix(column, "_seconds") {
			continue
		}
		var bad int
		query := fmt.Sprintf("SELECT count(*) FROM v1.requests WHERE isnan(%[1]s) OR isinf(%[1]s) OR %[1]s < 0", column)
		if err := db.QueryRow(query).Scan(&bad); err != nil || bad > 0 {
			t.Errorf("%s: %d rows are NaN, infinite or negative %v", column, bad, err)
		}
	}
	var over int
	if err := db.QueryRow("SELECT count(*) FROM v1.requests WHERE cached_tokens > prompt_tokens").Scan(&over); err != nil || over > 0 {
		t.Errorf("%d rows have more cached than prompt tokens %v", over, err)
	}
}

// TestPercentiles holds the sketches' percentiles to the exact nearest rank on random sets: within 1 %, never falling (W34),
// the same merged from two deltas as from one list.
func TestPercentiles(t *testing.T) {
	db := openViews(t)
	random := rand.New(rand.NewPCG(1, 2))
	var sets [][]int64
	var values []string
	for set := range 1000 {
		sets = append(sets, randomSet(random))
		for half, part := range [][]int64{sets[set][:len(sets[set])/2], sets[set][len(sets[set])/2:]} {
			values = append(values, sketchRow(set, half, part))
		}
	}
	exec(t, db, `INSERT INTO request_sketches (instance, window_start, level, measure, n, zero, total, min, max, idx, cnt, "commit") VALUES `+strings.Join(values, ", "))
	rows, err := db.Query(`SELECT p.key::BIGINT, p.n, p.p50, p.p90, p.p95, p.p99, p.p999,
			v1.sketch_quantile(s.idx, s.cnt, s.zero, s.min, s.max, 0.5), v1.sketch_quantile(s.idx, s.cnt, s.zero, s.min, s.max, 0.999)
		FROM v1.sketch_percentiles(instance, TRUE, 60, NULL, NULL) p
		JOIN v1.request_sketches s ON s.instance = p.key AND s.level_seconds = 60`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	seen := 0
	for ; rows.Next(); seen++ {
		var set, n, one50, one999 int64
		p := make([]int64, 5)
		if err := rows.Scan(&set, &n, &p[0], &p[1], &p[2], &p[3], &p[4], &one50, &one999); err != nil {
			t.Fatal(err)
		}
		checkPercentiles(t, sets[set], n, p)
		if one50 != p[0] || one999 != p[4] {
			t.Errorf("set %d: sketch_quantile says %d and %d, sketch_percentiles %d and %d", set, one50, one999, p[0], p[4])
		}
	}
	if seen != len(sets) {
		t.Errorf("%d sets came back of %d", seen, len(sets))
	}
}

func randomSet(random *rand.Rand) []int64 {
	set := make([]int64, 1+random.IntN(200))
	scale := []float64{10, 1e3, 1e7, 1e11}[random.IntN(4)]
	for i := range set {
		if random.IntN(10) > 0 {
			set[i] = int64(random.ExpFloat64() * scale)
		}
	}
	return set
}

func sketchRow(set, half int, part []int64) string {
	counts := map[int64]int64{}
	var zero, total int64
	for _, v := range part {
		total += v
		if v == 0 {
			zero++
			continue
		}
		counts[bucket(v)]++
	}
	var idx []int64
	for b := range counts {
		idx = append(idx, b)
	}
	slices.Sort(idx)
	var cnt []int64
	for _, b := range idx {
		cnt = append(cnt, counts[b])
	}
	least, greatest := "NULL", "NULL"
	if len(part) > 0 {
		least, greatest = fmt.Sprint(slices.Min(part)), fmt.Sprint(slices.Max(part))
	}
	return fmt.Sprintf("('%d', '2026-01-01 00:00:%d0', 10, 'ttft', %d, %d, %d, %s, %s, %s::BIGINT[], %s::BIGINT[], 1)",
		set, half, len(part), zero, total, least, greatest, list(idx), list(cnt))
}

// bucket is the rule of sql/macros/30_sketch.sql, put a second time.
func bucket(v int64) int64 {
	if v < 64 {
		return v
	}
	e := bits.Len64(uint64(v)) - 7
	return int64(e)*64 + v>>e
}

func list(numbers []int64) string {
	return strings.ReplaceAll(fmt.Sprint(numbers), " ", ", ")
}

func checkPercentiles(t *testing.T, set []int64, n int64, got []int64) {
	t.Helper()
	slices.Sort(set)
	if n != int64(len(set)) || !slices.IsSorted(got) {
		t.Errorf("n = %d of %d, percentiles %v", n, len(set), got)
	}
	for i, thousandths := range []int{500, 900, 950, 990, 999} {
		exact := set[max(1, (thousandths*len(set)+999)/1000)-1]
		if d := got[i] - exact; 100*max(d, -d) > exact {
			t.Errorf("quantile %d/1000 of %d values is %d, exactly %d", thousandths, len(set), got[i], exact)
		}
	}
}
