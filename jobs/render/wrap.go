package render

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Wrap breaks a text into lines of at most width columns, each begun by indent.
func Wrap(s string, width int, indent string) string {
	lines := strings.Split(text.WrapSoft(strings.Join(strings.Fields(s), " "), width-len(indent)), "\n")
	for i, l := range lines {
		lines[i] = indent + strings.TrimSpace(l)
	}
	return strings.Join(lines, "\n")
}
