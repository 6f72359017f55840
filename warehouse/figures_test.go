package warehouse_test

import (
	"database/sql"
	"regexp"
	"slices"
	"testing"

	text "github.com/inferlake/inferlake/sql"
)

var percentile = regexp.MustCompile(`^(?:change_)?(?:(\w+)_)?p\d+$`)

// U06: every figure says its window, and every percentile its n: in a column n, or x_n beside x_p99 and
// change_x_p99. What has no time of its own, or says the time of each row, has no window.
func TestEveryFigureHasItsWindowAndN(t *testing.T) {
	db := openViews(t)
	timeless := []string{"completeness", "corrections", "seals", "api_prices", "prices", "job_runs", "incidents", "unpriced", "focus",
		"focus_corrections", "cost_corrections", "cost_statement"}
	for _, report := range text.Reports() {
		arguments, err := report.Arguments(nil)
		if err != nil {
			t.Fatal(err)
		}
		var args []any
		for _, a := range arguments {
			args = append(args, sql.Named(a.Name, a.Value))
		}
		rows, err := db.Query(report.Query, args...)
		if err != nil {
			t.Fatal(report.Name, err)
		}
		columns, _ := rows.Columns()
		rows.Close()
		if !slices.Contains(timeless, report.Name) && !slices.Equal(columns[len(columns)-2:], []string{"window_from", "window_to"}) {
			t.Errorf("%s does not end with its window", report.Name)
		}
		for _, c := range columns {
			m := percentile.FindStringSubmatch(c)
			if m != nil && !slices.Contains(columns, "n") && !slices.Contains(columns, m[1]+"_n") {
				t.Errorf("%s: nobody says of how many %s is", report.Name, c)
			}
		}
	}
}
