package stream

import (
	"encoding/binary"
	"math/bits"
)

// scanner walks over JSON text. It keeps nothing: what is wanted is cut out of the text, what is not is passed over.
type scanner struct {
	b   []byte
	i   int
	why Reason // why the text cannot be read on; set once
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r'
}

// peek returns the next byte that is not white space, 0 at the end.
func (s *scanner) peek() byte {
	for s.i < len(s.b) {
		if c := s.b[s.i]; !isSpace(c) {
			return c
		}
		s.i++
	}
	return 0
}

// take passes over c if it comes next.
func (s *scanner) take(c byte) bool {
	if s.i < len(s.b) && s.b[s.i] == c || s.peek() == c { // most writers leave no white space
		s.i++
		return true
	}
	return false
}

// fail says why the text cannot be read on.
func (s *scanner) fail(why Reason) bool {
	if s.why == Accepted {
		s.why = why
	}
	return false
}

// text cuts out a string, without its quotes; escaped says that it has escapes.
func (s *scanner) text() (raw []byte, escaped, ok bool) {
	if !s.take('"') {
		return nil, false, s.fail(ReasonMalformed)
	}
	b, start := s.b, s.i
	for i := start; i < len(b); i++ {
		if i += verbatim(b[i:]); i == len(b) {
			break
		}
		if b[i] == '"' {
			s.i = i + 1
			return b[start:i], escaped, true
		}
		if b[i] != '\\' {
			break // a control character
		}
		escaped = true
		i++
	}
	return nil, false, s.fail(ReasonMalformed)
}

// verbatim is how many bytes stand for themselves inside a string before one that does not. Eight are looked at in one word:
// subtracting borrows from the top bit of a byte that is less, or that the exclusive or made zero.
func verbatim(b []byte) (n int) {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; n+8 <= len(b); n += 8 {
		v := binary.LittleEndian.Uint64(b[n:])
		quote, slash := v^ones*'"', v^ones*'\\'
		if found := ((v-ones*' ')&^v | (quote-ones)&^quote | (slash-ones)&^slash) & tops; found != 0 {
			return n + bits.TrailingZeros64(found)>>3
		}
	}
	for n < len(b) && !special(b[n]) {
		n++
	}
	return n
}

// special says that a byte does not stand for itself inside a string.
func special(c byte) bool { return c < ' ' || c == '"' || c == '\\' }

// word cuts out a number or a literal: everything up to a byte that ends one.
func (s *scanner) word() (raw []byte, ok bool) {
	s.peek()
	start := s.i
	for s.i < len(s.b) && !ends(s.b[s.i]) {
		s.i++
	}
	if s.i == start {
		return nil, s.fail(ReasonMalformed)
	}
	return s.b[start:s.i], true
}

func ends(c byte) bool {
	return isSpace(c) || c == ',' || c == '}' || c == ']' || c == ':' || c == '"' || c == '{' || c == '['
}

// isLiteral knows JSON's literals, and the three that some encoders write for numbers that JSON does not have.
func isLiteral(raw []byte) bool {
	switch string(raw) {
	case "null", "true", "false", "NaN", "Infinity", "-Infinity":
		return true
	}
	return false
}

// skip passes over any value within depth.
func (s *scanner) skip(depth int) bool {
	switch c := s.peek(); c {
	case '"':
		_, _, ok := s.text()
		return ok
	case '{':
		return s.members(depth, func([]byte, bool) bool { return s.skip(depth - 1) })
	case '[':
		return s.elements(depth, func() bool { return s.skip(depth - 1) })
	}
	raw, ok := s.word()
	if ok && !isLiteral(raw) && !isNumber(raw) {
		return s.fail(ReasonMalformed)
	}
	return ok
}

// members walks over an object and calls do at each value with the key before it.
func (s *scanner) members(depth int, do func(key []byte, escaped bool) bool) bool {
	return s.sequence('{', '}', depth, func() bool {
		key, escaped, ok := s.text()
		if !ok {
			return false
		}
		if !s.take(':') {
			return s.fail(ReasonMalformed)
		}
		return do(key, escaped)
	})
}

// elements walks over an array and calls do at each element.
func (s *scanner) elements(depth int, do func() bool) bool {
	return s.sequence('[', ']', depth, do)
}

func (s *scanner) sequence(first, last byte, depth int, do func() bool) bool {
	if depth <= 0 {
		return s.fail(ReasonTooDeep)
	}
	if !s.take(first) {
		return s.fail(ReasonMalformed)
	}
	if s.take(last) {
		return true
	}
	for do() {
		if s.take(last) {
			return true
		}
		if !s.take(',') {
			return s.fail(ReasonMalformed)
		}
	}
	return false
}
