package sql

import (
	"fmt"
	"slices"
	"strings"
)

// Report is a query over the views of v1 that the product ships: one file in sql/reports, named after it.
type Report struct {
	Name        string // file name without .sql, as the command line says it
	Title       string
	Description string // paragraphs, apart by an empty line
	Params      []Param
	Units       map[string]string // by column; a column without one is a plain number, text or time
	Optional    []string          // columns to leave out first where room is short, in this order
	Rare        []string          // columns that a terminal's table shows only where one of them is not 0
	Horizon     string            // how far it is complete: HorizonComplete, HorizonSettled, or "", not said
	Layers      []string          // what it shows of the layers of an inference service, as docs/layers.md names them
	Charts      []Chart           // pictures of its rows, in order
	Balance     string            // column that is 0 or NULL in every row of an answer that may be published; "": none
	Balanced    string            // column that says what it is about
	Query       string            // with the parameters as $name
}

// The horizons of v1.horizon that a report can need: the later one where it shows anything that is spread back.
const (
	HorizonComplete = "complete_through" // of what is booked at its moment
	HorizonSettled  = "settled_through"  // of what is spread back over open requests
)

// Param is a parameter of a report. A parameter without a value is NULL in the query.
type Param struct {
	Name    string
	Type    string   // TIMESTAMP, DOUBLE, BIGINT or VARCHAR
	Default string   // "": NULL
	Values  []string // what it may be; empty: anything of its type
	Doc     string
}

// Reports returns the shipped reports in the order of their names.
func Reports() []Report { return reports }

// Find returns the report of a name.
func Find(name string) (Report, error) {
	i := slices.IndexFunc(reports, func(r Report) bool { return r.Name == name })
	if i < 0 {
		return Report{}, fmt.Errorf("cannot find the report %q: there are %s", name, strings.Join(reportNames(), ", "))
	}
	return reports[i], nil
}

func reportNames() []string {
	var names []string
	for _, r := range reports {
		names = append(names, r.Name)
	}
	return names
}

var reports = readReports()

// readReports reads the shipped reports. A comment that cannot be read is a bug that the tests find.
func readReports() []Report {
	var all []Report
	for _, text := range Folder("reports") {
		r, err := ParseReport(text.Name, text.SQL)
		if err != nil {
			panic(err)
		}
		all = append(all, r)
	}
	return all
}
