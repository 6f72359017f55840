package stream

import (
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends an event as one JSON object (content type ContentJSON, or a line of ContentNDJSON) and returns
// the extended slice. It allocates only when dst has no room.
func AppendJSON(dst []byte, e *Event) []byte {
	dst = append(dst, '{')
	b := 0
	f, b, ok := e.Next(b)
	for ; ok && f < Field(envelopeFields); f, b, ok = e.Next(b) {
		dst = appendMember(dst, e, f)
	}
	if !isKind(uint64(e.Kind)) {
		return append(dst, '}')
	}
	dst = append(appendKey(dst, kindNames[e.Kind]), '{')
	for ; ok; f, b, ok = e.Next(b) {
		dst = appendMember(dst, e, f)
	}
	return append(dst, '}', '}')
}

var kindNames = makeKindNames()

func makeKindNames() (t [24]string) {
	for _, k := range Kinds {
		t[k.Kind] = k.Name
	}
	return t
}

func appendKey(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}

func appendMember(dst []byte, e *Event, f Field) []byte {
	w := &wireFields[f]
	dst = appendKey(dst, Fields[f].Name)
	switch w.typ {
	case Text:
		return appendQuoted(dst, e.text[w.slot])
	case Ints:
		return appendArray(dst, e.ints[w.slot], appendInt)
	case Texts:
		return appendArray(dst, e.texts[w.slot], appendQuoted)
	}
	return appendScalar(dst, f, e.num[w.slot])
}

func appendScalar(dst []byte, f Field, v int64) []byte {
	switch Fields[f].Type {
	case Bool:
		return strconv.AppendBool(dst, v != 0)
	case Ratio:
		return strconv.AppendFloat(dst, float64(v)/million, 'f', -1, 64)
	case Hash:
		return appendHash(dst, uint64(v))
	case Enum:
		if name := Fields[f].Enum.Name(v); name != "" {
			return appendQuoted(dst, name)
		}
	}
	return appendInt(dst, v)
}

// appendInt writes a number, in quotes where a float64 could not hold it.
func appendInt(dst []byte, v int64) []byte {
	if -1<<53 < v && v < 1<<53 {
		return strconv.AppendInt(dst, v, 10)
	}
	return append(strconv.AppendInt(append(dst, '"'), v, 10), '"')
}

func appendHash(dst []byte, v uint64) []byte {
	dst = append(dst, '"')
	for shift := 60; shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789abcdef"[v>>shift&15])
	}
	return append(dst, '"')
}

func appendArray[T any](dst []byte, vs []T, one func([]byte, T) []byte) []byte {
	dst = append(dst, '[')
	for i, v := range vs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = one(dst, v)
	}
	return append(dst, ']')
}

// appendQuoted writes a string. Bytes that are no UTF-8 become U+FFFD.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for s != "" {
		n := plain(s)
		dst = append(dst, s[:n]...)
		if s = s[n:]; s == "" {
			break
		}
		r, size := utf8.DecodeRuneInString(s)
		dst = appendEscaped(dst, r)
		s = s[size:]
	}
	return append(dst, '"')
}

// plain counts the bytes at the start of s that stand for themselves.
func plain(s string) int {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return i
		}
	}
	return len(s)
}

func appendEscaped(dst []byte, r rune) []byte {
	switch {
	case r == '"' || r == '\\':
		return append(dst, '\\', byte(r))
	case r < ' ':
		return append(dst, '\\', 'u', '0', '0', "0123456789abcdef"[r>>4], "0123456789abcdef"[r&15])
	}
	return utf8.AppendRune(dst, r)
}
