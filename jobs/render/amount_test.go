package render

import (
	"bytes"
	"encoding/json"
	"testing"
)

// A negative amount is a number in CSV, not a text that a spreadsheet could take for a formula.
func TestNegativeAmountsInCSV(t *testing.T) {
	var b bytes.Buffer
	table := Table{Columns: []Column{{"usd", "DECIMAL(38,12)", "USD"}, {"name", "VARCHAR", ""}}, Rows: [][]any{{json.Number("-0.500000000000"), "-0.5"}}}
	if err := writeCSV(&b, table, Options{}); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "usd,name\r\n-0.500000000000,\"'-0.5\"\r\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
