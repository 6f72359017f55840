package stream

import "math/bits"

// Event is one event in memory: a body's fields with the envelope's, each present or absent. It is reused from
// event to event without clearing; only the presence bits say what is there. Texts and lists may point into
// the bytes that were decoded: keep a copy, not the value.
type Event struct {
	Kind  Kind
	set   [2]uint64
	num   [maxNums]int64
	text  [maxTexts]string
	ints  [maxLists][]int64
	texts [maxLists][]string
}

// Reset makes every field absent and sets the kind.
func (e *Event) Reset(kind Kind) {
	e.Kind, e.set = kind, [2]uint64{}
}

// Has reports whether the field is present. The field must be the envelope's or of the event's kind.
func (e *Event) Has(f Field) bool {
	b := places[f].bit
	return e.set[b>>6]&(1<<(b&63)) != 0
}

// FieldSet is a set of fields of the envelope and of one kind.
type FieldSet [2]uint64

// SetOf returns a set of fields.
func SetOf(fields ...Field) (s FieldSet) {
	for _, f := range fields {
		b := places[f].bit
		s[b>>6] |= 1 << (b & 63)
	}
	return s
}

// Has reports whether the field is in the set.
func (s *FieldSet) Has(f Field) bool {
	b := places[f].bit
	return s[b>>6]&(1<<(b&63)) != 0
}

// HasAny reports whether any field of o is in the set.
func (s *FieldSet) HasAny(o *FieldSet) bool { return s[0]&o[0]|s[1]&o[1] != 0 }

// Len is how many fields there are in the set.
func (s *FieldSet) Len() int { return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) }

// Remove takes a field out of the set.
func (s *FieldSet) Remove(f Field) {
	b := places[f].bit
	s[b>>6] &^= 1 << (b & 63)
}

// Of are the fields of a set that are present. The set must be of the event's kind.
func (e *Event) Of(s *FieldSet) FieldSet { return FieldSet{e.set[0] & s[0], e.set[1] & s[1]} }

// HasAny reports whether any field of the set is present. The set must be of the event's kind.
func (e *Event) HasAny(s *FieldSet) bool {
	return s.HasAny((*FieldSet)(&e.set))
}

func (e *Event) mark(f Field) {
	b := places[f].bit
	e.set[b>>6] |= 1 << (b & 63)
}

// Unset makes a field absent.
func (e *Event) Unset(f Field) {
	b := places[f].bit
	e.set[b>>6] &^= 1 << (b & 63)
}

// Int returns a number and whether it is present; absent numbers read 0.
func (e *Event) Int(f Field) (int64, bool) {
	if !e.Has(f) {
		return 0, false
	}
	return e.num[places[f].slot], true
}

// Num returns a number, 0 when absent.
func (e *Event) Num(f Field) int64 {
	v, _ := e.Int(f)
	return v
}

// SetInt sets a number: also times, enums, booleans (0 or 1), ratios (millionths) and hashes.
func (e *Event) SetInt(f Field, v int64) {
	e.num[places[f].slot] = v
	e.mark(f)
}

// Text returns a text, "" when absent.
func (e *Event) Text(f Field) string {
	if !e.Has(f) {
		return ""
	}
	return e.text[places[f].slot]
}

// SetText sets a text.
func (e *Event) SetText(f Field, s string) {
	e.text[places[f].slot] = s
	e.mark(f)
}

// Ints returns a list of numbers, nil when absent.
func (e *Event) Ints(f Field) []int64 {
	if !e.Has(f) {
		return nil
	}
	return e.ints[places[f].slot]
}

// SetInts sets a list of numbers; the event keeps the slice.
func (e *Event) SetInts(f Field, v []int64) {
	e.ints[places[f].slot] = v
	e.mark(f)
}

// Texts returns a list of texts, nil when absent.
func (e *Event) Texts(f Field) []string {
	if !e.Has(f) {
		return nil
	}
	return e.texts[places[f].slot]
}

// SetTexts sets a list of texts; the event keeps the slice.
func (e *Event) SetTexts(f Field, v []string) {
	e.texts[places[f].slot] = v
	e.mark(f)
}

// Each calls do for every field present, the envelope's first.
func (e *Event) Each(do func(Field)) {
	first := bodyStart[e.Kind]
	for w, word := range e.set {
		for word != 0 {
			b := w<<6 + bits.TrailingZeros64(word)
			word &= word - 1
			do(fieldAt(first, b))
		}
	}
}

// Next returns the first field present at or after bit from, and the bit to go on from; ok is false at the end.
// It is Each without a call per field: for b := 0; ; { f, n, ok := e.Next(b); … ; b = n }.
func (e *Event) Next(from int) (f Field, next int, ok bool) {
	return (*FieldSet)(&e.set).Next(e.Kind, from)
}

// Next returns the first field of the set at or after bit from, and the bit to go on from; ok is false at the end. The set
// must be of the kind.
func (s *FieldSet) Next(kind Kind, from int) (f Field, next int, ok bool) {
	for w := from >> 6; w < len(s); w++ {
		word := s[w]
		if w == from>>6 {
			word &= ^uint64(0) << (from & 63)
		}
		if word != 0 {
			b := w<<6 + bits.TrailingZeros64(word)
			return fieldAt(bodyStart[kind], b), b + 1, true
		}
	}
	return 0, 0, false
}

func fieldAt(bodyFirst Field, bit int) Field {
	if bit < envelopeFields {
		return Field(bit)
	}
	return bodyFirst + Field(bit-envelopeFields)
}

// bodyStart is the first field of each kind's body.
var bodyStart = bodyStarts()

func bodyStarts() (s [24]Field) {
	for f := numFields - 1; f >= 0; f-- {
		s[Fields[f].Message] = Field(f)
	}
	return s
}

// CopyTo makes dst an equal event that shares texts and lists with e.
func (e *Event) CopyTo(dst *Event) {
	*dst = *e
}
