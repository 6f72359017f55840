package warehouse

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

func TestPricesAreExact(t *testing.T) {
	w := open(t, t.TempDir())
	from, to := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 7, 1, 0, 0, 0, 0, time.UTC)
	for _, prices := range [][]Price{
		{{"old", from, to, "1"}},
		{{"H100", from, to, "2.49"}, {"H100", to, time.Time{}, "0.000000000001"}},
	} {
		if err := w.SetPrices(context.Background(), prices); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.SetPrices(context.Background(), []Price{{"H100", from, to, "much"}}); err == nil {
		t.Error("a price that is no number was stored")
	}
	got, err := w.Query(context.Background(), "FROM prices ORDER BY valid_from", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]any{{"H100", from, to, json.Number("2.490000000000")}, {"H100", to, nil, json.Number("0.000000000001")}}
	if !reflect.DeepEqual(got.Rows, want) {
		t.Errorf("the prices are %v, want %v", got.Rows, want)
	}
}
