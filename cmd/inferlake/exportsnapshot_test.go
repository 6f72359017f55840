//go:build !race

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/inferlake/inferlake/sql"
	"github.com/inferlake/inferlake/warehouse"
)

// A snapshot is a file of its own with the rows, views and macros, for its owner alone, taken with no serve running and through one.
// It replaces no file that nobody gave up, and never the database.
func TestExportSnapshot(t *testing.T) {
	l := newLake(t)
	folder := t.TempDir()
	file := filepath.Join(folder, "fleet.duckdb")
	export := func(args ...string) []string { return append([]string{"export", "snapshot", "-o", file}, args...) }
	l.fails(export(), "there is no data")
	l.run("produce", "simulate", "--hours", "0.2", "--requests", "200", "--end", "2026-11-04T12:00:00Z")
	l.run("serve", "--once")

	l.contains(l.run(export()...), file)
	checkSnapshot(l, file)
	l.fails(export(), "is there already", "--force")
	l.run(export("--force")...)
	l.fails([]string{"export", "snapshot", "--force", "-o", filepath.Join(l.data, "inferlake.duckdb")}, "the database itself")
	l.fails([]string{"export", "snapshot", "--force", "-o", folder}, "is not a file")
	l.fails([]string{"export", "snapshot", "-o", filepath.Join(folder, "no", "such")}, "cannot write the snapshot")
	if err := os.WriteFile(file+".wal", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l.fails(export("--force"), ".wal is there")
	if err := os.Remove(file + ".wal"); err != nil {
		t.Fatal(err)
	}

	c := l.serve()
	l.run(export("--force")...)
	c.stop()
	checkSnapshot(l, file)
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("%d files are left, want one: %v", len(left), err)
	}
}

// checkSnapshot asks the file itself what the warehouse answers.
func checkSnapshot(l lake, file string) {
	l.Helper()
	const query = `SELECT (SELECT count(*) FROM v1.requests), n, p99 FROM v1.group_percentiles('all', ['ttft'], NULL, NULL)`
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		l.Errorf("%v: %v, want mode 0600", file, info)
	}
	result, _, err := warehouse.QuerySnapshot(l.Context(), file, query, 10)
	if err != nil {
		l.Fatal(err)
	}
	content, err := draw(tableOf(result, sql.Report{}, nil), reportQuestion{Format: "csv"})
	if err != nil {
		l.Fatal(err)
	}
	l.same("the snapshot's answer", parse(l.T, string(content.Content)).String(), l.sql(query).String())
}
