package chart

import (
	"fmt"
	"html"
	"math"
)

// Spark draws a list of numbers as a line as high as a word, from 0 to its greatest; said is for who cannot see it.
func Spark(values []float64, said string) string {
	c := Chart{X: Axis{Labels: make([]string, len(values))}, Series: []Series{{Values: values}}}
	low, high, _ := c.bounds()
	y := scale{low: min(low, 0), high: max(high, 0)}
	if math.IsInf(low, 1) || y.low == y.high {
		y = scale{high: 1}
	}
	return fmt.Sprintf(`<svg class="spark" role="img" aria-label="%s" viewBox="0 -40 1000 1080" preserveAspectRatio="none"><path class="line c0" d="%s"/></svg>`,
		html.EscapeString(said), curve(values, c.spanOf(), y))
}
