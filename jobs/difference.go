package jobs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"

	"github.com/inferlake/inferlake/jobs/render"
)

// difference sets columns of a report against those of an earlier one, a row a group of either: before, now, their
// difference, and it as a share of before. A group is what the columns say that stand before the first number. What one of
// them does not have is NULL, and counts as 0 in the difference.
func difference(now, before render.Table, columns []string) (t render.Table, err error) {
	keys := keyColumns(now)
	t.Columns = append(t.Columns, now.Columns[:keys]...)
	for _, name := range columns {
		i := slices.IndexFunc(now.Columns, func(c render.Column) bool { return c.Name == name })
		if i < 0 {
			return t, fmt.Errorf("it has no column %s to compare", name)
		}
		c := now.Columns[i]
		t.Columns = append(t.Columns, render.Column{Name: name + "_before", Type: c.Type, Unit: c.Unit}, c,
			render.Column{Name: name + "_difference", Type: c.Type, Unit: c.Unit}, render.Column{Name: name + "_change_ratio", Type: "DOUBLE", Unit: "ratio"})
	}
	was, is := byGroup(before, keys), byGroup(now, keys)
	seen := map[string]bool{}
	for _, row := range slices.Concat(now.Rows, before.Rows) {
		key := fmt.Sprintf("%#v", row[:keys])
		if seen[key] {
			continue
		}
		seen[key] = true
		changed := slices.Clone(row[:keys])
		for _, name := range columns {
			changed = append(changed, change(was[key][name], is[key][name])...)
		}
		t.Rows = append(t.Rows, changed)
	}
	return t, nil
}

// keyColumns counts the columns before the first number.
func keyColumns(t render.Table) int {
	i := slices.IndexFunc(t.Columns, func(c render.Column) bool { return c.Type != "VARCHAR" && c.Type != "BOOLEAN" })
	if i < 0 {
		return len(t.Columns)
	}
	return i
}

// byGroup finds rows by what their first columns say.
func byGroup(t render.Table, keys int) map[string]map[string]any {
	all, rows := map[string]map[string]any{}, named(t)
	for i, row := range t.Rows {
		all[fmt.Sprintf("%#v", row[:keys])] = rows[i]
	}
	return all
}

// change is before, now, their difference with all digits, and the ratio.
func change(before, now any) []any {
	a, b := number(before), number(now)
	if a == nil && b == nil {
		return []any{nil, nil, nil, nil}
	}
	a, b = cmp.Or(a, new(big.Rat)), cmp.Or(b, new(big.Rat))
	d := new(big.Rat).Sub(b, a)
	row := []any{before, now, like(d, before, now), nil}
	if a.Sign() != 0 {
		ratio, _ := new(big.Rat).Quo(d, a).Float64()
		row[3] = ratio
	}
	return row
}

// places are those of money.
const places = 12

// like is a number of the kind that others are: DOUBLE where one of them is.
func like(r *big.Rat, others ...any) any {
	for _, v := range others {
		if _, ok := v.(float64); ok {
			f, _ := r.Float64()
			return f
		}
	}
	if r.IsInt() {
		return json.Number(r.Num().String())
	}
	return json.Number(r.FloatString(places))
}

// number is a value as a number with all digits, nil where it is none.
func number(v any) *big.Rat {
	switch v := v.(type) {
	case int64, uint64, *big.Int, json.Number:
		if r, ok := new(big.Rat).SetString(fmt.Sprint(v)); ok {
			return r
		}
	case float64:
		return new(big.Rat).SetFloat64(v)
	}
	return nil
}
