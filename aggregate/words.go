package aggregate

import "strings"

// words numbers the texts that recur in requests, such as model names, so that a request holds a number for each. 0 is
// no text. The numbers are this fold's own: nothing that leaves it has them.
type words struct {
	numbers map[string]uint32
	texts   []string
	free    []uint32
	kept    int // how many were in use at the last sweep
	least   int // how many are kept without asking whether they are in use
}

func newWords() words {
	return words{numbers: map[string]uint32{}, texts: []string{""}, least: 1 << 16}
}

// number returns the number of a text, which it copies when it is new.
func (w *words) number(text string) uint32 {
	if text == "" {
		return 0
	}
	if n, ok := w.numbers[text]; ok {
		return n
	}
	text = strings.Clone(text)
	n := uint32(len(w.texts))
	if last := len(w.free) - 1; last >= 0 {
		n, w.free = w.free[last], w.free[:last]
		w.texts[n] = text
	} else {
		w.texts = append(w.texts, text)
	}
	w.numbers[text] = n
	return n
}

// many says that so many words were added that it is time to sweep.
func (w *words) many() bool { return len(w.numbers) > 2*w.kept+w.least }

// sweep forgets the words that are not in use.
func (w *words) sweep(used []bool) {
	for n := 1; n < len(w.texts); n++ {
		if text := w.texts[n]; text != "" && !used[n] {
			delete(w.numbers, text)
			w.texts[n] = ""
			w.free = append(w.free, uint32(n))
		}
	}
	w.kept = len(w.numbers)
}
