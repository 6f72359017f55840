package render

import (
	"bytes"
	"errors"
	"flag"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/inferlake/inferlake/sql"
)

var pages = flag.String("pages", "", "write the whole pages of testdata/pages into this folder, to look at")

// TestPages draws the files of testdata/pages: the comment of a report as sql/reports has it, a line of columns with
// their types, a line a row ("-" is NULL, [1,-,2] a list). NAME.html is what is expected between the page's <body> tags.
func TestPages(t *testing.T) {
	files, err := filepath.Glob("testdata/pages/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no files in testdata/pages", err)
	}
	for _, file := range files {
		var got bytes.Buffer
		if err := Write(&got, readTable(t, file), Options{Format: "html"}); err != nil {
			t.Fatal(file, err)
		}
		checkPage(t, file, got.String())
		savePage(t, file, got.Bytes())
		_, body, _ := strings.Cut(got.String(), "<body")
		compare(t, strings.TrimSuffix(file, ".txt")+".html", []byte("<body"+body))
	}
}

// TestPageOfReports draws reports as one page; one fails and one has no rows.
func TestPageOfReports(t *testing.T) {
	page := Page{Title: "All reports", Note: "Of one day.", Groups: []Group{
		{Title: "Service", Note: "Rate, errors, duration.", Sections: []Section{
			{Name: "over_time", Table: readTable(t, "testdata/pages/lines.txt")},
			{Name: "broken", Table: Table{Title: "Broken"}, Err: errors.New("cannot run the query: no such table <requests>")},
		}},
		{Title: "Cost", Sections: []Section{{Name: "none", Table: Table{Title: "Nothing yet", Columns: []Column{{"a", "BIGINT", ""}}}}}},
	}}
	var got bytes.Buffer
	if err := WritePage(&got, page); err != nil {
		t.Fatal(err)
	}
	checkPage(t, "page of reports", got.String())
	savePage(t, "reports.txt", got.Bytes())
	for _, want := range []string{
		`<a href="#broken">Broken</a> <span class="flag">not available</span>`, "no such table &lt;requests&gt;",
		`<a href="#none">Nothing yet</a> <span class="flag">empty</span>`, "No rows: ", `<details open id="over_time">`,
	} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// A chart that does not fit its report is told in its place; the table is there all the same.
func TestChartsThatCannotBeDrawn(t *testing.T) {
	r := readTable(t, "testdata/pages/lines.txt")
	for _, c := range []struct {
		chart sql.Chart
		want  string
	}{
		{sql.Chart{Kind: "lines", Title: "X", Columns: []string{"speed"}, Over: "time"}, "needs the column speed"},
		{sql.Chart{Kind: "lines", Title: "X", Columns: []string{"sm_clock"}, Over: "time"}, "more than one value"},
		{sql.Chart{Kind: "lines", Title: "X", Columns: []string{"sm_clock", "busy"}, Over: "time", By: "gpu"}, "on one axis"},
	} {
		r.Charts = []sql.Chart{c.chart}
		var got bytes.Buffer
		if err := Write(&got, r, Options{Format: "html"}); err != nil {
			t.Fatal(err)
		}
		if page := got.String(); !strings.Contains(page, c.want) || !strings.Contains(page, "<table>") {
			t.Errorf("%+v: the page does not say %q beside its table", c.chart, c.want)
		}
	}
}

func savePage(t *testing.T, file string, page []byte) {
	t.Helper()
	if *pages == "" {
		return
	}
	name := strings.TrimSuffix(filepath.Base(file), ".txt") + ".html"
	if err := os.WriteFile(filepath.Join(*pages, name), page, 0o600); err != nil {
		t.Fatal(err)
	}
}

func readTable(t *testing.T, file string) Table {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	report, err := sql.ParseReport(filepath.Base(file), string(text))
	if err != nil {
		t.Fatal(err)
	}
	r := Table{Title: report.Title, Description: report.Description, Rare: report.Rare, Layers: report.Layers, Charts: report.Charts,
		Params: []Param{{"by", "gpu"}}, Complete: start.Add(3 * 3600e9)}
	lines := strings.Split(strings.TrimSpace(report.Query), "\n")
	for _, c := range strings.Fields(lines[0]) {
		name, kind, _ := strings.Cut(c, ":")
		r.Columns = append(r.Columns, Column{name, kind, report.Units[name]})
	}
	for _, line := range lines[1:] {
		var row []any
		for i, text := range strings.Fields(line) {
			row = append(row, readCell(t, r.Columns[i].Type, text))
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

func readCell(t *testing.T, kind, text string) any {
	t.Helper()
	var v any
	var err error
	switch {
	case text == "-":
		return nil
	case strings.HasSuffix(kind, "[]"):
		list := []any{}
		for _, item := range strings.Split(strings.Trim(text, "[]"), ",") {
			list = append(list, readCell(t, strings.TrimSuffix(kind, "[]"), item))
		}
		return list
	case kind == "TIMESTAMP":
		v, err = sql.ParseTime(text)
	case kind == "DOUBLE":
		v, err = strconv.ParseFloat(text, 64)
	case kind == "BIGINT":
		v, err = strconv.ParseInt(text, 10, 64)
	case kind == "HUGEINT":
		v, _ = new(big.Int).SetString(text, 10)
	default:
		v = text
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}
