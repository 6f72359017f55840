package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kinds are how an instance is bought. A price without one is for all but spot instances.
var Kinds = []string{"on_demand", "spot", "reserved", "on_prem"}

// Variants are the three prices of one thing: what the list says, what was agreed, and what it comes to with commitments spread over
// the hours that they are for.
var Variants = []string{"list", "contracted", "effective"}

// Price is what an hour of a GPU costs for the instances that have its key, node, region and type, as far as they are given; without
// any, for all.
type Price struct {
	GPUType    string
	Key        string // an instance type, as instances say it in price_key
	Node       string
	Region     string
	Kind       string // one of Kinds; "": not said
	Variant    string // one of Variants; "": list
	From       time.Time
	To         time.Time // the zero time: until the next price for the same
	USDPerHour string    // a decimal, like 2.49
	Method     string    // how the amount came about; "": it was stated
}

// Check refuses a price of no known kind, or of no time.
func (p Price) Check() error {
	switch {
	case p.Kind != "" && !slices.Contains(Kinds, p.Kind):
		return fmt.Errorf("the kind cannot be %q: choose one of %s", p.Kind, strings.Join(Kinds, ", "))
	case p.Variant != "" && !slices.Contains(Variants, p.Variant):
		return fmt.Errorf("the variant cannot be %q: choose one of %s", p.Variant, strings.Join(Variants, ", "))
	case p.From.IsZero():
		return errors.New("the price has no time from which it holds")
	case !p.To.IsZero() && !p.From.Before(p.To):
		return fmt.Errorf("the price holds until %s, before it begins", p.To.Format(time.RFC3339))
	}
	_, err := parseAmount("the price", p.USDPerHour)
	return err
}

// sorted puts prices in a fixed order, and refuses two for the same at the same time.
func sorted(prices []Price) ([]Price, error) {
	slices.SortFunc(prices, Compare)
	for i, p := range prices[1:] {
		if q := prices[i]; Compare(q, p) == 0 && q.USDPerHour != p.USDPerHour {
			return nil, fmt.Errorf("two prices for %s from %s on: %s and %s", p.what(), p.From.Format(time.RFC3339), q.USDPerHour, p.USDPerHour)
		}
	}
	return slices.CompactFunc(prices, func(a, b Price) bool { return Compare(a, b) == 0 }), nil
}

// Compare orders prices by what they are for, and from when on.
func Compare(a, b Price) int {
	return cmp.Or(cmp.Compare(a.GPUType, b.GPUType), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Region, b.Region),
		cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Variant, b.Variant), a.From.Compare(b.From))
}

// what names what a price is for.
func (p Price) what() string {
	var parts []string
	for _, part := range []string{p.GPUType, p.Key, p.Node, p.Region, p.Kind, p.Variant} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ")
}
