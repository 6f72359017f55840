package focus

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
)

// Tolerance is by how much a sum or a product may differ, USD or units: amounts are rounded to the twelfth decimal, and a row may be
// the sum of some hundreds of them.
var Tolerance = big.NewRat(1, 1_000_000_000)

// same says whether two numbers differ by no more than the tolerance.
func same(a, b *big.Rat) bool {
	d := new(big.Rat).Sub(a, b)
	return d.Abs(d).Cmp(Tolerance) <= 0
}

// product is that a unit price times the priced quantity is the cost.
func product(price, cost string) func(*file, refuse) {
	return func(f *file, refuse refuse) {
		for n := range f.rows {
			p, q, c := f.number(n, price), f.number(n, "PricingQuantity"), f.number(n, cost)
			if p == nil || q == nil || c == nil {
				continue
			}
			if want := new(big.Rat).Mul(p, q); !same(want, c) {
				refuse(n, cost, f.get(n, cost), fmt.Sprintf("%s × %s is %s", f.get(n, price), f.get(n, "PricingQuantity"), want.FloatString(12)))
			}
		}
	}
}

func splitWithoutMethod(f *file, refuse refuse) {
	eachValue(f, func(row int, c Column, value string) {
		if (c.kind == split || c.kind == tags) && value != "" && !f.isSplit(row) {
			refuse(row, c.Name, value, "the row has no AllocatedMethodId")
		}
	})
}

func splitResource(f *file, refuse refuse) {
	for n := range f.rows {
		if f.get(n, "AllocatedResourceName") != "" && f.get(n, "AllocatedResourceId") == "" {
			refuse(n, "AllocatedResourceName", f.get(n, "AllocatedResourceName"), "it has no AllocatedResourceId")
		}
	}
}

func originTwice(f *file, refuse refuse) {
	for _, id := range sortedIDs(f.origins) {
		if rows := f.origins[id]; len(rows) > 1 {
			refuse(rows[1], "x_OriginId", id, fmt.Sprintf("row %d is the same origin", rows[0]+2))
		}
	}
}

func originMissing(f *file, refuse refuse) {
	for _, id := range sortedIDs(f.splits) {
		if len(f.origins) > 0 && len(f.origins[id]) == 0 {
			refuse(f.splits[id][0], "x_OriginId", id, "no row is its origin")
		}
	}
}

func sortedIDs(m map[string][]int) (ids []string) {
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// details is what we read of AllocatedMethodDetails.
type details struct {
	Elements []struct{ AllocatedRatio json.Number }
}

// ratioOf is the share of the origin that a split row has; nil where it does not say.
func (f *file) ratioOf(row int) *big.Rat {
	var d details
	if err := json.Unmarshal([]byte(f.get(row, "AllocatedMethodDetails")), &d); err != nil || len(d.Elements) == 0 {
		return nil
	}
	sum := new(big.Rat)
	for _, e := range d.Elements {
		r := exact(e.AllocatedRatio.String())
		if r == nil {
			return nil
		}
		sum.Add(sum, r)
	}
	return sum
}

func ratio(f *file, refuse refuse) {
	for n := range f.rows {
		if !f.isSplit(n) {
			continue
		}
		if r := f.ratioOf(n); r == nil || r.Sign() < 0 || r.Cmp(big.NewRat(1, 1)) > 0 {
			refuse(n, "AllocatedMethodDetails", f.get(n, "AllocatedMethodDetails"), "it has no Elements with an AllocatedRatio of 0 to 1")
		}
	}
}

func ratioSum(f *file, refuse refuse) {
	for _, id := range sortedIDs(f.splits) {
		sum := new(big.Rat)
		for _, n := range f.splits[id] {
			if r := f.ratioOf(n); r != nil {
				sum.Add(sum, r)
			}
		}
		if !same(sum, big.NewRat(1, 1)) {
			last := f.splits[id][len(f.splits[id])-1]
			refuse(last, "AllocatedMethodDetails", f.get(last, "AllocatedMethodDetails"), fmt.Sprintf("those of %s add up to %s", id, sum.FloatString(12)))
		}
	}
}

// eachSplit calls a function for each origin that is in the file and split, once.
func eachSplit(f *file, see func(origin int, splits []int)) {
	for _, id := range sortedIDs(f.splits) {
		if rows := f.origins[id]; len(rows) == 1 {
			see(rows[0], f.splits[id])
		}
	}
}

func splitSum(f *file, refuse refuse) {
	eachSplit(f, func(origin int, splits []int) {
		for _, c := range Columns {
			want := f.number(origin, c.Name)
			if c.kind != metric || want == nil {
				continue
			}
			sum := new(big.Rat)
			for _, n := range splits {
				if x := f.number(n, c.Name); x != nil {
					sum.Add(sum, x)
				}
			}
			if !same(sum, want) {
				refuse(origin, c.Name, f.get(origin, c.Name), "its splits add up to "+sum.FloatString(12))
			}
		}
	})
}

func splitRepeats(f *file, refuse refuse) {
	eachSplit(f, func(origin int, splits []int) {
		for _, c := range Columns {
			if c.kind != dimension && c.kind != unitPrice {
				continue
			}
			for _, n := range splits {
				if got, want := f.get(n, c.Name), f.get(origin, c.Name); got != want {
					refuse(n, c.Name, got, fmt.Sprintf("its origin, row %d, has %q", origin+2, want))
				}
			}
		}
	})
}

func splitTags(f *file, refuse refuse) {
	eachSplit(f, func(origin int, splits []int) {
		want, _ := keyValues(f.get(origin, "Tags"))
		for _, n := range splits {
			got, _ := keyValues(f.get(n, "AllocatedTags"))
			for key, value := range want {
				if string(got[key]) != string(value) {
					refuse(n, "AllocatedTags", f.get(n, "AllocatedTags"), fmt.Sprintf("its origin's tag %s is %s", key, value))
					break
				}
			}
		}
	})
}
