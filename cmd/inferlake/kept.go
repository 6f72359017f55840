package main

import (
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/inferlake/inferlake/sql"
)

// viewNames finds the views that a query reads.
var viewNames = regexp.MustCompile(`\bv1\.(\w+)`)

// behind are the tables behind views that are not named like them.
var behind = map[string]string{"request_path": "requests", "request_sketch_deltas": "request_sketches", "sketch_percentiles": "request_sketches",
	"request_window_deltas": "request_windows", "engine_window_deltas": "engine_windows", "gpu_window_deltas": "gpu_windows",
	"node_window_deltas": "node_windows", "kube_window_deltas": "kube_windows"}

// tablesOf are the tables that a query reads, by its words.
func tablesOf(query string) (tables []string) {
	for _, m := range viewNames.FindAllStringSubmatch(query, -1) {
		name := m[1]
		if table, other := behind[name]; other {
			name = table
		}
		if !slices.Contains(tables, name) {
			tables = append(tables, name)
		}
	}
	return tables
}

// keptFrom is where all that a report reads begins, if it was asked for more than that: retention removed what is before. Of
// windows it is asked for the tier that the range takes.
func (h *localHouse) keptFrom(ctx context.Context, seal string, report sql.Report, args map[string]any) (t time.Time, err error) {
	result, err := h.read(ctx, seal, `SELECT max(kept_from) FROM v1.kept
		WHERE list_contains($tables::VARCHAR[], table_name)
			AND (level_seconds IS NULL OR level_seconds = v1.tier_for($from::TIMESTAMP, $to::TIMESTAMP))`,
		map[string]any{"tables": tablesOf(report.Query), "from": args["from"], "to": args["to"]})
	if err != nil {
		return t, err
	}
	t, _ = result.Rows[0][0].(time.Time)
	if from, given := args["from"].(time.Time); given && !from.Before(t) {
		return time.Time{}, nil
	}
	return t, nil
}
