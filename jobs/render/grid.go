package render

import (
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/inferlake/inferlake/jobs/chart"
)

// mostTurned is how many rows a table may have that is turned on its side, so that a page need not be wider than a screen.
const mostTurned = 6

// gridHTML writes the rows as a table, with the notes that belong below it.
func gridHTML(r Table) (table string, foot []string) {
	r = r.withoutZeros()
	var b strings.Builder
	b.WriteString(`<table>`)
	if turned := len(r.Columns) > 9 && len(r.Rows) <= mostTurned; turned {
		writeTurned(&b, r)
	} else {
		writeUpright(&b, r)
	}
	b.WriteString("</table>")
	if strings.Contains(b.String(), nullMark) {
		foot = append(foot, null+" not known")
	}
	return b.String(), foot
}

func writeUpright(b *strings.Builder, r Table) {
	scales, classes := scalesOf(r), r.classes()
	b.WriteString("<thead><tr>")
	for i, c := range r.Columns {
		fmt.Fprintf(b, `<th scope="col"%s>%s</th>`, classes[i], head(c, scales[i]))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, row := range r.Rows {
		b.WriteString("<tr>")
		for i, v := range row {
			if i == 0 {
				fmt.Fprintf(b, `<th scope="row"%s>%s</th>`, classes[i], cellHTML(v, scales[i]))
				continue
			}
			fmt.Fprintf(b, `<td%s>%s</td>`, classes[i], cellHTML(v, scales[i]))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>")
}

// writeTurned writes a line a column, and the rows beside each other.
func writeTurned(b *strings.Builder, r Table) {
	scales := scalesOf(r)
	fmt.Fprintf(b, `<thead><tr><th scope="col">%s</th>`, head(r.Columns[0], scales[0]))
	for _, row := range r.Rows {
		fmt.Fprintf(b, `<th scope="col" class="n">%s</th>`, cellHTML(row[0], scales[0]))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for i, c := range r.Columns[1:] {
		fmt.Fprintf(b, `<tr><th scope="row">%s</th>`, head(c, scales[i+1]))
		for _, row := range r.Rows {
			fmt.Fprintf(b, `<td class="n">%s</td>`, cellHTML(row[i+1], scales[i+1]))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>")
}

// classes are how the cells of each column are set: numbers to the right, times on one line.
func (r Table) classes() []string {
	classes := make([]string, len(r.Columns))
	for _, row := range r.Rows {
		for i, v := range row {
			if _, isTime := v.(time.Time); isTime {
				classes[i] = ` class="t"`
			} else if isNumber(v) {
				classes[i] = ` class="n"`
			}
		}
	}
	return classes
}

// head is a column's name, which may be broken at its underscores, with its unit.
func head(c Column, s scale) string {
	name := strings.ReplaceAll(html.EscapeString(printable(c.Name)), "_", "_<wbr>")
	if s.unit == "" {
		return name
	}
	return name + ` <span class="unit">` + html.EscapeString(printable(s.unit)) + `</span>`
}

// nullMark stands for NULL.
const nullMark = `<span class="null" title="not known">` + null + `</span>`

func cellHTML(v any, s scale) string {
	if list, ok := numbers(v); ok {
		return chart.Spark(list, said(list, s))
	}
	if _, known := exact(v); !known {
		return nullMark
	}
	return html.EscapeString(readable(v, s))
}
