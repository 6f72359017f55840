package sql

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestReportsSayWhatTheyAre(t *testing.T) {
	for _, r := range Reports() {
		if r.Title == "" || r.Description == "" {
			t.Errorf("%s: a report has a title and a description", r.Name)
		}
		if !strings.Contains(r.Query, "\nORDER BY ") {
			t.Errorf("%s: a report is ordered", r.Name)
		}
		if _, err := r.Arguments(nil); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
}

func TestParseReport(t *testing.T) {
	r, err := ParseReport("x", `-- Title
--
-- One
-- two.
--
-- Three.
--
-- param from TIMESTAMP: Start.
-- param by VARCHAR = b {a, b}: Group.
-- unit c, d: seconds
-- optional d, c
-- rare e
-- horizon settled
-- layer latency, TTFT
-- chart bars "How long": c, d over at each group where measure = TTFT
-- chart heat "Where": c over at and bucket
SELECT $from, $by ORDER BY 1;
`)
	if err != nil {
		t.Fatal(err)
	}
	if r.Title != "Title" || r.Description != "One two.\n\nThree." || r.Units["d"] != "seconds" || len(r.Optional) != 2 || len(r.Rare) != 1 || r.Horizon != HorizonSettled {
		t.Errorf("read as %+v", r)
	}
	bars := Chart{Kind: "bars", Title: "How long", Columns: []string{"c", "d"}, Over: "at", Each: "group", Column: "measure", Value: "TTFT"}
	heat := Chart{Kind: "heat", Title: "Where", Columns: []string{"c"}, Over: "at", And: "bucket"}
	if len(r.Layers) != 2 || !reflect.DeepEqual(r.Charts, []Chart{bars, heat}) {
		t.Errorf("layers %q, charts %+v", r.Layers, r.Charts)
	}
	args, err := r.Arguments(map[string]string{"from": "2026-01-31T01:00:00+01:00"})
	if err != nil {
		t.Fatal(err)
	}
	if at := args[0].Value.(time.Time); !at.Equal(time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)) || args[1].Value != "b" {
		t.Errorf("arguments %v", args)
	}
}

func TestRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT 1":                                               "begins with a comment",
		"-- T\n-- param a INT: x\nSELECT $a":                     "not of the form",
		"-- T\n-- param a BIGINT: x\nSELECT 1":                   "does not use",
		"-- T\nSELECT $a":                                        "does not declare",
		"-- T\n-- chart pie \"P\": a over b\nSELECT 1":           "there are bars",
		"-- T\n-- chart heat \"H\": a over b\nSELECT 1":          "heat, and nothing else",
		"-- T\n-- chart lines \"L\": a, b over c by d\nSELECT 1": "one column, not 2",
		"-- T\n-- chart lines a over b\nSELECT 1":                "not of the form",
		"-- T\n-- unit a seconds\nSELECT 1 AS a":                 "not of the form",
	} {
		if _, err := ParseReport("x", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	overview, err := Find("overview")
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"by": "model; DROP TABLE requests", "slo_ttft": "soon", "slo_tpot": "NaN", "from": "yesterday", "nobody": "1"} {
		if _, err := overview.Arguments(map[string]string{name: value}); err == nil {
			t.Errorf("%s = %q was accepted", name, value)
		}
	}
	if _, err := Find("nothing"); err == nil || !strings.Contains(err.Error(), "overview") {
		t.Errorf("an unknown report: %v", err)
	}
}

// Every report is in one group, in the order of contents, and every name there is a report's.
func TestContents(t *testing.T) {
	for _, c := range contents {
		for _, name := range c.names {
			if _, err := Find(name); err != nil {
				t.Errorf("the contents name %s: %v", name, err)
			}
		}
	}
	var names []string
	for _, g := range Contents() {
		if g.Title == "" || len(g.Reports) == 0 {
			t.Errorf("a group without a title or reports: %+v", g)
		}
		for _, r := range g.Reports {
			names = append(names, r.Name)
		}
	}
	if len(names) != len(Reports()) || names[0] != "overview" {
		t.Errorf("the contents are %q", names)
	}
	for _, r := range Reports() {
		if n := strings.Count(" "+strings.Join(names, " ")+" ", " "+r.Name+" "); n != 1 {
			t.Errorf("%s stands in the contents %d times", r.Name, n)
		}
	}
}
