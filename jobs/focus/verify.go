package focus

import (
	"fmt"
	"io"
	"math/big"
)

// Refusal is a rule that does not hold.
type Refusal struct {
	Rule   string
	Row    int // of the file, from 1: the names
	Column string
	Value  string
	Why    string
}

func (r Refusal) String() string {
	return fmt.Sprintf("%s: row %d, column %s, value %q: %s", r.Rule, r.Row, r.Column, r.Value, r.Why)
}

// Rule is what must hold of a file.
type Rule struct {
	Name, What string
	check      func(*file, refuse)
}

// refuse reports that a rule does not hold; row -1 is the line of names.
type refuse func(row int, column, value, why string)

// Result is what a check found.
type Result struct {
	Rows, Origins, Splits int
	Refusals              []Refusal // the first of each rule, most of a rule being of one cause
	Billed                *big.Rat  // USD of the rows that are no splits
}

// Verify checks a file by every rule. It returns what is refused, and an error only where the file cannot be read.
func Verify(r io.Reader) (Result, error) {
	f, err := read(r)
	if err != nil {
		return Result{}, err
	}
	out := Result{Rows: len(f.rows), Billed: new(big.Rat)}
	for n := range f.rows {
		if f.isSplit(n) {
			out.Splits++
			continue
		}
		out.Origins++
		if usd := f.number(n, "BilledCost"); usd != nil {
			out.Billed.Add(out.Billed, usd)
		}
	}
	for _, rule := range Rules {
		said := 0
		rule.check(f, func(row int, column, value, why string) {
			if said++; said <= perRule {
				out.Refusals = append(out.Refusals, Refusal{rule.Name, row + 2, column, value, why})
			}
		})
	}
	return out, nil
}

// perRule is how many refusals of a rule are told.
const perRule = 5
