package render

import (
	"fmt"
	"math"
)

// numbers reads a list of numbers, NULL as NaN; ok is false for any other value, and for a list that says nothing.
func numbers(v any) (list []float64, ok bool) {
	items, isList := v.([]any)
	for _, item := range items {
		f, number := float(item)
		switch {
		case number:
			ok = true
		case item == nil:
			f = math.NaN()
		default:
			return nil, false
		}
		list = append(list, f)
	}
	return list, ok && isList
}

// sparkMost is the greatest width of a sparkline in a terminal, characters.
const sparkMost = 24

var sparkBlocks = []rune("▁▂▃▄▅▆▇█")

// sparkline draws a list from 0 to its greatest value, a character a number; of a long list, a character is the greatest of
// its neighbours, so that no peak is lost. What is not known is a dot.
func sparkline(list []float64) string {
	list = folded(list, sparkMost)
	greatest := 0.0
	for _, f := range list {
		if f > greatest {
			greatest = f
		}
	}
	drawn := make([]rune, len(list))
	for i, f := range list {
		switch {
		case math.IsNaN(f):
			drawn[i] = '·'
		case f <= 0:
			drawn[i] = sparkBlocks[0]
		default:
			drawn[i] = sparkBlocks[int(math.Ceil(f/greatest*float64(len(sparkBlocks)-1)))]
		}
	}
	return string(drawn)
}

// folded brings a list down to at most most numbers, each the greatest of those that it stands for.
func folded(list []float64, most int) []float64 {
	if len(list) <= most {
		return list
	}
	out := make([]float64, most)
	for i := range out {
		out[i] = math.NaN()
		for _, f := range list[i*len(list)/most : (i+1)*len(list)/most] {
			if math.IsNaN(out[i]) || f > out[i] {
				out[i] = f
			}
		}
	}
	return out
}

// said is a list in words, for who cannot see its line.
func said(list []float64, s scale) string {
	low, high, last := math.Inf(1), math.Inf(-1), math.NaN()
	for _, f := range list {
		if !math.IsNaN(f) {
			low, high, last = min(low, f), max(high, f), f
		}
	}
	return fmt.Sprintf("%d values, %s to %s, last %s %s", len(list), readable(low, s), readable(high, s), readable(last, s), s.unit)
}
