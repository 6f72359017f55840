package warehouse

import (
	"context"
	"encoding/json"
	"math/big"
	"slices"
	"testing"
	"time"

	text "github.com/inferlake/inferlake/sql"
)

type asking func(query string, args map[string]any) (Result, error)

// summed is the exact sum of a column of a report.
func summed(t *testing.T, ask asking, name, column string, given map[string]string) *big.Rat {
	t.Helper()
	report, err := text.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	query, args := questionOf(t, report, given)
	r, err := ask(query, args)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(r.Columns, func(c ResultColumn) bool { return c.Name == column })
	if at < 0 {
		t.Fatalf("report %s has no column %s", name, column)
	}
	sum := new(big.Rat)
	for _, row := range r.Rows {
		if usd, ok := row[at].(json.Number); ok {
			x, _ := new(big.Rat).SetString(usd.String())
			sum.Add(sum, x)
		}
	}
	return sum
}

// bills are reports whose sum of a column is what GPUs cost.
var bills = []struct {
	report, column string
	params         map[string]string
}{
	{"cost_per_token", "usd", nil},
	{"cost_per_token", "usd", map[string]string{"by": "hour"}},
	{"cost_by_tenant", "usd", map[string]string{"idle": "proportional"}},
	{"focus", "EffectiveCost", map[string]string{"rows": "origin"}},
	{"focus", "BilledCost", map[string]string{"rows": "allocated"}},
}

// A price is changed for two seconds of a sealed period: every report's sum changes by just those hours times the difference, with
// nothing taken in again; as of the seal nothing changes, and the corrections say the difference.
func TestAPriceChangeReratesThePast(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	lease := acquire(t, w, lane0)
	now := func(query string, args map[string]any) (Result, error) {
		return w.Query(context.Background(), query, args)
	}
	sealed := func(query string, args map[string]any) (Result, error) {
		return w.QueryAt(context.Background(), november.Name, query, args)
	}
	at := func(seconds int64) time.Time { return time.Unix(0, noon+seconds*second).UTC() }
	prices := func(between string) {
		t.Helper()
		if err := w.SetPrices(context.Background(), []Price{
			{GPUType: "H100", From: time.Unix(0, 0).UTC(), USDPerHour: "3.6"}, {GPUType: "H100", From: at(1), USDPerHour: between},
			{GPUType: "H100", From: at(3), USDPerHour: "3.6"},
		}); err != nil {
			t.Fatal(err)
		}
	}
	prices("3.6")
	fillHour(t, mem, w, lease, 0, 40)
	if _, err := w.Attribute(context.Background(), true); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Seal(context.Background(), november); err != nil {
		t.Fatal(err)
	}
	var was []*big.Rat
	for _, b := range bills {
		was = append(was, summed(t, now, b.report, b.column, b.params))
	}
	attributed, err := w.LastCommit(context.Background())
	if err != nil {
		t.Fatal(err)
	}

	prices("7.2000000018") // 1 GPU for 2 s: 2 millidollars and one picodollar more
	want, _ := new(big.Rat).SetString("0.002000000001")
	for i, b := range bills {
		got := new(big.Rat).Sub(summed(t, now, b.report, b.column, b.params), was[i])
		if was[i].Sign() <= 0 || got.Cmp(want) != 0 {
			t.Errorf("%v: it rose by %s from %s, want %s", b, got.FloatString(15), was[i].FloatString(12), want.FloatString(12))
		}
	}
	last := len(bills) - 1
	if again := summed(t, sealed, bills[last].report, bills[last].column, bills[last].params); again.Cmp(was[last]) != 0 {
		t.Errorf("%v as of the seal is %s, was %s", bills[last], again.FloatString(12), was[last].FloatString(12))
	}
	if commit, err := w.LastCommit(context.Background()); err != nil || commit != attributed+1 {
		t.Errorf("%d commits for a price: nothing is to be attributed again, %v", commit-attributed, err)
	}
	corrections := summed(t, sealed, "cost_corrections", "difference_usd", map[string]string{"by": "instance"})
	if twice := new(big.Rat).Add(want, want); corrections.Cmp(twice) != 0 { // the bill, and its parts
		t.Errorf("the corrections add up to %s, want %s", corrections.FloatString(12), twice.FloatString(12))
	}

	// Which of three prices counts is a setting, and a seal keeps it.
	if err := w.AddPrices(context.Background(), "deal", []Price{{GPUType: "H100", From: time.Unix(0, 0).UTC(), Variant: "contracted", USDPerHour: "1.8"}}); err != nil {
		t.Fatal(err)
	}
	contracted := summed(t, now, "cost_per_token", "usd", nil)
	if half := new(big.Rat).Mul(was[0], big.NewRat(1, 2)); contracted.Cmp(half) != 0 {
		t.Errorf("at the contracted price it is %s, want %s", contracted.FloatString(12), half.FloatString(12))
	}
	if err := w.UsePrices(context.Background(), "list"); err != nil {
		t.Fatal(err)
	}
	if list := new(big.Rat).Sub(summed(t, now, "cost_per_token", "usd", nil), was[0]); list.Cmp(want) != 0 {
		t.Errorf("at the list price it differs by %s", list.FloatString(12))
	}
	if again := summed(t, sealed, "cost_per_token", "usd", nil); again.Cmp(was[0]) != 0 {
		t.Errorf("as of the seal it is %s", again.FloatString(12))
	}
	if err := w.UsePrices(context.Background(), "cheapest"); err == nil {
		t.Error("an unknown variant was chosen")
	}
}
