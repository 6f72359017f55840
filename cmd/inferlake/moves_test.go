//go:build !race

package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// moves are the columns that move when a tenant's answers get longer and nothing else changes, by report. A row whose
// measure, phase or count stands before the colon moves; without one, all rows may. What is not here must not move.
var moves = map[string]string{
	"throughput":           "output_tokens output_rate total_rate peak_output_rate peak_total_rate",
	"throughput_over_time": "output_rate total_rate",
	"lengths":              "output,total: mean p50 p90 p95 p99 max",
	"latency_over_time":    "TPOT: n p50 p90 p99",
	"prefill_decode":       "decode: tokens token_rate sequence_rate",
	"cancellations":        "output_tokens tokens_after_gone estimated_tokens",
	"reconciliation":       "output tokens: ok cancelled other difference difference_ratio",
	"llm":                  "tpot_n tpot_p50 tpot_p99 output_rate",
	"slow_requests":        "tpot output_tokens",
	"model_versions": `tpot_n tpot_p50 tpot_p95 tpot_p99 output_mean output_p95 output_rate output_tokens_per_gpu_second
		usd_per_million_output_tokens change_tpot_p50 change_tpot_p95 change_cost`,
}

// checkMoves holds what moved between two recomputations, which the reports agree with, to moves; and in rows of
// tenants to the one tenant, whose output is twice what it was.
func checkMoves(t *testing.T, before, after []question, tenant int64) {
	t.Helper()
	name := fmt.Sprintf("%016x", uint64(tenant))
	moved := map[string]bool{}
	for i, q := range before {
		rows, now := byName(q.Rows, q.Names), byName(after[i].Rows, q.Names)
		if len(rows) != len(now) && q.Report != "latency_over_time" {
			t.Errorf("%s had %d rows, has %d", &q, len(rows), len(now))
		}
		for row, was := range rows {
			for column, v := range was {
				if now[row] == nil || reflect.DeepEqual(v, now[row][column]) {
					continue
				}
				moved[q.Report] = true
				if !mayMove(q.Report, was, column) || q.Params["by"] == "tenant" && was["group"] != name {
					t.Errorf("%s: %s of %s moved from %v to %v", &q, column, row, v, now[row][column])
				}
			}
		}
		if q.Params["by"] == "tenant" && rows[name]["output_tokens"] != nil {
			if twice := 2 * rows[name]["output_tokens"].(float64); q.Report == "cancellations" && now[name]["output_tokens"] != twice {
				t.Errorf("%s: the tenant's output is %v, want %v", &q, now[name]["output_tokens"], twice)
			}
		}
	}
	for report := range moves {
		if !moved[report] {
			t.Errorf("%s did not move", report)
		}
	}
}

func mayMove(report string, row cells, column string) bool {
	columns := moves[report]
	if kinds, rest, ok := strings.Cut(columns, ": "); ok {
		columns = rest
		named := func(kind string) bool { return row["measure"] == kind || row["phase"] == kind || row["count"] == kind }
		if !slices.ContainsFunc(strings.Split(kinds, ","), named) {
			return false
		}
	}
	return slices.Contains(strings.Fields(columns), column)
}
