package render

import (
	"fmt"
	"strings"
	"time"
)

// window columns say the time range of a report; where they are the same in all rows, they go into its head.
const windowFrom, windowTo = "window_from", "window_to"

// window returns the range of a report and the result without its columns.
func window(r Table) (text string, rest Table) {
	from, ok1 := r.constantTime(windowFrom)
	to, ok2 := r.constantTime(windowTo)
	if !ok1 || !ok2 {
		return "", r
	}
	return fmt.Sprintf("%s to %s UTC", readable(from, scale{}), readable(to, scale{})), r.without(windowFrom, windowTo)
}

func (r Table) constantTime(name string) (time.Time, bool) {
	i := r.column(name)
	if i < 0 || len(r.Rows) == 0 {
		return time.Time{}, false
	}
	first, ok := r.Rows[0][i].(time.Time)
	for _, row := range r.Rows {
		t, same := row[i].(time.Time)
		ok = ok && same && t.Equal(first)
	}
	return first, ok
}

// provisional is one line that says up to when the result is complete; "" where that is not said.
func provisional(r Table) string {
	if r.Complete.IsZero() {
		return ""
	}
	return "complete through " + completeThrough(r)
}

func completeThrough(r Table) string {
	if r.Complete.IsZero() {
		return ""
	}
	return readable(r.Complete, scale{}) + " UTC; provisional after"
}

// parameters is one line that says what the query ran with, the range left out.
func parameters(r Table) string {
	var items []string
	for _, p := range r.Params {
		if p.Value != "" && p.Name != "from" && p.Name != "to" {
			items = append(items, p.Name+" = "+printable(p.Value))
		}
	}
	return strings.Join(items, ", ")
}

// header is a column's name with its unit as shown.
func header(c Column, s scale) string {
	name := printable(c.Name)
	if s.unit == "" || s.unit == "USD" && strings.EqualFold(c.Name, "usd") {
		return name
	}
	return name + " " + s.unit
}
