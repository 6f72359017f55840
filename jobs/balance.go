package jobs

import (
	"fmt"
	"strings"

	"github.com/inferlake/inferlake/jobs/render"
	"github.com/inferlake/inferlake/sql"
)

// balanced holds a report to what it promises: that a column is 0, or says nothing, in every row.
func balanced(r sql.Report, t render.Table) error {
	if r.Balance == "" {
		return nil
	}
	var wrong []string
	for _, row := range named(t) {
		if d := number(row[r.Balance]); d != nil && d.Sign() != 0 {
			wrong = append(wrong, fmt.Sprintf("%v is off by %v", row[r.Balanced], row[r.Balance]))
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("it does not balance, and is not published: %s", strings.Join(wrong, "; "))
	}
	return nil
}

// named are the rows of a table, with values by column.
func named(t render.Table) (rows []map[string]any) {
	for _, values := range t.Rows {
		row := map[string]any{}
		for i, c := range t.Columns {
			row[c.Name] = values[i]
		}
		rows = append(rows, row)
	}
	return rows
}
