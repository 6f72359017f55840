package warehouse

import (
	"fmt"
	"strings"

	"github.com/inferlake/inferlake/aggregate"

	text "github.com/inferlake/inferlake/sql"
)

// columns lists a table's columns, without commit, as SQL.
func columns(t *aggregate.Table) string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = text.Name(c.Name)
	}
	return strings.Join(names, ", ")
}

// checkSchema refuses rows that are not in the table's columns.
func (l load) checkSchema() error {
	want := l.table.Schema()
	for _, b := range l.batches {
		if !b.Schema().Equal(want) {
			return fmt.Errorf("rows for %s have other columns than the table: %v", l.table.Name, b.Schema())
		}
	}
	return nil
}
