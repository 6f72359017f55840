package stream

import "strconv"

// jsonValue reads the value of a known field. A value of another type, or out of range, refuses the event; only
// broken syntax stops the reading.
func (d *Decoder) jsonValue(s *scanner, w *wireField, depth int) bool {
	switch w.typ {
	case Text:
		return d.jsonText(s, w, depth)
	case Ints, Texts:
		return d.jsonList(s, w, depth)
	}
	raw, quoted, ok := d.scalar(s, depth)
	if !ok || raw == nil {
		return ok
	}
	v, why := jsonNumber(w, raw, quoted)
	if why == Accepted {
		why = w.keep(d.event, v)
	}
	d.note(why, 0)
	return true
}

// scalar cuts out a number, a literal or the inside of a string; raw is nil when it was something else.
func (d *Decoder) scalar(s *scanner, depth int) (raw []byte, quoted, ok bool) {
	switch s.peek() {
	case '{', '[':
		return nil, false, d.mismatch(s, depth)
	case '"':
		raw, escaped, ok := s.text()
		if escaped {
			if raw, escaped = d.unescape(raw); !escaped {
				d.note(ReasonMalformed, 0)
			}
		}
		return raw, true, ok
	}
	raw, ok = s.word()
	return raw, false, ok
}

// jsonNumber reads a value that is kept as a number.
func jsonNumber(w *wireField, raw []byte, quoted bool) (int64, Reason) {
	switch w.typ {
	case Bool:
		return jsonBool(raw, quoted)
	case Ratio:
		return parseRatio(raw)
	case Hash:
		if v, ok := jsonHash(raw, quoted); ok {
			return v, Accepted
		}
		return parseBits(raw)
	case Enum:
		if quoted {
			return enumValue(w.field, raw)
		}
	}
	return parseInt(raw)
}

func jsonBool(raw []byte, quoted bool) (int64, Reason) {
	switch {
	case quoted:
	case string(raw) == "true":
		return 1, Accepted
	case string(raw) == "false":
		return 0, Accepted
	}
	return 0, ReasonMalformed
}

const hexDigits = 16

// jsonHash reads a hash written as 16 hex digits. A decimal of exactly 16 digits in quotes reads as hex too.
func jsonHash(raw []byte, quoted bool) (int64, bool) {
	if !quoted || len(raw) != hexDigits || raw[0] == '+' || raw[0] == '-' {
		return 0, false
	}
	v, err := strconv.ParseUint(alias(raw), 16, 64)
	return int64(v), err == nil
}

func (d *Decoder) jsonText(s *scanner, w *wireField, depth int) bool {
	if s.peek() != '"' {
		return d.mismatch(s, depth)
	}
	raw, escaped, ok := s.text()
	if !ok {
		return false
	}
	if escaped {
		if raw, ok = d.unescape(raw); !ok {
			d.note(ReasonBadText, 0)
			return true
		}
	}
	d.note(d.text(raw, w), 0)
	return true
}

func (d *Decoder) jsonList(s *scanner, w *wireField, depth int) bool {
	if s.peek() != '[' {
		return d.mismatch(s, depth)
	}
	if w.typ == Texts {
		return s.elements(depth, func() bool { return d.jsonText(s, w, depth-1) })
	}
	return s.elements(depth, func() bool {
		raw, _, ok := d.scalar(s, depth-1)
		if !ok || raw == nil {
			return ok
		}
		v, why := parseInt(raw)
		if why == Accepted {
			why = d.room.lists.addInt(w, d.event, v, d.limits.List)
		}
		d.note(why, 0)
		return true
	})
}
