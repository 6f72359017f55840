//go:build !race

package main

import (
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inferlake/inferlake/cmd/inferlake/proof"
)

// answers are the data frames that the notebook leaves, the columns that name a row of each, the report that says the same,
// the columns that name a row there, and which column is which.
var answers = []struct{ frame, key, report, reportKey, columns string }{
	{"ttft", "model", "latency --set basis=windows", "group measure=TTFT", "n=n p50_seconds=p50 p90_seconds=p90 p99_seconds=p99"},
	{"parts", "model part", "latency", "group measure", "n=n mean_seconds=mean p50_seconds=p50 p99_seconds=p99"},
	{"cost", "model version priced", "cost_per_token --by model_version", "group priced",
		"gpu_hours=gpu_hours usd=usd used_usd=used_usd allocation_usd_per_million=usd_per_million_tokens " +
			"usage_usd_per_million_input=usd_per_million_input_tokens usage_usd_per_million_cached=usd_per_million_cached_tokens " +
			"usage_usd_per_million_output=usd_per_million_output_tokens"},
	{"versions", "model version", "latency --by model_version", "group measure=TTFT", "ttft_n=n ttft_p50_seconds=p50 ttft_p99_seconds=p99"},
	{"versions", "model version", "latency --by model_version", "group measure=TPOT", "tpot_n=n tpot_p50_seconds=p50 tpot_p99_seconds=p99"},
	{"versions", "model version", "model_versions", "model version", "requests=requests success_ratio=success_ratio"},
	{"hits_by_model", "model", "prefix_cache", "group", "n=cache_known prompt_tokens=known_prompt_tokens cached_tokens=cached_tokens"},
}

// The notebook runs in Jupyter on a snapshot of a simulated fleet, complains of nothing, draws five pictures, and what it
// computes with the macros of the file is what the reports say.
func TestNotebook(t *testing.T) {
	python := jupyter(t)
	l := newLake(t)
	l.run("produce", "simulate", "--scenario", "fleet-day", "--hours", "2", "--requests", "2000", "--end", "2026-11-04T12:00:00Z")
	l.run("serve", "--once")
	l.run("prices", "set", "2.95", "--gpu-type", "H100", "--from", "2020-01-01") // A100s have none: unpriced is not free
	folder := t.TempDir()
	snapshot := filepath.Join(folder, "fleet.duckdb")
	l.run("export", "snapshot", "-o", snapshot)

	frames := map[string]bool{}
	for _, a := range answers {
		frames[a.frame] = true
	}
	run := exec.CommandContext(t.Context(), python, append([]string{"testdata/notebook.py", "../../examples/notebooks/fleet.ipynb", folder},
		slices.Sorted(maps.Keys(frames))...)...)
	run.Env = append(os.Environ(), "INFERLAKE_SNAPSHOT="+snapshot, "TZ=Asia/Kathmandu")
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("the notebook failed: %v\n%s", err, out)
	}
	if pictures, err := filepath.Glob(filepath.Join(folder, "*.png")); err != nil || len(pictures) != 5 {
		t.Errorf("%d pictures, want five: %v", len(pictures), err)
	}
	for _, a := range answers {
		content, err := os.ReadFile(filepath.Join(folder, a.frame+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		frame, report := parse(t, string(content)).keyed(a.key), l.report(strings.Fields(a.report)...).keyed(a.reportKey)
		checkFrame(t, a.frame+" and report "+a.report, frame, report, strings.Fields(a.columns))
		if row, there := frame["llama-3-8b@2024-07@false"]; a.frame == "cost" && (!there || row["usd"] != "") {
			t.Errorf("the time of GPUs without a price is not told apart: %v", row)
		}
	}
}

// jupyter returns a python3 that has what the notebook and its test need.
func jupyter(t *testing.T) string {
	t.Helper()
	python := proof.Python(t)
	out, err := exec.CommandContext(t.Context(), python, "-c", "import duckdb, ipykernel, matplotlib, nbclient, pandas").CombinedOutput()
	if err != nil && os.Getenv("INFERLAKE_NO_SKIP") == "1" {
		t.Fatalf("INFERLAKE_NO_SKIP is set, but python3 cannot run the notebook: %s", out)
	}
	if err != nil {
		t.Skip("NOT TESTED: python3 has not all of duckdb, ipykernel, matplotlib, nbclient and pandas")
	}
	return python
}

// keyed are the rows by the values of some columns with @ between; column=value takes the rows with that value only.
func (a table) keyed(columns string) map[string]map[string]string {
	rows := map[string]map[string]string{}
	for _, row := range a.maps() {
		var key []string
		takes := true
		for _, c := range strings.Fields(columns) {
			name, only, limited := strings.Cut(c, "=")
			if limited {
				takes = takes && row[name] == only
			} else {
				key = append(key, strings.ToLower(row[name]))
			}
		}
		if takes {
			rows[strings.Join(key, "@")] = row
		}
	}
	return rows
}

// checkFrame compares every row of a frame with the report's of the same key; a pair is COLUMN=COLUMN OF THE REPORT.
func checkFrame(t *testing.T, what string, frame, report map[string]map[string]string, pairs []string) {
	t.Helper()
	if len(frame) < 2 {
		t.Errorf("%s: %d rows", what, len(frame))
	}
	for key, row := range frame {
		for _, pair := range pairs {
			column, other, _ := strings.Cut(pair, "=")
			got, there := row[column]
			want, said := report[key][other]
			if !there || !said || !sameFigure(got, want) {
				t.Errorf("%s: %s of %s is %q and %q", what, column, key, got, want)
			}
		}
	}
}

// sameFigure compares numbers as text to a billionth; what is unknown is empty in both.
func sameFigure(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX != nil || errY != nil {
		return a == "" && b == ""
	}
	return math.Abs(x-y) <= 1e-9*math.Abs(y)
}
