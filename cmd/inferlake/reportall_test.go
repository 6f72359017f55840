//go:build !race

package main

import (
	"strings"
	"testing"
)

// All reports are there, in the terminal and on a page; a parameter that one of them does not take so is told in its place.
func TestAllReports(t *testing.T) {
	l := small(t)
	l.contains(l.run("report", "all"), "Overview\n", "Latency\n", "Cost per token\n", "Completeness\n")
	page := l.run("report", "all", "--format", "html", "--by", "source")
	l.contains(page, "<!doctype html>", "<p>by = source</p>", `<details open id="overview">`, `<details open id="completeness">`,
		"This report could not be made: by cannot be &#34;source&#34;")
	if strings.Contains(page, "could not be drawn") {
		t.Error("a chart could not be drawn")
	}
}

// Rows are sorted, then cut, and the answer says of how many.
func TestSortAndTop(t *testing.T) {
	l := small(t)
	l.contains(l.run("report", "latency", "--sort=-p50", "--top", "1"), " e2e ", "(1 of 8 rows shown)")
	l.contains(l.run("report", "latency", "--sort=-p50", "--top", "1", "--format", "json"), `"rows_in_all":8`, `"measure":"e2e"`)
	l.contains(l.run("report", "latency", "--top", "2", "--format", "html"), "2 of 8 rows shown", "<!doctype html>")
}
