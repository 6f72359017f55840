package render

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var rewrite = flag.Bool("rewrite", false, "write the expected files anew")

// decimal stands for the driver's: a number with its own exact text.
type decimal string

func (d decimal) String() string { return string(d) }
func (d decimal) Float64() float64 {
	var f float64
	fmt.Sscan(string(d), &f)
	return f
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

var cases = map[string]Table{
	"short": {
		Title: "Cost per token", Description: "What tokens cost.", Complete: start.Add(59 * time.Minute),
		Params: []Param{{"from", ""}, {"by", "model"}},
		Columns: []Column{{"group", "VARCHAR", ""}, {"requests", "BIGINT", ""}, {"tokens", "HUGEINT", ""}, {"usd", "DECIMAL(38,12)", "USD"},
			{"priced", "BOOLEAN", ""}, {"hit_ratio", "DOUBLE", "ratio"}, {"window_from", "TIMESTAMP", ""}, {"window_to", "TIMESTAMP", ""}},
		Rows: [][]any{
			{"llama", int64(1234567), big.NewInt(12345678901), decimal("1946.000000000001"), true, 0.99999, start, start.Add(time.Hour)},
			{"qwen", int64(0), big.NewInt(0), decimal("0.000000123"), true, 0.0, start, start.Add(time.Hour)},
			{nil, int64(1), nil, nil, false, nil, start, start.Add(time.Hour)},
			{"", int64(-12), big.NewInt(-1234), decimal("0"), false, 1.0, start, start.Add(time.Hour)},
		},
	},
	"wide": {
		Title: "Overview", Params: []Param{{"by", "model"}, {"slo_ttft", "2"}},
		Columns: wideColumns(),
		Rows:    [][]any{wideRow("llama-3.1-8b", 1), wideRow("qwen-2.5-72b-instruct", 10), wideRow("mixtral", 100), wideRow("a", 7)},
	},
	"optional": {
		Title: "Latency", Optional: []string{"another_optional_one", "a"},
		Columns: []Column{{"group", "VARCHAR", ""}, {"a", "DOUBLE", "seconds"}, {"p90_of_what_was_long", "DOUBLE", "seconds"},
			{"p99_of_what_was_long", "DOUBLE", "seconds"}, {"d", "DOUBLE", "seconds"}, {"another_optional_one", "DOUBLE", "seconds"}},
		Rows: [][]any{{"llama", 0.0001234, 0.195149, 4.2, 12.5, 0.0}, {"qwen", nil, 1.0, 59.9, 0.0203, 0.5}},
	},
	"rare": {
		Title: "Completeness", Rare: []string{"evicted", "stale", "absent"},
		Columns: []Column{{"topic", "VARCHAR", ""}, {"evicted", "BIGINT", ""}, {"stale", "BIGINT", ""}, {"dead", "BIGINT", ""}},
		Rows:    [][]any{{"requests", int64(0), int64(0), int64(0)}, {"engines", nil, int64(7), int64(0)}},
	},
	"hostile": {
		Columns: []Column{{"=cmd()", "VARCHAR", ""}, {"b", "VARCHAR[]", ""}, {"c", "DOUBLE", ""}},
		Rows: [][]any{
			{"=cmd()", []any{"a", "b,c"}, math.Inf(1)}, {"+1", []any{}, math.NaN()}, {"-2", nil, -3.5}, {"@x", nil, 1e-300},
			{"\tx", nil, 1e21}, {"a|b<script>", nil, nil}, {"\x1b[31mred\nline", nil, 0.0}, {`quo"te, comma`, nil, float32(0.5)}, {" pad", nil, 2.0}, {"日本語", nil, 3.0},
		},
	},
	"panels": {
		Title:   "Availability",
		Columns: append([]Column{{"time", "TIMESTAMP", ""}}, wideColumns()...),
		Rows:    panelRows(),
	},
	"lists": {
		Title: "GPUs", Of: 120,
		Columns: []Column{{"gpu", "VARCHAR", ""}, {"busy", "DOUBLE[]", "ratio"}, {"usd", "DECIMAL(10,4)", "USD"}, {"models", "VARCHAR[]", ""}},
		Rows: [][]any{
			{"gpu-0", []any{0.1, 0.5, nil, 1.0}, json.Number("1946.5000"), []any{"llama", "qwen"}},
			{"gpu-1", []any{int64(3), int64(1)}, json.Number("-0.0500"), []any{}}, {"gpu-2", nil, nil, []any{nil}},
		},
	},
	"empty": {Title: "Completeness", Columns: []Column{{"topic", "VARCHAR", ""}, {"at", "TIMESTAMP", ""}}},
}

func wideColumns() []Column {
	cols := []Column{{"group", "VARCHAR", ""}}
	for i := range 12 {
		cols = append(cols, Column{fmt.Sprintf("measure_%d", i), "DOUBLE", []string{"seconds", "ratio", "tokens/s"}[i%3]})
	}
	return cols
}

func panelRows() (rows [][]any) {
	for i := range 4 {
		for _, name := range []string{"llama-3.1-8b", "mixtral"} {
			rows = append(rows, append([]any{start.Add(time.Duration(i) * time.Minute)}, wideRow(name, float64(i))...))
		}
	}
	return rows
}

func wideRow(name string, factor float64) []any {
	row := []any{name}
	for i := range 12 {
		row = append(row, []float64{0.0123, 0.0056, 345.6}[i%3]*factor/float64(i+1))
	}
	return row
}

func TestFormats(t *testing.T) {
	for name, result := range cases {
		var got bytes.Buffer
		for _, format := range []string{"table", "markdown", "json", "csv"} {
			fmt.Fprintf(&got, "-- %s\n", format)
			if err := Write(&got, result, Options{Format: format}); err != nil {
				t.Fatal(name, format, err)
			}
		}
		compare(t, filepath.Join("testdata", name+".txt"), got.Bytes())
	}
}

func compare(t *testing.T, path string, got []byte) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (-rewrite writes it anew); got\n%s", path, got)
	}
}

func TestUnknownFormat(t *testing.T) {
	if err := Write(&bytes.Buffer{}, Table{}, Options{Format: "xml"}); err == nil {
		t.Error("xml was written")
	}
}

func TestReadableNumbers(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", 0.00012345: "0.000123", 0.9996: "1.00", 0.999: "0.999", 9.996: "10.0", 99.96: "100", 1234567.8: "1,234,568", -12.34: "-12.3", 1e-9: "1.0e-09",
	} {
		if got := significant(f); got != want {
			t.Errorf("%g is written %s, want %s", f, got, want)
		}
	}
}
