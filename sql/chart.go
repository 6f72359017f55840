package sql

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Chart is one picture of a report's rows. A reader without pictures loses nothing: its figures are the table's.
type Chart struct {
	Kind    string // one of ChartKinds
	Title   string
	Columns []string // what is drawn, all in one unit; for heat one column
	Over    string   // along: a time, a number or a name
	And     string   // heat: the other axis
	By      string   // a series a value; "": a series a column
	Each    string   // a small chart of its own a value; "": one chart
	Column  string   // only rows that have Value here; "": all
	Value   string
}

// ChartKinds are the kinds of chart: a mark a value; parts of a whole; a line a series; percentiles as bands, least
// first; a colour a cell.
var ChartKinds = []string{"bars", "stack", "lines", "band", "heat"}

var chartForm = regexp.MustCompile(`^(\w+) "([^"]+)": ([\w, ]+?) over (\w+)(?: and (\w+))?(?: by (\w+))?(?: each (\w+))?(?: where (\w+) = (.+))?$`)

// parseChart reads what follows the word chart in a report's comment:
//
//	bars "TTFT by model": p50, p99 over group where measure = TTFT
//	lines "Clock": sm_clock over time by gpu each node
//	heat "TTFT": requests over time and ttft_bucket
func parseChart(line string) (Chart, error) {
	m := chartForm.FindStringSubmatch(line)
	if m == nil {
		return Chart{}, fmt.Errorf(`the chart %q is not of the form: kind "title": column, column over column and column by column each column where column = value`, line)
	}
	c := Chart{Kind: m[1], Title: m[2], Columns: list(m[3]), Over: m[4], And: m[5], By: m[6], Each: m[7], Column: m[8], Value: m[9]}
	if !slices.Contains(ChartKinds, c.Kind) {
		return c, fmt.Errorf("the chart %q is of the kind %s: there are %s", c.Title, c.Kind, strings.Join(ChartKinds, ", "))
	}
	if heat := c.Kind == "heat"; heat != (c.And != "") || heat && len(c.Columns) != 1 {
		return c, fmt.Errorf("the chart %q: heat, and nothing else, has one column over one and another", c.Title)
	}
	if c.By != "" && len(c.Columns) != 1 {
		return c, fmt.Errorf("the chart %q has a series a value of %s: it can draw one column, not %d", c.Title, c.By, len(c.Columns))
	}
	return c, nil
}
