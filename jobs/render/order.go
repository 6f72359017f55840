package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Sorted returns the table with its rows in the order of a column; with - before its name greatest first. NULL comes
// last either way, and what is equal stays as it was.
func (r Table) Sorted(by string) (Table, error) {
	name, descending := strings.CutPrefix(by, "-")
	i := r.column(name)
	if i < 0 {
		return r, fmt.Errorf("cannot sort by %q: the columns are %s", name, strings.Join(r.names(), ", "))
	}
	r.Rows = slices.Clone(r.Rows)
	slices.SortStableFunc(r.Rows, func(a, b []any) int {
		_, known := exact(a[i])
		_, alsoKnown := exact(b[i])
		switch {
		case !known || !alsoKnown:
			return rank(known) - rank(alsoKnown)
		case descending:
			return compareValues(b[i], a[i])
		}
		return compareValues(a[i], b[i])
	})
	return r, nil
}

// Top returns the first n rows, and keeps how many there were.
func (r Table) Top(n int) Table {
	if n < len(r.Rows) {
		r.Of = len(r.Rows)
		r.Rows = r.Rows[:n]
	}
	return r
}

// rank puts what is not known last.
func rank(known bool) int { return map[bool]int{true: 0, false: 1}[known] }

func compareValues(a, b any) int {
	if x, ok := a.(time.Time); ok {
		if y, ok := b.(time.Time); ok {
			return x.Compare(y)
		}
	}
	if isNumber(a) && isNumber(b) {
		x, _ := float(a)
		y, _ := float(b)
		return cmp.Compare(x, y)
	}
	x, _ := exact(a)
	y, _ := exact(b)
	return cmp.Compare(x, y)
}

func (r Table) names() []string {
	var names []string
	for _, c := range r.Columns {
		names = append(names, c.Name)
	}
	return names
}

// shown says how many rows there are, and of how many.
func (r Table) shown() string {
	if r.Of > 0 {
		return fmt.Sprintf("%s of %s shown", thousands(fmt.Sprint(len(r.Rows))), count(r.Of, "row"))
	}
	return count(len(r.Rows), "row")
}
