package stream

import (
	"math"
	"unicode/utf8"
)

// MaxText is the greatest length of a text, bytes.
const MaxText = 4096

const million = 1_000_000

// keep stores a number as the wire gave it: the bits of the value after the zigzag of signed ones was undone.
// What cannot be kept is answered with a reason.
func (w *wireField) keep(e *Event, v int64) Reason {
	switch {
	case w.typ == Bool && v != 0:
		v = 1
	case w.typ == Enum && v == 0:
		e.set[w.bit>>6] &^= 1 << (w.bit & 63)
		return Accepted
	case v < w.least || v > w.most:
		if w.typ == Enum {
			return ReasonEnum
		}
		return ReasonRange
	}
	e.num[w.slot] = v
	e.set[w.bit>>6] |= 1 << (w.bit & 63)
	return Accepted
}

func (w *wireField) keepText(e *Event, s string) {
	e.text[w.slot] = s
	e.set[w.bit>>6] |= 1 << (w.bit & 63)
}

// millionths turns a ratio into millionths; what is no ratio becomes -1, which keep refuses.
func millionths(r float64) int64 {
	if !(r >= 0 && r <= 1) {
		return -1
	}
	return int64(math.Round(r * million))
}

// goodText says whether a text may be kept.
func goodText(b []byte, limit int) bool {
	return len(b) <= limit && utf8.Valid(b)
}

// lists is where a decoded event's lists lie until the next event.
type lists struct {
	ints  [maxLists][]int64
	texts [maxLists][]string
}

func (l *lists) reset() {
	for i := range l.ints {
		l.ints[i], l.texts[i] = l.ints[i][:0], l.texts[i][:0]
	}
}

func (l *lists) addInt(w *wireField, e *Event, v int64, limit int) Reason {
	if v < w.least || v > w.most {
		return ReasonRange
	}
	if len(l.ints[w.slot]) >= limit {
		return ReasonTooLarge
	}
	l.ints[w.slot] = append(l.ints[w.slot], v)
	e.SetInts(w.field, l.ints[w.slot])
	return Accepted
}

func (l *lists) addText(w *wireField, e *Event, s string, limit int) Reason {
	if len(l.texts[w.slot]) >= limit {
		return ReasonTooLarge
	}
	l.texts[w.slot] = append(l.texts[w.slot], s)
	e.SetTexts(w.field, l.texts[w.slot])
	return Accepted
}
