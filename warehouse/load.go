package warehouse

import (
	"fmt"
	"strconv"
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

// own are the columns that the warehouse adds to the load's rows, and what they hold.
func (l load) own(commit int64) (names []string, values []int64) {
	if l.table.HasPlace() {
		return []string{"lineage", "commit"}, []int64{l.lineage, commit}
	}
	return []string{"commit"}, []int64{commit}
}

func numbers(values []int64) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = strconv.FormatInt(v, 10)
	}
	return strings.Join(texts, ", ")
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
