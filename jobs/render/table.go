package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// writeTable writes a table, rare columns only where they say something. It fits the width: whole if it can, else without
// optional columns; else a few rows are turned on their side with a line a column, and many are written in panels of columns.
func writeTable(out io.Writer, r Table, o Options) error {
	if o.Width == 0 {
		o.Width = 80
	}
	span, r := window(r.withoutZeros())
	blocks := layout(gridOf(r), r.Optional, o.Width)
	lines := append(titleLines(r, span, o.Color), blocks...)
	end := "(" + r.shown() + ")"
	if p := provisional(r); p != "" {
		end += "\n" + p
	}
	lines = append(lines, end)
	_, err := io.WriteString(out, strings.Join(lines, "\n\n")+"\n")
	return err
}

func titleLines(r Table, span string, color bool) []string {
	if r.Title == "" {
		return nil
	}
	lines := []string{r.Title}
	if color {
		lines[0] = text.Bold.EscapeSeq() + r.Title + text.Reset.EscapeSeq()
	}
	if span != "" {
		lines = append(lines, span)
	}
	if p := parameters(r); p != "" {
		lines = append(lines, p)
	}
	return []string{strings.Join(lines, "\n")}
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return thousands(fmt.Sprint(n)) + " " + what
}

// grid is a table of texts: columns with a name, a header and cells.
type grid []gridColumn

type gridColumn struct {
	name, header string
	number       bool
	cells        []string
}

func gridOf(r Table) grid {
	scales := scalesOf(r)
	g := make(grid, len(r.Columns))
	for i, c := range r.Columns {
		g[i] = gridColumn{name: c.Name, header: header(c, scales[i])}
		for _, row := range r.Rows {
			g[i].cells = append(g[i].cells, readable(row[i], scales[i]))
			g[i].number = g[i].number || isNumber(row[i])
		}
	}
	return g
}

func layout(g grid, optional []string, width int) []string {
	whole := g.render()
	if fits(whole, width) {
		return []string{whole}
	}
	if less, left := g.narrowed(optional, width); left != nil {
		return []string{less, Wrap("Left out: "+strings.Join(left, ", "), width, "")}
	}
	if g.rows() > mostTurned {
		if blocks := g.panels(width); blocks != nil {
			return blocks
		}
	}
	return g.turned(width)
}

// panels writes some columns of all rows, then the next ones; each panel begins with the columns that say what a row is.
// nil where not even one column fits beside those.
func (g grid) panels(width int) (blocks []string) {
	keys := g.keys()
	for from := keys; from < len(g); {
		to := from
		block := ""
		for to < len(g) {
			wider := append(slices.Clone(g[:keys]), g[from:to+1]...).render()
			if !fits(wider, width) {
				break
			}
			to, block = to+1, wider
		}
		if to == from {
			return nil
		}
		blocks, from = append(blocks, block), to
	}
	return blocks
}

// keys counts the columns before the first number, three at most.
func (g grid) keys() int {
	n := slices.IndexFunc(g, func(c gridColumn) bool { return c.number })
	return max(1, min(n, 3))
}

// narrowed leaves out optional columns until the table fits; nil when it does not.
func (g grid) narrowed(optional []string, width int) (drawn string, left []string) {
	for _, name := range optional {
		var less grid
		for _, c := range g {
			if c.name != name {
				less = append(less, c)
			}
		}
		if len(less) < len(g) {
			left = append(left, name)
		}
		if g = less; fits(g.render(), width) {
			return g.render(), left
		}
	}
	return "", nil
}

// turned makes a line of each column, with as many rows beside each other as fit.
func (g grid) turned(width int) []string {
	var blocks []string
	for from := 0; from < g.rows(); {
		to := from + 1
		block := g.turnedRows(from, to).render()
		for to < g.rows() {
			wider := g.turnedRows(from, to+1).render()
			if !fits(wider, width) {
				break
			}
			to, block = to+1, wider
		}
		blocks = append(blocks, block)
		from = to
	}
	return blocks
}

func (g grid) rows() int {
	if len(g) == 0 {
		return 0
	}
	return len(g[0].cells)
}

// turnedRows is the rows [from, to) as columns, headed by their first cell.
func (g grid) turnedRows(from, to int) grid {
	names := gridColumn{header: g[0].header}
	for _, c := range g[1:] {
		names.cells = append(names.cells, c.header)
	}
	side := grid{names}
	for row := from; row < to; row++ {
		col := gridColumn{header: g[0].cells[row], number: true}
		for _, c := range g[1:] {
			col.cells = append(col.cells, c.cells[row])
		}
		side = append(side, col)
	}
	return side
}

func (g grid) render() string {
	w := table.NewWriter()
	w.SetStyle(table.StyleLight)
	w.Style().Options = table.Options{SeparateHeader: true}
	w.Style().Format.Header = text.FormatDefault
	w.Style().Box.PaddingLeft = ""
	w.Style().Box.PaddingRight = "  "
	var heads table.Row
	var configs []table.ColumnConfig
	for i, c := range g {
		heads = append(heads, c.header)
		align := text.AlignLeft
		if c.number {
			align = text.AlignRight
		}
		configs = append(configs, table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align})
	}
	w.AppendHeader(heads)
	w.SetColumnConfigs(configs)
	for row := range g.rows() {
		var cells table.Row
		for _, c := range g {
			cells = append(cells, c.cells[row])
		}
		w.AppendRow(cells)
	}
	return trimmed(w.Render())
}

// trimmed takes the blanks off the ends of the lines.
func trimmed(drawn string) string {
	lines := strings.Split(drawn, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func fits(drawn string, width int) bool {
	for line := range strings.Lines(drawn) {
		if text.StringWidthWithoutEscSequences(strings.TrimSuffix(line, "\n")) > width {
			return false
		}
	}
	return true
}
