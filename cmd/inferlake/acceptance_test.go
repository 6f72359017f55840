//go:build !race

// The race detector maps more address space than the process of a query may have.

package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The tests of this package drive the program as its users do, on public traffic, and compare what it answers with
// what was published or computed from the files by other means.

// TestMain lets the test be the program too: sql starts its own executable for a query, and tests start a serve to
// kill it.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		main()
		return
	}
	os.Exit(m.Run())
}

// traces is a file of the public traffic, which the repository does not carry.
func traces(t *testing.T, parts ...string) string {
	t.Helper()
	dir := os.Getenv("INFERLAKE_TRACES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "traces")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("NOT TESTED: ../shared/traces is missing")
	}
	return filepath.Join(append([]string{dir}, parts...)...)
}

// lake is a data directory and the commands on it.
type lake struct {
	*testing.T
	data string
}

func newLake(t *testing.T) lake {
	t.Helper()
	return lake{t, filepath.Join(t.TempDir(), "data")}
}

// try runs a command in this process.
func (l lake) try(args ...string) (string, error) {
	var out, log bytes.Buffer
	p := program{append(args, "--data", l.data), strings.NewReader(""), &out, &log}
	err := p.run(l.Context())
	if log.Len() > 0 {
		l.Logf("%s: %s", strings.Join(args, " "), log.String())
	}
	return out.String(), err
}

// run is a command that must succeed; it returns what was printed.
func (l lake) run(args ...string) string {
	l.Helper()
	out, err := l.try(args...)
	if err != nil {
		l.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
	return out
}

// fails is a command that must fail with words in its error; it returns the error's text.
func (l lake) fails(args []string, words ...string) string {
	l.Helper()
	out, err := l.try(args...)
	if err == nil {
		l.Errorf("%s: no error; printed %s", strings.Join(args, " "), out)
		return ""
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			l.Errorf("%s: %q; %q is missing", strings.Join(args, " "), err, w)
		}
	}
	return err.Error()
}

// ingest replays a source and folds it; it returns what both printed.
func (l lake) ingest(args ...string) string {
	l.Helper()
	return l.replay(args...) + l.run("serve", "--once")
}

func (l lake) replay(args ...string) string {
	l.Helper()
	return l.run(append([]string{"produce", "replay"}, args...)...)
}

// table is an answer as text by column; head are the columns' names.
type table struct {
	head []string
	rows [][]string
}

func parse(t *testing.T, text string) (a table) {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	lines, err := r.ReadAll()
	if err != nil || len(lines) == 0 {
		t.Fatalf("not an answer: %v\n%s", err, text)
	}
	return table{lines[0], lines[1:]}
}

// sql asks a question.
func (l lake) sql(query string) table {
	l.Helper()
	return parse(l.T, l.run("sql", "--format", "csv", query))
}

// report asks for a report.
func (l lake) report(args ...string) table {
	l.Helper()
	return parse(l.T, l.run(append([]string{"report", "--format", "csv"}, args...)...))
}

// maps are the rows by the columns' names.
func (a table) maps() (rows []map[string]string) {
	for _, values := range a.rows {
		row := map[string]string{}
		for i, v := range values {
			row[a.head[i]] = v
		}
		rows = append(rows, row)
	}
	return rows
}

// String is a line a row.
func (a table) String() string {
	var lines []string
	for _, r := range a.rows {
		lines = append(lines, strings.Join(r, " "))
	}
	return strings.Join(lines, "\n")
}

// says checks an answer: values of a row with a blank between, rows with a new line.
func (l lake) says(query, want string) {
	l.Helper()
	if got := l.sql(query).String(); got != want {
		l.Errorf("%s\n got %s\nwant %s", query, got, want)
	}
}

// views are what users read; not those that tell how far the log was read and how often something was said.
var views = []string{
	"requests", "request_windows", "request_sketches", "engine_samples", "engine_windows", "gpu_samples", "gpu_windows",
	"gpu_faults", "node_windows", "kube_windows", "step_runs", "instances", "legs", "dead_letters",
}

// content is a line a view: its rows and a hash of them in any order. Columns that are left out may differ.
func (l lake) content(without string, names ...string) string {
	l.Helper()
	var parts []string
	for _, name := range names {
		parts = append(parts, `SELECT '`+name+`', count(*), sum(hash(r::VARCHAR))
			FROM (SELECT COLUMNS(lambda c: c NOT IN (`+without+`)) FROM v1.`+name+`) r`)
	}
	return l.sql(strings.Join(parts, " UNION ALL ")).String()
}

// same checks that two contents are equal.
func (l lake) same(what, got, want string) {
	l.Helper()
	if got != want {
		l.Errorf("%s\n got %s\nwant %s", what, got, want)
	}
}

// contains checks that a text has words.
func (l lake) contains(text string, words ...string) {
	l.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			l.Errorf("%q is missing in\n%s", w, text)
		}
	}
}
