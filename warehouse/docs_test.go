package warehouse_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"

	text "github.com/inferlake/inferlake/sql"
)

// TestSchemaPage holds docs/schema.md to the views; -rewrite writes it anew.
func TestSchemaPage(t *testing.T) {
	db := openViews(t)
	var b strings.Builder
	b.WriteString(schemaHead)
	for _, file := range text.Folder("views") {
		for _, part := range strings.Split(file.SQL, ";\n") {
			if part = strings.TrimSpace(part); part != "" {
				writeView(t, db, &b, part)
			}
		}
	}
	comparePage(t, "../docs/schema.md", b.String())
}

const schemaHead = `# The views of v1

What users read. The names are a promise: columns are added, never renamed or changed. Written by a test from sql/views.

Times are TIMESTAMP, microseconds, UTC. Durations end in _seconds, shares of 0 to 1 in _ratio, sizes in _bytes; _ppm are
millionths. NULL is unknown, never 0. A gauge x of a window view is its mean over the time in which it was known; x_min
and x_max are its extremes. Window views hold every tier (level_seconds 10, 60, 900, 86400): filter on one.
`

// writeView writes what a row is and the columns, gauges with their extremes as one.
func writeView(t *testing.T, db *sql.DB, b *strings.Builder, statement string) {
	t.Helper()
	comment, rest := leadingComment(statement)
	name, ok := strings.CutPrefix(rest, "CREATE OR REPLACE VIEW v1.")
	if !ok {
		return
	}
	name, _, _ = strings.Cut(name, " ")
	fmt.Fprintf(b, "\n## v1.%s\n\n%s\n\n", name, comment)
	rows, err := db.Query("SELECT column_name, data_type FROM duckdb_columns() WHERE schema_name = 'v1' AND table_name = ? ORDER BY column_index", name)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var columns []string
	gauge := ""
	for rows.Next() {
		var column, kind string
		if err := rows.Scan(&column, &kind); err != nil {
			t.Fatal(err)
		}
		if column == gauge+"_min" || column == gauge+"_max" {
			columns[len(columns)-1] += " " + strings.TrimPrefix(column, gauge)
			continue
		}
		gauge = column
		columns = append(columns, "`"+column+"` "+kind)
	}
	b.WriteString(strings.Join(columns, ", ") + "\n")
}

// leadingComment takes the comment off the head of a statement, as one paragraph. Of several, the last is the statement's.
func leadingComment(statement string) (comment, rest string) {
	var lines []string
	for {
		line, after, _ := strings.Cut(statement, "\n")
		switch {
		case strings.HasPrefix(line, "--"):
			lines = append(lines, strings.TrimSpace(strings.TrimPrefix(line, "--")))
		case line == "":
			lines = nil
		default:
			return strings.Join(lines, " "), statement
		}
		statement = after
	}
}

// TestReportsPage holds docs/reports.md to the comments of the reports.
func TestReportsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# The reports\n\n`inferlake report NAME` with a flag a parameter. Written by a test from sql/reports. Under a table it says up to\n" +
		"when it is complete, which is the least over the partitions that are not idle (v1.horizon); what comes after is shown, and\n" +
		"provisional. In JSON that is the field complete_through.\n\n" +
		"Of any report: `--sort COLUMN` sorts its rows (`--sort=-COLUMN` greatest first, NULL last either way), then `--top N` shows the\n" +
		"first N, and says of how many. `--format html` is a page with pictures that needs no other file; `report all` is all reports,\n" +
		"in groups, one of them a section.\n")
	for _, r := range text.Reports() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n%s", r.Name, r.Description, horizonOf(r))
		for _, p := range r.Params {
			fmt.Fprintf(&b, "- `--%s` %s%s: %s", strings.ReplaceAll(p.Name, "_", "-"), p.Type, defaultOf(p), p.Doc)
			if len(p.Values) > 0 {
				fmt.Fprintf(&b, " One of %s.", strings.Join(p.Values, ", "))
			}
			b.WriteString("\n")
		}
	}
	comparePage(t, "../docs/reports.md", b.String())
}

func horizonOf(r text.Report) string {
	if r.Horizon == "" {
		return ""
	}
	return "Complete through " + r.Horizon + ".\n\n"
}

func defaultOf(p text.Param) string {
	if p.Default == "" {
		return ""
	}
	return ", default " + p.Default
}

func comparePage(t *testing.T, path, want string) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, []byte(want)) {
		t.Errorf("%s is not up to date: go test ./warehouse -run Page -rewrite", path)
	}
}
