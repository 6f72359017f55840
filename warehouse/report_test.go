package warehouse_test

import (
	"bytes"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	text "github.com/inferlake/inferlake/sql"
	"github.com/inferlake/inferlake/warehouse"
)

var rewrite = flag.Bool("rewrite", false, "write the expected files anew")

// TestReports runs the files of sql/testdata: rows in, a report or query, rows out. A file is a list of paragraphs:
//
//	rows TABLE column=value …   rows for a table: a line of column names, then a line a row; the first line's values
//	                            are the same in all rows
//	attribute                   divides GPU time among the requests that are there
//	report NAME param=value …   runs a report
//	query                       runs the SQL on the lines that follow
//
// A value "-" is NULL, "@12:00:00" a time on 2026-01-01, and "250ms", "2s" or "1h" nanoseconds. What a report or query
// answers follows ----; -rewrite writes it anew.
func TestReports(t *testing.T) {
	files, err := filepath.Glob("../sql/testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no files in sql/testdata", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { runFile(t, file) })
	}
}

func runFile(t *testing.T, file string) {
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	db := openViews(t)
	var got []string
	for _, paragraph := range strings.Split(strings.TrimSpace(string(want)), "\n\n") {
		asked, _, _ := strings.Cut(paragraph, "\n----")
		got = append(got, runParagraph(t, db, asked))
	}
	out := []byte(strings.Join(got, "\n\n") + "\n")
	if *rewrite {
		if err := os.WriteFile(file, out, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(out, want) {
		t.Errorf("%s differs (-rewrite writes it anew); got\n%s", file, out)
	}
}

func runParagraph(t *testing.T, db *sql.DB, asked string) string {
	t.Helper()
	var lines []string
	for _, line := range strings.Split(asked, "\n") {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return asked
	}
	words := strings.Fields(lines[0])
	switch words[0] {
	case "rows":
		insertRows(t, db, words[1], words[2:], lines[1:])
		return asked
	case "attribute":
		attribute(t, db)
		return asked
	case "report":
		return asked + "\n----\n" + runReport(t, db, words[1], words[2:])
	case "query":
		return asked + "\n----\n" + answer(t, db, strings.Join(lines[1:], "\n"))
	}
	t.Fatalf("a paragraph begins with rows, attribute, report or query, not %q", lines[0])
	return ""
}

// attribute divides GPU time among requests.
func attribute(t *testing.T, db *sql.DB) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := warehouse.AttributeOn(t.Context(), conn, 1, true); err != nil {
		t.Fatal(err)
	}
}

func insertRows(t *testing.T, db *sql.DB, table string, same, lines []string) {
	t.Helper()
	names := strings.Fields(lines[0])
	for _, line := range lines[1:] {
		values := strings.Fields(line)
		if len(values) != len(names) {
			t.Fatalf("%d values for %d columns: %s", len(values), len(names), line)
		}
		row := map[string]string{"commit": "1"}
		for _, pair := range same {
			name, value, _ := strings.Cut(pair, "=")
			row[name] = value
		}
		for i, name := range names {
			row[name] = values[i]
		}
		insertRow(t, db, table, row)
	}
}

// uncommitted are the tables whose rows are of no commit.
var uncommitted = []string{"prices", "price_settings", "api_prices", "api_counterparts", "counting_legs"}

func insertRow(t *testing.T, db *sql.DB, table string, row map[string]string) {
	t.Helper()
	var names, marks []string
	var args []any
	for name, value := range row {
		if name == "commit" && slices.Contains(uncommitted, table) {
			continue
		}
		names, marks, args = append(names, text.Name(name)), append(marks, "?"), append(args, cell(value))
	}
	query := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", text.Name(table), strings.Join(names, ", "), strings.Join(marks, ", "))
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatal(query, args, err)
	}
}

var duration = regexp.MustCompile(`^\d+(\.\d+)?(ms|s|m|h)$`)

func cell(value string) any {
	switch {
	case value == "-":
		return nil
	case strings.HasPrefix(value, "@"):
		return "2026-01-01 " + value[1:]
	case duration.MatchString(value):
		d, _ := time.ParseDuration(value)
		return strconv.FormatInt(d.Nanoseconds(), 10)
	}
	return value
}

func runReport(t *testing.T, db *sql.DB, name string, pairs []string) string {
	t.Helper()
	report, err := text.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return answer(t, db, report.Query, bound(t, report, pairs)...)
}

// bound gives the parameters of a report their values.
func bound(t *testing.T, report text.Report, pairs []string) (args []any) {
	t.Helper()
	given := map[string]string{}
	for _, pair := range pairs {
		key, value, _ := strings.Cut(pair, "=")
		given[key] = strings.Replace(value, "@", "2026-01-01T", 1)
	}
	arguments, err := report.Arguments(given)
	if err != nil {
		t.Fatal(report.Name, err)
	}
	for _, a := range arguments {
		args = append(args, sql.Named(a.Name, a.Value))
	}
	return args
}

