package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/inferlake/inferlake/sql"
	"github.com/inferlake/inferlake/warehouse"
)

// comparedViews are the views that a refold must give again: every v1 view but those of deltas, whose cuts roll-ups and
// compaction change, and what is not from the log: prices, seals and counting legs. How far windows were written is known only
// since the schema keeps it; so it is left out, with the view of the last seconds.
const comparedViews = `SELECT view_name FROM duckdb_views() WHERE database_name = current_database() AND schema_name = 'v1' AND NOT internal
	AND view_name NOT LIKE '%deltas' AND view_name NOT IN ('prices', 'instance_prices', 'allocation_prices', 'api_prices', 'api_costs', 'seals', 'legs', 'recent_request_windows',
	'fits', 'allocations', 'charges', 'request_costs') ORDER BY view_name`

// fingerprint is a view's number of rows and the sum of their hashes, whatever their order.
type fingerprint struct {
	view string
	rows int64
	hash string
}

// fingerprints reads every compared view.
func fingerprints(ctx context.Context, house *warehouse.Warehouse) (all []fingerprint, err error) {
	views, err := house.Query(ctx, comparedViews, nil)
	if err != nil {
		return nil, err
	}
	for _, row := range views.Rows {
		f, err := fingerprintOf(ctx, house, fmt.Sprint(row[0]))
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

func fingerprintOf(ctx context.Context, house *warehouse.Warehouse, view string) (fingerprint, error) {
	r, err := house.Query(ctx, fmt.Sprintf(`SELECT count(*), coalesce(sum(hash(r)::HUGEINT), 0)::VARCHAR
		FROM (SELECT COLUMNS(c -> c NOT IN ('commit', 'replay_offset', 'windows_through')) FROM v1.%s) r`, sql.Name(view)), nil)
	if err != nil {
		return fingerprint{}, fmt.Errorf("cannot compare the view v1.%s: %w", view, err)
	}
	return fingerprint{view, whole(r.Rows[0][0]), fmt.Sprint(r.Rows[0][1])}, nil
}

// differences lists the views that are not the same, in words.
func differences(a, b []fingerprint) (words []string) {
	for _, x := range a {
		i := slices.IndexFunc(b, func(f fingerprint) bool { return f.view == x.view })
		switch {
		case i < 0:
			words = append(words, fmt.Sprintf("v1.%s is not there again", x.view))
		case b[i] != x:
			words = append(words, fmt.Sprintf("v1.%s has %d rows, folded again %d%s", x.view, x.rows, b[i].rows,
				map[bool]string{true: " with other content"}[b[i].rows == x.rows]))
		}
	}
	return words
}
