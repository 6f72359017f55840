package stream

import (
	"encoding/binary"
	"math"
	"slices"
)

// AppendEvent appends an event as one protobuf message Event (content type ContentProtobuf) and returns the
// extended slice. It allocates only when dst has no room.
func AppendEvent(dst []byte, e *Event) []byte {
	b := 0
	f, b, ok := e.Next(b)
	for ; ok && f < Field(envelopeFields); f, b, ok = e.Next(b) {
		dst = appendField(dst, e, f)
	}
	if !isKind(uint64(e.Kind)) {
		return dst
	}
	dst = binary.AppendUvarint(dst, uint64(e.Kind)<<3|wireBytes)
	dst = append(dst, 0)
	start := len(dst)
	for ; ok; f, b, ok = e.Next(b) {
		dst = appendField(dst, e, f)
	}
	return closeLength(dst, start)
}

// closeLength writes the length of dst[start:] into the byte left before it, and moves the bytes when one is not enough.
func closeLength(dst []byte, start int) []byte {
	n := len(dst) - start
	if n < 0x80 {
		dst[start-1] = byte(n)
		return dst
	}
	var head [binary.MaxVarintLen64]byte
	return slices.Replace(dst, start-1, start, head[:binary.PutUvarint(head[:], uint64(n))]...)
}

func appendField(dst []byte, e *Event, f Field) []byte {
	w := &wireFields[f]
	if w.typ != Texts {
		dst = wireTags[f].append(dst)
	}
	switch w.typ {
	case Int, Bool, Enum:
		return appendVarint(dst, uint64(e.num[w.slot]))
	case Signed:
		return appendVarint(dst, zigzag(e.num[w.slot]))
	case Time, Hash:
		return binary.LittleEndian.AppendUint64(dst, uint64(e.num[w.slot]))
	case Ratio:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(float64(e.num[w.slot])/million))
	case Text:
		return appendBytes(dst, e.text[w.slot])
	case Ints:
		return appendPacked(dst, e.ints[w.slot])
	}
	for _, s := range e.texts[w.slot] {
		dst = appendBytes(wireTags[f].append(dst), s)
	}
	return dst
}

func appendVarint(dst []byte, v uint64) []byte {
	if v < 0x80 {
		return append(dst, byte(v))
	}
	return binary.AppendUvarint(dst, v)
}

func appendBytes(dst []byte, s string) []byte {
	return append(appendVarint(dst, uint64(len(s))), s...)
}

func appendPacked(dst []byte, vs []int64) []byte {
	dst = append(dst, 0)
	start := len(dst)
	for _, v := range vs {
		dst = appendVarint(dst, uint64(v))
	}
	return closeLength(dst, start)
}
