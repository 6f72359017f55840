// Package render writes the answer to a query for people and for programs.
//
//   - Table: the answer to a query: columns with their types and units, rows, and what the report says about itself.
//   - For people: table (terminal), markdown and html. Times and ratios are rounded and say their unit in the header.
//   - Page: reports in groups, as one HTML page. Pictures are drawn from the rows by package chart.
//   - For programs: json and csv. Numbers are as the query gave them, in the units of the query.
//
// NULL, 0 and the empty text stay three things in every format. Parquet is not written here: DuckDB's COPY does that,
// in the warehouse.
package render

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/inferlake/inferlake/sql"
)

// Table is the answer to a query, and what is to be said about it.
type Table struct {
	Title       string // "": an ad-hoc query
	Description string
	Params      []Param
	Columns     []Column
	Rows        [][]any   // as database/sql scans them
	Optional    []string  // columns to leave out first where room is short, in this order
	Complete    time.Time // up to when nothing is missing: what comes after is provisional; the zero time: not said
	Rare        []string  // columns that a terminal's table shows only where one of them is not 0
	Layers      []string  // what it shows of the layers of an inference service
	Charts      []sql.Chart
	Of          int // how many rows there were before Top left some out; 0: all are here
}

// Param is a parameter that the query ran with.
type Param struct{ Name, Value string }

// Column is a column of a result.
type Column struct {
	Name string
	Type string // as DuckDB names it
	Unit string // "seconds", "ratio" and "USD" are made readable in tables; others are written beside the name
}

// Options say how to write.
type Options struct {
	Format string // one of Formats; "": table
	Width  int    // characters of a line of a table; 0: 80
	Color  bool   // the titles of a table are bold
}

type writer func(io.Writer, Table, Options) error

var writers = []struct {
	format string
	write  writer
}{
	{"table", writeTable}, {"markdown", writeMarkdown}, {"html", writeHTML}, {"json", writeJSON}, {"csv", writeCSV},
}

// Formats lists the formats.
func Formats() []string {
	var names []string
	for _, w := range writers {
		names = append(names, w.format)
	}
	return names
}

// Write writes a table in the format of the options.
func Write(out io.Writer, r Table, o Options) error {
	if o.Format == "" {
		o.Format = "table"
	}
	for _, w := range writers {
		if w.format == o.Format {
			return w.write(out, r, o)
		}
	}
	return fmt.Errorf("cannot write the format %q: there are %s", o.Format, strings.Join(Formats(), ", "))
}

// column returns a column's index, −1 without it.
func (r Table) column(name string) int {
	return slices.IndexFunc(r.Columns, func(c Column) bool { return c.Name == name })
}

// without returns the result with columns left out.
func (r Table) without(names ...string) Table {
	var keep []int
	for i, c := range r.Columns {
		if !slices.Contains(names, c.Name) {
			keep = append(keep, i)
		}
	}
	out := r
	out.Columns, out.Rows = nil, make([][]any, len(r.Rows))
	for _, i := range keep {
		out.Columns = append(out.Columns, r.Columns[i])
		for n, row := range r.Rows {
			out.Rows[n] = append(out.Rows[n], row[i])
		}
	}
	return out
}
