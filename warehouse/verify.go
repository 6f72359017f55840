package warehouse

import (
	"context"
	"fmt"

	text "github.com/inferlake/inferlake/sql"
)

// Report is what Verify found.
type Report struct {
	Checks []Check
}

// Held says whether every check held.
func (r Report) Held() bool {
	for _, c := range r.Checks {
		if !c.Held {
			return false
		}
	}
	return true
}

// Check is one invariant, with its figures.
type Check struct {
	Name    string // of its file in sql/verify
	Title   string
	Held    bool
	Error   string // why it could not be checked; then it does not hold
	Figures []Figure
}

// Figure is one comparison of a check. Expected and Found are whole numbers, int64 or *big.Int.
type Figure struct {
	What            string
	Expected, Found any
	Held            bool
}

// Verify checks the invariants that the rows can prove, each by a query that only reads.
func (w *Warehouse) Verify(ctx context.Context) (Report, error) {
	var r Report
	for _, file := range text.Folder("verify") {
		r.Checks = append(r.Checks, w.check(ctx, file))
		if err := ctx.Err(); err != nil {
			return Report{}, fmt.Errorf("cannot finish the checks: %w", err)
		}
	}
	return r, nil
}

func (w *Warehouse) check(ctx context.Context, file text.Text) Check {
	c := Check{Name: file.Name, Title: file.Title}
	result, err := w.Query(ctx, file.SQL, nil)
	if err != nil {
		c.Error = err.Error()
		return c
	}
	c.Held = true
	for _, row := range result.Rows {
		held, _ := row[3].(bool)
		c.Figures = append(c.Figures, Figure{What: fmt.Sprint(row[0]), Expected: row[1], Found: row[2], Held: held})
		c.Held = c.Held && held
	}
	return c
}
