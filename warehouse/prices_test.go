package warehouse

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"
)

func TestPricesAreExact(t *testing.T) {
	w := open(t, t.TempDir())
	from, to := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 7, 1, 0, 0, 0, 0, time.UTC)
	for _, prices := range [][]Price{
		{{GPUType: "old", From: from, To: to, USDPerHour: "1"}},
		{{GPUType: "H100", From: from, To: to, USDPerHour: "2.49"}, {GPUType: "H100", From: to, USDPerHour: "0.000000000001"}},
	} {
		if err := w.SetPrices(context.Background(), prices); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.SetPrices(context.Background(), []Price{{GPUType: "H100", From: from, To: to, USDPerHour: "much"}}); err == nil {
		t.Error("a price that is no number was stored")
	}
	got, err := w.Query(context.Background(), "SELECT gpu_type, valid_from, valid_to, usd_per_hour FROM v1.prices ORDER BY valid_from", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]any{{"H100", from, to, json.Number("2.490000000000")}, {"H100", to, nil, json.Number("0.000000000001")}}
	if !reflect.DeepEqual(got.Rows, want) {
		t.Errorf("the prices are %v, want %v", got.Rows, want)
	}
}

// What a source says is a version; the same again is none, and what is replaced is kept but no longer counts. Cases M27, M29: an amount
// arrives as the decimal that was written, not as a whole number of some unit, and not by way of a double.
func TestPriceVersions(t *testing.T) {
	w, ctx := open(t, t.TempDir()), context.Background()
	from := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	price := func(usd string) []Price {
		return []Price{{GPUType: "H100", Kind: "spot", Variant: "list", From: from, USDPerHour: usd}}
	}
	shown := func() string {
		r, err := w.Query(ctx, "SELECT usd_per_hour, source FROM v1.prices ORDER BY ALL", nil)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(r.Rows)
	}
	for _, step := range []struct{ source, usd, want string }{
		{"a", "1.5", "[[1.500000000000 a]]"},
		{"a", "1.50", "[[1.500000000000 a]]"},
		{"a", "0.999999999999", "[[0.999999999999 a]]"},
		{"b", "0.410000000003", "[[0.410000000003 b]]"}, // for the same: the last one counts
		{"a", "1.5", "[[1.500000000000 a]]"},
	} {
		before, err := w.LastCommit(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.SetPricesOf(ctx, step.source, price(step.usd)); err != nil {
			t.Fatal(err)
		}
		if got := shown(); got != step.want {
			t.Errorf("after %v the prices are %s", step, got)
		}
		if after, err := w.LastCommit(ctx); err != nil || (step.usd == "1.50") != (after == before) {
			t.Errorf("%v made commit %d after %d, %v", step, after, before, err)
		}
	}
	expect(t, w, 4, "SELECT count(*) FROM prices")
	if err := w.DropPrices(ctx, "a"); err != nil || shown() != "[[0.410000000003 b]]" {
		t.Errorf("after a was dropped there are %s, %v", shown(), err)
	}
	if err := w.DropPrices(ctx, "a"); err == nil {
		t.Error("prices were dropped twice")
	}
}