// answer is what a query gives: a line a row, or, of many columns, a line a column.
func answer(t *testing.T, db *sql.DB, query string, args ...any) string {
	t.Helper()
	columns, rows, err := cellsOf(db, query, args...)
	if err != nil {
		return "error: " + strings.SplitN(err.Error(), "\n", 2)[0]
	}
	return drawn(append([][]string{columns}, rows...))
}

// cellsOf are the columns and rows that a query gives, as text.
func cellsOf(db *sql.DB, query string, args ...any) (columns []string, cells [][]string, err error) {
	rows, err := db.Query(query, args...)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	if columns, err = rows.Columns(); err != nil {
		return nil, nil, err
	}
	for rows.Next() {
		values, pointers := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			pointers[i] = &values[i]
		}
		if err := rows.Scan(pointers...); err != nil {
			return nil, nil, err
		}
		cells = append(cells, texts(values))
	}
	return columns, cells, rows.Err()
}

// drawn writes a line a row, or a line a column where there are more columns than rows. A report's window is said once.
func drawn(cells [][]string) string {
	head := ""
	if n := len(cells[0]) - 2; n > 0 && cells[0][n] == "window_from" {
		for i, row := range cells {
			if i == 1 {
				head = "window " + row[n] + " to " + row[n+1] + "\n"
			}
			cells[i] = row[:n]
		}
	}
	if len(cells) == 1 {
		return "no rows"
	}
	if columns := len(cells[0]); columns > 9 && columns > len(cells) {
		cells = turned(cells)
	}
	return head + aligned(cells)
}

func texts(values []any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case nil:
			out[i] = "-"
		case float64:
			out[i] = strconv.FormatFloat(v, 'g', 9, 64)
		case time.Time:
			out[i] = v.UTC().Format("2006-01-02T15:04:05.999999")
		case duckdb.Decimal:
			out[i] = v.String()
		default:
			out[i] = strings.ReplaceAll(fmt.Sprint(v), " ", ",")
		}
	}
	return out
}

func turned(cells [][]string) [][]string {
	out := make([][]string, len(cells[0]))
	for _, row := range cells {
		for i, c := range row {
			out[i] = append(out[i], c)
		}
	}
	return out
}

func aligned(cells [][]string) string {
	widths := make([]int, len(cells[0]))
	for _, row := range cells {
		for i, c := range row {
			widths[i] = max(widths[i], len(c))
		}
	}
	var lines []string
	for _, row := range cells {
		var b strings.Builder
		for i, c := range row {
			fmt.Fprintf(&b, "%-*s  ", widths[i], c)
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return strings.Join(lines, "\n")
}

// openViews opens a database in memory with the schema, the macros and the views.
func openViews(tb testing.TB) *sql.DB {
	tb.Helper()
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		tb.Fatal(err)
	}
	db := sql.OpenDB(connector)
	tb.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	exec(tb, db, text.Statement("settings"))
	for _, code := range text.Folder("schema") {
		exec(tb, db, code.SQL)
	}
	exec(tb, db, text.Statement("schema_v1"))
	for _, code := range append(text.Folder("macros"), text.Folder("views")...) {
		exec(tb, db, code.SQL)
	}
	exec(tb, db, text.Statement("show_now", "source", ""))
	return db
}

func exec(tb testing.TB, db *sql.DB, query string) {
	tb.Helper()
	if _, err := db.Exec(query); err != nil {
		tb.Fatalf("%v\n%s", err, query)
	}
}

// TestChartsHaveTheirColumns holds each chart of a report to the columns that the report has, and to one unit.
func TestChartsHaveTheirColumns(t *testing.T) {
	db := openViews(t)
	for _, r := range text.Reports() {
		rows, err := db.Query(r.Query, bound(t, r, nil)...)
		if err != nil {
			t.Fatal(r.Name, err)
		}
		columns, err := rows.Columns()
		rows.Close()
		if err != nil {
			t.Fatal(r.Name, err)
		}
		for _, c := range r.Charts {
			checkChart(t, r, c, columns)
		}
	}
}

func checkChart(t *testing.T, r text.Report, c text.Chart, columns []string) {
	t.Helper()
	for _, name := range append([]string{c.Over, c.And, c.By, c.Each, c.Column}, c.Columns...) {
		if name != "" && !slices.Contains(columns, name) {
			t.Errorf("%s: the chart %q needs the column %s, which the report does not have", r.Name, c.Title, name)
		}
	}
	for _, name := range c.Columns {
		if r.Units[name] != r.Units[c.Columns[0]] {
			t.Errorf("%s: the chart %q has the units %q and %q on one axis", r.Name, c.Title, r.Units[c.Columns[0]], r.Units[name])
		}
	}
}
