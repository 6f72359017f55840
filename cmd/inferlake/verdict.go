package main

import (
	"fmt"
	"strings"

	"github.com/inferlake/inferlake/warehouse"
)

// fewFigures are shown one by one; more are counted, and only those that differ shown.
const fewFigures = 4

// verdictText lists the checks, each held or broken, with the figures it compared.
func verdictText(r warehouse.Report) string {
	var b strings.Builder
	for _, c := range r.Checks {
		word := "held  "
		if !c.Held {
			word = "BROKEN"
		}
		fmt.Fprintf(&b, "%s  %s\n", word, c.Title)
		if c.Error != "" {
			fmt.Fprintf(&b, "        could not be checked: %s\n", c.Error)
		}
		listFigures(&b, c.Figures)
	}
	return b.String()
}

func listFigures(b *strings.Builder, all []warehouse.Figure) {
	equal := 0
	for _, f := range all {
		switch {
		case !f.Held:
			fmt.Fprintf(b, "        %s: %v, expected %v  <- differs\n", f.What, f.Found, f.Expected)
		case len(all) <= fewFigures:
			fmt.Fprintf(b, "        %s: %v\n", f.What, f.Found)
		default:
			equal++
		}
	}
	if equal > 0 {
		fmt.Fprintf(b, "        %d of %d comparisons hold\n", equal, len(all))
	}
}
