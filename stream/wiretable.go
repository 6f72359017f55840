package stream

import "encoding/binary"

// wireField is what a codec needs of a field, in one load.
type wireField struct {
	field Field
	place
	typ   Type
	wire  uint8 // its wire type
	known bool
	least int64 // bounds of a number
	most  int64
}

// wireTypes gives each type's wire type.
var wireTypes = [...]uint8{
	Int: wireVarint, Signed: wireVarint, Bool: wireVarint, Enum: wireVarint,
	Time: wireFixed64, Ratio: wireFixed64, Hash: wireFixed64,
	Text: wireBytes, Ints: wireBytes, Texts: wireBytes,
}

// wireFields is the table of fields laid out for the codecs.
var wireFields = makeWireFields()

func makeWireFields() (t [numFields]wireField) {
	for f := range Fields {
		info := &Fields[f]
		t[f] = wireField{field: Field(f), place: places[f], typ: info.Type, wire: wireTypes[info.Type], known: true}
		t[f].least, t[f].most = info.Bounds()
	}
	return t
}

// wireByNumber finds a field's row by message and number; the row of a number without a field is not known.
var wireByNumber = makeWireByNumber()

func makeWireByNumber() (t [24][80]wireField) {
	for f := range Fields {
		t[Fields[f].Message][Fields[f].Number] = wireFields[f]
	}
	return t
}

// wireTag is a field's tag as written: at most two bytes, since numbers stay below 2048.
type wireTag struct {
	bytes [2]byte
	n     uint8
}

var wireTags = makeWireTags()

func makeWireTags() (t [numFields]wireTag) {
	for f := range Fields {
		t[f] = tagOf(Fields[f].Number, wireFields[f].wire)
	}
	return t
}

func tagOf(number int, wire uint8) (t wireTag) {
	t.n = uint8(len(binary.AppendUvarint(t.bytes[:0], uint64(number)<<3|uint64(wire))))
	return t
}

func (t *wireTag) append(dst []byte) []byte {
	if t.n == 1 {
		return append(dst, t.bytes[0])
	}
	return append(dst, t.bytes[0], t.bytes[1])
}

// isKind says whether a number names a body.
func isKind(n uint64) bool {
	return n < uint64(len(bodyStart)) && bodyStart[n] != 0
}

// timeBits are the presence bits of the fields of type Time, by kind, the envelope's among them.
var timeBits = bitsOf(func(f *FieldInfo) bool { return f.Type == Time })

func bitsOf(has func(*FieldInfo) bool) (t [24][2]uint64) {
	for f := range Fields {
		if !has(&Fields[f]) {
			continue
		}
		b := places[f].bit
		for k := range t {
			if m := Fields[f].Message; m == Envelope || m == Kind(k) {
				t[k][b>>6] |= 1 << (b & 63)
			}
		}
	}
	return t
}
