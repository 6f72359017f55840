package render

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

var people = Table{
	Columns: []Column{{"name", "VARCHAR", ""}, {"usd", "DECIMAL(18,2)", "USD"}, {"at", "TIMESTAMP", ""}},
	Rows: [][]any{
		{"b", json.Number("10.00"), start}, {"a", json.Number("9.50"), nil}, {nil, nil, start.Add(-1)}, {"c", json.Number("9.50"), start.Add(1)},
	},
}

func TestSorted(t *testing.T) {
	for by, want := range map[string]string{
		"name": "a b c <nil>", "-name": "c b a <nil>", "usd": "a c b <nil>", "-usd": "b a c <nil>", "at": "<nil> b c a", "-at": "c b <nil> a",
	} {
		sorted, err := people.Sorted(by)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, row := range sorted.Rows {
			names = append(names, fmt.Sprint(row[0]))
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("by %s: %s, want %s", by, got, want)
		}
	}
	if people.Rows[0][0] != "b" {
		t.Error("the table itself was sorted")
	}
	if _, err := people.Sorted("-age"); err == nil || !strings.Contains(err.Error(), `"age": the columns are name, usd, at`) {
		t.Errorf("a column that is not there: %v", err)
	}
}

func TestTop(t *testing.T) {
	if top := people.Top(4); len(top.Rows) != 4 || top.shown() != "4 rows" {
		t.Errorf("all of them: %s", top.shown())
	}
	if top := people.Top(1); len(top.Rows) != 1 || top.shown() != "1 of 4 rows shown" {
		t.Errorf("one of them: %s", top.shown())
	}
}

func TestSparkline(t *testing.T) {
	nan := unknown(1)[0]
	for want, list := range map[string][]float64{
		"▁▂▅█": {0, 1, 4, 8}, "█·█": {5, nan, 5}, "▁▁": {0, 0}, "▁█": {-3, 2}, "██": {1980, 1979},
	} {
		if got := sparkline(list); got != want {
			t.Errorf("%v is drawn %s, want %s", list, got, want)
		}
	}
	long := make([]float64, 240)
	long[100] = 7
	if got := sparkline(long); got != strings.Repeat("▁", 10)+"█"+strings.Repeat("▁", 13) {
		t.Errorf("one peak among many is drawn %s", got)
	}
}
