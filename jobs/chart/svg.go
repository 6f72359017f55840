package chart

import (
	"fmt"
	"html"
	"strconv"
	"strings"
)

// canvas collects the elements of a picture.
type canvas struct{ strings.Builder }

// begin opens a picture of a height in pixels, as wide as its place, with its name and description for who cannot see it.
func (w *canvas) begin(c Chart, class string, height float64) {
	fmt.Fprintf(w, `<svg class="chart %s" height="%s" role="img" aria-labelledby="%s-t %s-d">`, class, num(height), c.ID, c.ID)
	fmt.Fprintf(w, `<title id="%s-t">%s</title><desc id="%s-d">%s</desc>`, c.ID, html.EscapeString(c.Title), c.ID, html.EscapeString(c.describe()))
}

func (w *canvas) end() string {
	w.WriteString("</svg>")
	return w.String()
}

// stretch opens the plot area: 1000 by 1000 units however wide and high it is.
func (w *canvas) stretch(top, height float64) {
	fmt.Fprintf(w, `<svg y="%s" width="100%%" height="%s" viewBox="0 0 1000 1000" preserveAspectRatio="none">`, num(top), num(height))
}

// rect is a box; x and width in per cent of the plot, y and height in pixels. What is said is shown on pointing at it.
func (w *canvas) rect(class string, x, y, width, height float64, said string) {
	fmt.Fprintf(w, `<rect class="%s" x="%s%%" y="%s" width="%s%%" height="%s"`, class, num(x), num(y), num(width), num(height))
	if said == "" {
		w.WriteString("/>")
		return
	}
	fmt.Fprintf(w, `><title>%s</title></rect>`, html.EscapeString(said))
}

// rule is a line across the whole plot.
func (w *canvas) rule(class string, y float64) {
	fmt.Fprintf(w, `<line class="%s" x2="100%%" y1="%s" y2="%s"/>`, class, num(y), num(y))
}

// text writes at x per cent and dx pixels beside it; the class says which end of the text lies there.
func (w *canvas) text(class string, x, dx, y float64, text string) {
	fmt.Fprintf(w, `<text class="%s" x="%s%%" y="%s"`, class, num(x), num(y))
	if dx != 0 {
		fmt.Fprintf(w, ` dx="%s"`, num(dx))
	}
	fmt.Fprintf(w, `>%s</text>`, html.EscapeString(text))
}

// path draws within stretch.
func (w *canvas) path(class, d string) {
	if d != "" {
		fmt.Fprintf(w, `<path class="%s" d="%s"/>`, class, d)
	}
}

// num writes a coordinate with two digits after the point, or fewer where they are 0.
func num(f float64) string {
	text := strconv.FormatFloat(f, 'f', 2, 64)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "-0" {
		return "0"
	}
	return text
}

// short cuts a name to so many letters: out of its middle, since long names differ at their ends.
func short(name string, letters int) string {
	runes := []rune(name)
	if len(runes) <= letters {
		return name
	}
	head := (letters - 1) / 2
	return string(runes[:head]) + "…" + string(runes[len(runes)-(letters-1-head):])
}
