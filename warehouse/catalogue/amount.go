package catalogue

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"time"
)

// Places is how many decimals an amount has at most: picodollars.
const Places = 12

var amount = regexp.MustCompile(`^\d{1,12}(\.\d{1,12})?$`)

// parseAmount reads an amount that is not negative, exactly.
func parseAmount(what, text string) (*big.Rat, error) {
	if !amount.MatchString(text) {
		return nil, fmt.Errorf("%s cannot be %q: it takes an amount such as 2.95, of at most %d decimals", what, text, Places)
	}
	r, _ := new(big.Rat).SetString(text)
	return r, nil
}

var number = regexp.MustCompile(`^\d{1,12}(\.\d{1,30})?([eE][+-]?\d{1,2})?$`)

// parseNumber reads a number that may have an exponent, exactly.
func parseNumber(what, text string) (*big.Rat, error) {
	if !number.MatchString(text) {
		return nil, fmt.Errorf("%s cannot be %q: it takes a number that is not negative", what, text)
	}
	r, _ := new(big.Rat).SetString(text)
	return r, nil
}

// format writes an amount, rounded half up to picodollars, without zeros at its end.
func format(r *big.Rat) string {
	text := r.FloatString(Places)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// ParseTime reads a date or a time, UTC where no zone is given.
func ParseTime(what, text string) (t time.Time, err error) {
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if t, err = time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return t, fmt.Errorf("%s %q is no date such as 2026-01-31 or 2026-01-31T00:00:00Z", what, text)
}

// SameAmount says whether two amounts are the same number.
func SameAmount(a, b string) bool {
	x, errX := parseAmount("an amount", a)
	y, errY := parseAmount("an amount", b)
	return errX == nil && errY == nil && x.Cmp(y) == 0
}
