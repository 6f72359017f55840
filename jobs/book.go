package jobs

import (
	"context"
	"fmt"
)

// statement is the report whose lines are kept.
const statement = "cost_statement"

// book keeps the lines of the statements of a run: the next statement goes on from them, and what changes in their periods
// later is a correction. Lines that are kept already stay as they are.
func (r *Runner) book(ctx context.Context, p planned, of Period, seal string, made drawing) error {
	for _, d := range made.reports {
		if d.Name != statement {
			continue
		}
		if err := r.House.Put(ctx, "insert_statement_lines", d.lines(p, of, seal)...); err != nil {
			return fmt.Errorf("cannot keep the lines of the statement of %s: %w", of.Name, err)
		}
	}
	return nil
}

// lines are the arguments of insert_statement_lines: one list a column.
func (d drawnReport) lines(p planned, of Period, seal string) []any {
	var from, to []int64
	var items, states, amounts []string
	for _, row := range named(d.table) {
		if section := row["section"]; row["usd"] == nil || section != "charge" && section != "correction" {
			continue
		}
		from, to = append(from, micros(row["period_from"])), append(to, micros(row["period_to"]))
		items, states, amounts = append(items, text(row["item"])), append(states, text(row["state"])), append(amounts, text(row["usd"]))
	}
	grouping := d.params["by"]
	for _, param := range d.Report.Params {
		if param.Name == "by" && grouping == "" {
			grouping = param.Default
		}
	}
	return []any{p.Name, grouping, seal, of.From.UnixMicro(), of.To.UnixMicro(), from, to, items, states, amounts}
}
