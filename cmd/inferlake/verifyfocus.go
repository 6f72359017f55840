package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/inferlake/inferlake/jobs/focus"
)

// verifyFocusCommand checks a file of cost rows.
type verifyFocusCommand struct {
	File  string `arg:"" optional:"" help:"CSV file of FOCUS rows." type:"path"`
	Rules bool   `help:"Print the rules, and check nothing."`
}

func (c *verifyFocusCommand) Run(p program) error {
	if c.Rules || c.File == "" {
		return printFocusRules(p)
	}
	content, err := os.ReadFile(c.File)
	if err != nil {
		return fmt.Errorf("cannot read the FOCUS file: %w", err)
	}
	result, err := verifyFocus(p, content)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if len(result.Refusals) > 0 {
		return errBroken
	}
	_, err = fmt.Fprintf(p.stdout, "held: %d rules over %d rows, %d charges of %s USD, %d rows that split them\n", len(focus.Rules), result.Rows,
		result.Origins, result.Billed.FloatString(focusPlaces), result.Splits)
	return err
}

// focusPlaces is how many decimals a sum of costs is shown with: picodollars.
const focusPlaces = 12

// verifyFocus checks rows, and prints what is refused.
func verifyFocus(p program, content []byte) (focus.Result, error) {
	result, err := focus.Verify(bytes.NewReader(content))
	for _, refusal := range result.Refusals {
		fmt.Fprintln(p.stdout, refusal)
	}
	return result, err
}

func printFocusRules(p program) error {
	var b strings.Builder
	for _, r := range focus.Rules {
		fmt.Fprintf(&b, "%-21s%s\n", r.Name, r.What)
	}
	_, err := fmt.Fprint(p.stdout, b.String())
	return err
}
