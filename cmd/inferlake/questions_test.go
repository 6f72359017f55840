//go:build !race

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferlake/inferlake/cmd/inferlake/proof"
	reports "github.com/inferlake/inferlake/sql"
	"github.com/inferlake/inferlake/stream"
)

// question is a report with parameters, and what testdata/recompute.py says that it must answer.
type question struct {
	Report string
	Params map[string]any
	Names  []string // the columns that name a row
	Rows   []cells
}

// cells are the figures of a row by column: number, text or nil; {"about": x} is within 1 % of x, {"near": x} within 0.021.
type cells map[string]any

func (q *question) String() string { return fmt.Sprint(q.Report, " ", q.Params) }

// needsFacts says that windows cannot answer it.
func (q *question) needsFacts() bool {
	byRows := []string{"cancellations", "reconciliation", "slow_requests"}
	basis := q.Params["basis"]
	return slices.Contains(byRows, q.Report) || basis == "facts" || q.Report == "lengths" && basis == nil
}

// recomputed asks the plain program.
func recomputed(t *testing.T, events []*stream.Event) (questions []question) {
	t.Helper()
	var lines []byte
	for _, e := range events {
		lines = append(stream.AppendJSON(lines, e), '\n')
	}
	file := filepath.Join(t.TempDir(), "events.jsonl")
	if err := os.WriteFile(file, lines, 0o600); err != nil {
		t.Fatal(err)
	}
	prices := map[string]json.Number{}
	for _, p := range demoPrices {
		prices[p.GPUType] = json.Number(p.USDPerHour)
	}
	list, err := json.Marshal(prices)
	if err != nil {
		t.Fatal(err)
	}
	var complaints bytes.Buffer
	cmd := exec.CommandContext(t.Context(), proof.Python(t), "testdata/recompute.py", file, string(list))
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &questions)
	}
	if err != nil || len(questions) == 0 {
		t.Fatalf("the figures could not be recomputed: %v\n%s", err, complaints.String())
	}
	return questions
}

func (h openedHouse) recompare(questions []question) {
	h.t.Helper()
	for _, q := range questions {
		h.compare(q)
	}
}

// compare holds the report's answer to the recomputed one: the same rows, and in them the same figures, none left out.
func (h openedHouse) compare(q question) {
	h.t.Helper()
	want, have := byName(q.Rows, q.Names), byName(h.answer(q), q.Names)
	for name := range have {
		if _, ok := want[name]; !ok {
			h.t.Errorf("%s: the row %s is not expected", &q, name)
		}
	}
	for name, row := range want {
		got, ok := have[name]
		if !ok {
			h.t.Errorf("%s: the row %s is missing", &q, name)
			continue
		}
		for column, v := range got {
			expected, ok := row[column]
			if !ok && !strings.HasPrefix(column, "window_") {
				h.t.Errorf("%s: nobody recomputes %s", &q, column)
			}
			if ok && !same(v, expected) {
				h.t.Errorf("%s: %s of %s is %v, recomputed %v", &q, column, name, v, expected)
			}
		}
	}
}

// answer runs the question's report.
func (h openedHouse) answer(q question) (rows []cells) {
	h.t.Helper()
	report, err := reports.Find(q.Report)
	if err != nil {
		h.t.Fatal(err)
	}
	given := map[string]string{}
	for name, v := range q.Params {
		given[name] = fmt.Sprint(v)
		if f, ok := v.(float64); ok && (name == "from" || name == "to") {
			given[name] = time.UnixMicro(int64(f)).UTC().Format(time.RFC3339Nano)
		}
	}
	arguments, err := report.Arguments(given)
	if err != nil {
		h.t.Fatal(err)
	}
	bound := map[string]any{}
	for _, a := range arguments {
		bound[a.Name] = a.Value
	}
	result, err := h.Query(h.t.Context(), report.Query, bound)
	if err != nil {
		h.t.Fatalf("%s: %v", &q, err)
	}
	for _, values := range result.Rows {
		row := cells{}
		for i, c := range result.Columns {
			row[c.Name] = figure(h.t, values[i])
		}
		rows = append(rows, row)
	}
	return rows
}

// figure makes whatever counts a float64, times µs since 1970.
func figure(t *testing.T, v any) any {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case time.Time:
		return float64(v.UnixMicro())
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	return v
}

func byName(rows []cells, names []string) map[string]cells {
	all := map[string]cells{}
	for _, row := range rows {
		var parts []string
		for _, name := range names {
			if f, ok := row[name].(float64); ok {
				parts = append(parts, fmt.Sprintf("%.12g", f))
				continue
			}
			parts = append(parts, fmt.Sprint(row[name]))
		}
		all[strings.Join(parts, ", ")] = row
	}
	return all
}

func same(have, want any) bool {
	f, number := have.(float64)
	switch w := want.(type) {
	case float64:
		return number && math.Abs(f-w) <= 1e-9*math.Max(math.Abs(f), math.Abs(w))
	case map[string]any:
		if about, ok := w["about"].(float64); ok {
			return number && math.Abs(f-about) <= 0.01*about+1e-9
		}
		return number && math.Abs(f-w["near"].(float64)) <= 0.021
	}
	return have == want
}

// unknown says that the report has rows, and in none of them a value in the columns.
func (h openedHouse) unknown(report string, columns []string) {
	h.t.Helper()
	rows := h.answer(question{Report: report})
	if len(rows) == 0 {
		h.t.Errorf("%s has no rows", report)
	}
	for _, row := range rows {
		for _, c := range columns {
			if v, ok := row[c]; !ok || v != nil {
				h.t.Errorf("%s: %s is %v of %v, want unknown", report, c, v, row["group"])
			}
		}
	}
}
