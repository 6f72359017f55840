package chart

import (
	"fmt"
	"math"
	"strings"
)

// Key says what a colour means. Class names the colour in Style.
type Key struct{ Class, Name string }

const (
	seriesColors = 8 // in Style: c0 and on
	bandShades   = 3 // in Style: b1 and on
)

// color is the class of a series: after all colours once more, dashed.
func color(series int) string {
	class := fmt.Sprintf("c%d", series%seriesColors)
	if series >= seriesColors {
		class += " dashed"
	}
	return class
}

// part is the class of a part of a stack. The part that is the rest has no colour.
func (c Chart) part(n int) string {
	if c.Series[n].Name == Rest {
		return "rest"
	}
	return color(n)
}

// Rest names the series that stands for all those that have none of their own.
const Rest = "(others)"

// Keys are the legend; none where the title says it all.
func (c Chart) Keys() []Key {
	switch c.Kind {
	case "heat":
		return c.heatKeys()
	case "band":
		return c.bandKeys()
	}
	if len(c.Series) < 2 {
		return nil
	}
	var keys []Key
	for i, s := range c.Series {
		keys = append(keys, Key{c.part(i), s.Name})
	}
	return keys
}

func (c Chart) bandKeys() []Key {
	var keys []Key
	for i, s := range c.Series {
		if i == 0 {
			keys = append(keys, Key{"b0", s.Name})
			continue
		}
		keys = append(keys, Key{fmt.Sprintf("b%d", min(i, bandShades)), c.Series[i-1].Name + " to " + s.Name})
	}
	return keys
}

func (c Chart) heatKeys() []Key {
	keys := []Key{{"q0", "0"}}
	for i, v := range c.steps() {
		from := "from " + c.Write(v)
		if i == 0 && v == 0 {
			from = "above 0"
		}
		keys = append(keys, Key{fmt.Sprintf("q%d", i+1), from})
	}
	return keys
}

// describe says in words what the picture shows: its range along the axis, and of each series the least and greatest value.
func (c Chart) describe() string {
	n := len(c.X.Labels)
	if n == 0 || len(c.Series) == 0 {
		return "Nothing to draw."
	}
	said := []string{fmt.Sprintf("%s, %d positions from %s to %s", c.Kind, n, c.X.Labels[0], c.X.Labels[n-1])}
	if c.Kind == "heat" {
		said[0] += fmt.Sprintf(", %d rows from %s to %s", len(c.Series), c.Series[0].Name, c.Series[len(c.Series)-1].Name)
		return said[0] + "; " + c.extent(c.Series...) + "."
	}
	for _, s := range c.Series {
		said = append(said, s.Name+" "+c.extent(s))
	}
	return strings.Join(said, "; ") + "."
}

func (c Chart) extent(series ...Series) string {
	low, high, _ := Chart{Series: series}.bounds()
	switch {
	case math.IsInf(low, 1):
		return "not known"
	case low == high:
		return c.value(low)
	}
	return c.Write(low) + " to " + c.value(high)
}
