package stream

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// Wire types of protobuf.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireStart   = 3
	wireEnd     = 4
	wireFixed32 = 5
)

const maxFieldNumber = 1<<29 - 1

// uvarint reads a varint at b[i:]. The returned place is 0 when there is none: cut short, or beyond 64 bits.
func uvarint(b []byte, i int) (v uint64, next int) {
	if i < len(b) && b[i] < 0x80 {
		return uint64(b[i]), i + 1
	}
	return uvarintLong(b, i)
}

// uvarintLong stays out of line so that uvarint itself is inlined.
//
//go:noinline
func uvarintLong(b []byte, i int) (v uint64, next int) {
	for shift := uint(0); i < len(b) && shift < 70; shift += 7 {
		c := b[i]
		i++
		if c < 0x80 {
			if shift == 63 && c > 1 {
				return 0, 0
			}
			return v | uint64(c)<<shift, i
		}
		v |= uint64(c&0x7f) << shift
	}
	return 0, 0
}

func zigzag(v int64) uint64   { return uint64(v)<<1 ^ uint64(v>>63) }
func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// span reads a length and the bytes it announces.
func span(b []byte, i int) (payload []byte, next int) {
	n, i := uvarint(b, i)
	if i == 0 || n > uint64(len(b)-i) {
		return nil, 0
	}
	return b[i : i+int(n)], i + int(n)
}

// skipValue passes over a value of an unknown field; the returned place is 0 when it is malformed.
func skipValue(b []byte, i int, number, wire uint64, depth int) (next int) {
	switch wire {
	case wireVarint:
		_, i = uvarint(b, i)
		return i
	case wireFixed64:
		return within(b, i+8)
	case wireBytes:
		_, i = span(b, i)
		return i
	case wireStart:
		return skipGroup(b, i, number, depth)
	case wireFixed32:
		return within(b, i+4)
	}
	return 0
}

func within(b []byte, i int) int {
	if i > len(b) {
		return 0
	}
	return i
}

func skipGroup(b []byte, i int, number uint64, depth int) int {
	for depth > 0 {
		tag, next := uvarint(b, i)
		if next == 0 || tag>>3 == 0 || tag>>3 > maxFieldNumber {
			return 0
		}
		if tag&7 == wireEnd {
			if tag>>3 != number {
				return 0
			}
			return next
		}
		if i = skipValue(b, next, tag>>3, tag&7, depth-1); i == 0 {
			return 0
		}
	}
	return 0
}

// countVarints counts the varints in packed bytes; ok is false when the last one is cut short.
func countVarints(b []byte) (n int, ok bool) {
	if len(b) == 0 {
		return 0, true
	}
	ok = b[len(b)-1] < 0x80
	for ; len(b) >= 8; b = b[8:] {
		n += bits.OnesCount64(^binary.LittleEndian.Uint64(b) & 0x8080808080808080)
	}
	for _, c := range b {
		n += int(^c >> 7)
	}
	return n, ok
}

// alias is b as a string without a copy: it is valid as long as b is left alone.
func alias(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}
