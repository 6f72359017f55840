package focus

import (
	"bytes"
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"
)

// day is a part of what was exported of a simulated day: each origin followed by the rows that split it.
func day(t *testing.T) [][]string {
	t.Helper()
	content, err := os.ReadFile("testdata/day.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func verified(t *testing.T, rows [][]string) Result {
	t.Helper()
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	r, err := Verify(&b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAnExportHolds(t *testing.T) {
	r := verified(t, day(t))
	if len(r.Refusals) != 0 || r.Origins < 3 || r.Splits < 3*r.Origins || r.Billed.Sign() <= 0 {
		t.Errorf("%+v", r)
	}
}

// mutations change one thing of a file that holds: a value in a row (1: the names), and the rule that must refuse it.
var mutations = []struct {
	rule, column string
	row          int
	value        string
}{
	{"column-missing", "ListCost", 1, "x_ListCost"},
	{"column-unknown", "RegionId", 1, "Zone"},
	{"column-unknown", "x_Phase", 1, "x_phase"},
	{"column-twice", "x_Phase", 1, "x_State"},
	{"row-length", "", 3, ""},
	{"text-utf8", "ChargeDescription", 2, "GPU\xff"},
	{"not-null", "BilledCost", 2, ""},
	{"not-null", "ServiceName", 3, ""},
	{"decimal", "EffectiveCost", 2, "6.1e0"},
	{"decimal", "PricingQuantity", 2, "3,07"},
	{"decimal", "ListUnitPrice", 3, "$1.99"},
	{"datetime", "ChargePeriodStart", 2, "2026-12-01 00:00:00"},
	{"datetime", "ChargePeriodEnd", 3, "2026-12-01T01:00:00+01:00"},
	{"json", "Tags", 2, "deployment=chat"},
	{"json", "AllocatedTags", 3, `["model"]`},
	{"enum", "ChargeCategory", 2, "usage"},
	{"enum", "PricingCategory", 2, "Spot"},
	{"enum", "ChargeClass", 2, "Rebate"},
	{"currency", "BillingCurrency", 2, "US$"},
	{"currency", "BillingCurrency", 4, "EUR"},
	{"billing-period", "BillingPeriodEnd", 2, "2026-11-01T00:00:00Z"},
	{"charge-period", "ChargePeriodEnd", 2, "2026-12-01T00:00:00Z"},
	{"period-nested", "ChargePeriodStart", 2, "2026-11-30T23:00:00Z"},
	{"negative-cost", "BilledCost", 3, "-0.01"},
	{"negative-quantity", "ConsumedQuantity", 3, "-1"},
	{"negative-price", "ContractedUnitPrice", 2, "-1.99"},
	{"list-cost", "ListCost", 2, "6.12"},
	{"contracted-cost", "ContractedUnitPrice", 3, "1.50"},
	{"pricing-unit", "PricingUnit", 2, ""},
	{"consumed-unit", "ConsumedQuantity", 2, ""},
	{"sku-price", "SkuId", 2, ""},
	{"account-name", "BillingAccountName", 3, "another"},
	{"key-custom", "SkuPriceDetails", 2, `{"GpuType":"H100"}`},
	{"split-without-method", "AllocatedResourceId", 2, "llama"},
	{"split-resource", "AllocatedResourceId", 3, ""},
	{"origin-twice", "x_OriginId", 8, "2026-12-01T00Z"},
	{"origin-missing", "x_OriginId", 3, "another"},
	{"ratio", "AllocatedMethodDetails", 3, `{"Elements":[{"AllocatedRatio":1.5}]}`},
	{"ratio-sum", "AllocatedMethodDetails", 3, `{"Elements":[{"AllocatedRatio":0.01}]}`},
	{"split-sum", "EffectiveCost", 3, "0.01"},
	{"split-repeats", "RegionId", 3, "elsewhere"},
	{"split-repeats", "ListUnitPrice", 4, "2"},
	{"split-tags", "AllocatedTags", 3, `{"model":"llama"}`},
}

// Every mutated file is refused, by the rule that is for it, at the row and column that were changed; every rule has one.
func TestMutatedFilesAreRefused(t *testing.T) {
	tried := map[string]bool{}
	for _, m := range mutations {
		t.Run(m.rule+" "+m.column, func(t *testing.T) {
			tried[m.rule] = true
			rows := mutated(t, m.rule, m.column, m.row, m.value)
			r := verified(t, rows)
			i := slices.IndexFunc(r.Refusals, func(r Refusal) bool { return r.Rule == m.rule && told(r, m.column, m.row) })
			if i < 0 {
				t.Fatalf("it was not refused by %s; refused: %v", m.rule, r.Refusals)
			}
			if got := r.Refusals[i].String(); !strings.HasPrefix(got, m.rule+": row ") {
				t.Errorf("the refusal says %q", got)
			}
		})
	}
	for _, rule := range Rules {
		if !tried[rule.Name] {
			t.Errorf("no file breaks the rule %s", rule.Name)
		}
	}
}

// mutated is the day with one value changed.
func mutated(t *testing.T, rule, column string, row int, value string) [][]string {
	rows := day(t)
	at := slices.Index(rows[0], column)
	switch {
	case rule == "row-length":
		rows[row-1] = rows[row-1][:3]
	case rule == "origin-twice":
		rows = append(rows, slices.Clone(rows[1]))
	case at < 0:
		t.Fatalf("there is no column %s", column)
	case rows[row-1][at] == value:
		t.Fatalf("%q is there already", value)
	default:
		rows[row-1][at] = value
	}
	return rows
}

// told says whether a refusal names the place: what only shows in a sum or beside another row is told there.
func told(r Refusal, column string, row int) bool {
	switch r.Rule {
	case "column-missing", "column-unknown", "column-twice", "row-length":
		return r.Row == row
	case "origin-twice", "origin-missing":
		return r.Column == "x_OriginId"
	case "ratio-sum", "split-sum":
		return r.Column == column
	case "consumed-unit", "contracted-cost", "sku-price", "split-resource":
		return r.Row == row
	}
	return r.Row == row && r.Column == column
}

// A correction may be negative, and a file of origins alone, or of splits alone, holds.
func TestOtherFilesHold(t *testing.T) {
	rows := day(t)
	method := slices.Index(rows[0], "AllocatedMethodId")
	for name, keep := range map[string]func([]string) bool{
		"origins": func(row []string) bool { return row[method] == "" },
		"splits":  func(row []string) bool { return row[method] != "" },
	} {
		part := [][]string{rows[0]}
		for _, row := range rows[1:] {
			if keep(row) {
				part = append(part, row)
			}
		}
		if r := verified(t, part); len(r.Refusals) != 0 || r.Rows != len(part)-1 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for _, name := range []string{"BilledCost", "ContractedCost", "EffectiveCost", "ListCost", "PricingQuantity", "ConsumedQuantity"} {
		at := slices.Index(rows[0], name)
		for _, row := range rows[1:] {
			row[at] = "-" + row[at]
		}
	}
	for _, row := range rows[1:] {
		row[slices.Index(rows[0], "ChargeClass")] = "Correction"
	}
	if r := verified(t, rows); len(r.Refusals) != 0 {
		t.Errorf("corrections: %v", r.Refusals)
	}
}

// Whatever a file holds, it is read or refused in words.
func FuzzVerify(f *testing.F) {
	content, err := os.ReadFile("testdata/day.csv")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Add([]byte("BilledCost\n\"\n"))
	f.Add([]byte("AllocatedMethodId,x_OriginId,AllocatedMethodDetails\na,,{}\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if _, err := Verify(bytes.NewReader(content)); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
	})
}
