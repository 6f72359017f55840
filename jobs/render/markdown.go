package render

import (
	"fmt"
	"io"
	"strings"
)

// writeMarkdown writes all columns, however wide.
func writeMarkdown(out io.Writer, r Table, _ Options) error {
	var b strings.Builder
	span, r := window(r)
	if r.Title != "" {
		fmt.Fprintf(&b, "## %s\n\n", plain(r.Title))
	}
	for _, line := range []string{r.Description, span, parameters(r)} {
		if r.Title != "" && line != "" {
			fmt.Fprintf(&b, "%s\n\n", plain(line))
		}
	}
	g := gridOf(r)
	writeMarkdownRow(&b, len(g), func(i int) string { return g[i].header })
	writeMarkdownRow(&b, len(g), func(i int) string { return map[bool]string{true: "---:", false: "---"}[g[i].number] })
	for row := range g.rows() {
		writeMarkdownRow(&b, len(g), func(i int) string { return g[i].cells[row] })
	}
	if r.Of > 0 {
		fmt.Fprintf(&b, "\n%s\n", r.shown())
	}
	if p := provisional(r); p != "" {
		fmt.Fprintf(&b, "\n%s\n", p)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func writeMarkdownRow(b *strings.Builder, columns int, cell func(int) string) {
	for i := range columns {
		b.WriteString("| " + plain(cell(i)) + " ")
	}
	b.WriteString("|\n")
}

// special is what Markdown, or the HTML that it lets through, would take for its own.
var special = strings.NewReplacer("|", `\|`, "<", "&lt;", "&", "&amp;", "`", "\\`", "*", `\*`, "[", `\[`, "_", `\_`, "\n", " ")

func plain(text string) string { return special.Replace(text) }
