package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inferlake/inferlake/cmd/inferlake/workload"
	"github.com/inferlake/inferlake/warehouse"
)

// Facts, windows and sketches by group, and the accounts of the topic: what a right result says.
const (
	factsByGroup = `SELECT concat_ws('|', instance, coalesce(adapter, '-'), request_class, count(*), sum(prompt_tokens), sum(cached_local_tokens),
		sum(output_tokens), count(ttft_ns), sum(ttft_ns), sum(e2e_ns)) FROM requests GROUP BY instance, adapter, request_class`
	windowsByGroup = `SELECT concat_ws('|', instance, coalesce(adapter, '-'), request_class, sum(finished), sum(prompt_tokens), sum(cached_tokens),
		sum(output_tokens), sum(arrivals), sum(first_tokens)) FROM request_windows WHERE level = 10 GROUP BY instance, adapter, request_class`
	sketchesByGroup = `SELECT concat_ws('|', instance, coalesce(adapter, '-'), request_class, sum(n), sum(total)) FROM request_sketches
		WHERE level = 10 AND measure = 'e2e' GROUP BY instance, adapter, request_class`
	accounts = `SELECT concat_ws('|', sum(consumed), sum(loaded), sum(pending), sum(duplicate), sum(dead), sum(late), sum(open_requests))
		FROM v1.progress WHERE topic = 'inferlake.requests'`
)

// checkAnswer compares what was loaded with the workload's own answer: a figure counts only for a right result. Windows
// hold everything only once they were flushed.
func checkAnswer(ctx context.Context, house *warehouse.Warehouse, a workload.Answer, flushed bool) error {
	var facts, windows, sketches []string
	for _, g := range a.Groups {
		name := strings.Join([]string{g.Instance, orDash(g.Adapter), g.Class}, "|")
		if g.Arrivals > 0 {
			windows = append(windows, fmt.Sprintf("%s|%d|%d|%d|%d|%d|%d", name, g.Requests, g.Prompt, g.Cached, g.Output, g.Arrivals, g.FirstTokens))
		}
		if g.Requests == 0 {
			continue // no row
		}
		facts = append(facts, fmt.Sprintf("%s|%d|%d|%d|%d|%d|%d|%d", name, g.Requests, g.Prompt, g.Cached, g.Output, g.TTFTs, g.TTFT, g.E2E))
		sketches = append(sketches, fmt.Sprintf("%s|%d|%d", name, g.Requests, g.E2E))
	}
	account := fmt.Sprintf("%d|%d|%d|0|0|%d|%d", a.Events, a.Events-a.Pending, a.Pending, a.Late, a.Open)
	checks := []struct {
		what, query string
		want        []string
	}{{"facts", factsByGroup, facts}, {"accounts", accounts, []string{account}}, {"windows", windowsByGroup, windows}, {"sketches", sketchesByGroup, sketches}}
	if !flushed {
		checks = checks[:2]
	}
	for _, c := range checks {
		if err := compareRows(ctx, house, c.what, c.query, c.want); err != nil {
			return err
		}
	}
	return nil
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func compareRows(ctx context.Context, house *warehouse.Warehouse, what, query string, want []string) error {
	result, err := house.Query(ctx, query, nil)
	if err != nil {
		return err
	}
	var got []string
	for _, row := range result.Rows {
		got = append(got, fmt.Sprint(row[0]))
	}
	slices.Sort(got)
	slices.Sort(want)
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			return fmt.Errorf("the result is wrong, so its speed does not count: %s have %q, want %q", what, at(got, i), at(want, i))
		}
	}
	return nil
}

func at(rows []string, i int) string {
	if i < len(rows) {
		return rows[i]
	}
	return "nothing"
}

// checkInvariants is verify.
func checkInvariants(ctx context.Context, house *warehouse.Warehouse) error {
	report, err := house.Verify(ctx)
	if err != nil {
		return err
	}
	if !report.Held() {
		return fmt.Errorf("the result breaks an invariant, so its speed does not count:\n%s", verdictText(report))
	}
	return nil
}
