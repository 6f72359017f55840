package stream

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape resolves the escapes of a string. The result lies in the event's room; ok is false for an
// escape that JSON does not have or half of a surrogate pair.
func (d *Decoder) unescape(raw []byte) (text []byte, ok bool) {
	start := len(d.room.unquote)
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			d.room.unquote = append(d.room.unquote, raw...)
			return d.room.unquote[start:], true
		}
		d.room.unquote = append(d.room.unquote, raw[:i]...)
		r, n := escape(raw[i:])
		if n == 0 {
			return nil, false
		}
		d.room.unquote = utf8.AppendRune(d.room.unquote, r)
		raw = raw[i+n:]
	}
}

// escape reads one escape and says how many bytes it took, 0 when it is none.
func escape(b []byte) (r rune, n int) {
	if len(b) < 2 {
		return 0, 0
	}
	if i := bytes.IndexByte([]byte(`"\/bfnrt`), b[1]); i >= 0 {
		return rune("\"\\/\b\f\n\r\t"[i]), 2
	}
	r, ok := escapedUnit(b)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	low, ok := escapedUnit(b[6:])
	if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}

// escapedUnit reads \uXXXX.
func escapedUnit(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' || b[2] == '+' || b[2] == '-' {
		return 0, false
	}
	v, err := strconv.ParseUint(alias(b[2:6]), 16, 32)
	return rune(v), err == nil
}
