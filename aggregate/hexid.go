package aggregate

import (
	"encoding/binary"
	"unsafe"
)

// Ids are mostly 128 bits written in hexadecimal. They are kept as 16 bytes where that gives the same text back.

// The forms of a text of a request's own.
const (
	formRaw  = iota // length and bytes
	formUUID        // 36 characters: 8-4-4-4-12 small digits
	formHex         // 32 small digits
)

// pairs are where the two digits of each byte of a UUID lie.
var pairs = [16]uint8{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34}

// nibble is the value of a digit, 0xff for any other character. Capitals are others: they would not come back.
var nibble = nibbles()

func nibbles() (t [256]uint8) {
	for i := range t {
		t[i] = 0xff
	}
	for i, c := range "0123456789abcdef" {
		t[c] = uint8(i)
	}
	return t
}

// twoDigits are the digits of each byte.
var twoDigits = digitPairs()

func digitPairs() (t [256]uint16) {
	const digits = "0123456789abcdef"
	for i := range t {
		t[i] = uint16(digits[i>>4]) | uint16(digits[i&15])<<8
	}
	return t
}

// appendOwn writes a text of a request's own in its shortest form.
func appendOwn(b []byte, s string) []byte {
	switch {
	case len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-':
		if out, ok := appendHex(append(b, formUUID), s, true); ok {
			return out
		}
	case len(s) == 32:
		if out, ok := appendHex(append(b, formHex), s, false); ok {
			return out
		}
	}
	b = binary.AppendUvarint(append(b, formRaw), uint64(len(s)))
	return append(b, s...)
}

func appendHex(b []byte, s string, uuid bool) (_ []byte, ok bool) {
	bad := uint8(0)
	for i := range 16 {
		at := 2 * i
		if uuid {
			at = int(pairs[i])
		}
		hi, lo := nibble[s[at]], nibble[s[at+1]]
		bad |= hi | lo
		b = append(b, hi<<4|lo)
	}
	return b, bad < 16
}

// ownSize is how many bytes of b the text at its start takes.
func ownSize(b []byte) int {
	if b[0] != formRaw {
		return 17
	}
	n, size := binary.Uvarint(b[1:])
	return 1 + size + int(n)
}

// own reads a text of a request's own: into buf, or where it lies when it is raw. It is valid as long as these are.
func own(b []byte, buf *[36]byte) string {
	if b[0] == formRaw {
		n, size := binary.Uvarint(b[1:])
		return asText(b[1+size : 1+size+int(n)])
	}
	if b[0] == formHex {
		for i, c := range b[1:17] {
			binary.LittleEndian.PutUint16(buf[2*i:], twoDigits[c])
		}
		return asText(buf[:32])
	}
	for i, c := range b[1:17] {
		binary.LittleEndian.PutUint16(buf[pairs[i]:], twoDigits[c])
	}
	buf[8], buf[13], buf[18], buf[23] = '-', '-', '-', '-'
	return asText(buf[:])
}

// asText is the bytes as a text, without a copy.
func asText(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
