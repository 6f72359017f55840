//go:build !race

package main

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	shipped "github.com/inferlake/inferlake/sql"
)

// A report over a range of which rows were removed says so; one that begins later does not.
func TestReportsSayWhereTheyBegin(t *testing.T) {
	l, trace := newLake(t), azureTrace(t)
	l.ingest("azure", trace, "--max-rows", "10")
	db, err := sql.Open("duckdb", filepath.Join(l.data, "inferlake.duckdb"))
	if err == nil {
		_, err = db.Exec(`INSERT INTO retention ("table", "before", rows, commit) VALUES ('requests', TIMESTAMP '2023-11-16', 7, 1)`)
	}
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range [][]string{nil, {"--from", "2023-11-15"}} {
		l.contains(l.run(append([]string{"report", "overview"}, from...)...), "kept_from", "2023-11-16 00:00:00 UTC")
	}
	for _, whole := range [][]string{{"report", "overview", "--from", "2023-11-16"}, {"report", "corrections"}} { // that one reads windows
		if text := l.run(whole...); strings.Contains(text, "kept_from") {
			t.Errorf("%v: %s", whole, text)
		}
	}
	l.contains(l.run("sql", "SELECT facts_from FROM v1.horizon"), "2023-11-16")
	l.fails([]string{"verify", "--refold"}, "retention has removed rows")
}

// Every report's tables are found by its words.
func TestTablesOfReports(t *testing.T) {
	for name, want := range map[string]string{"overview": "requests", "corrections": "request_windows", "cost_per_token": "charges"} {
		report, err := shipped.Find(name)
		if err != nil || !slices.Contains(tablesOf(report.Query), want) {
			t.Errorf("%s reads %v, %v; want %s among them", name, tablesOf(report.Query), err, want)
		}
	}
}

func TestKeepErrors(t *testing.T) {
	newLake(t).fails([]string{"serve", "--keep-requests=-1"}, "--keep-requests cannot be -1", "0 to keep for ever")
}
