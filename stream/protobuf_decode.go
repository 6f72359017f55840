package stream

import (
	"encoding/binary"
	"math"
)

// protobuf reads one message Event into d.event. Fields that the table does not have are skipped. What cannot be
// kept is noted by d.refuse and the reading goes on; a malformed message answers ReasonMalformed.
func (d *Decoder) protobuf(b []byte) Reason {
	d.begin()
	return d.message(b, Envelope)
}

// message reads the fields of one message; the envelope's bodies are messages in turn.
func (d *Decoder) message(b []byte, kind Kind) Reason {
	table := &wireByNumber[kind]
	for i := 0; i < len(b); {
		tag, next := uint64(b[i]), i+1
		if tag >= 0x80 {
			tag, next = uvarintLong(b, i)
		}
		number := tag >> 3
		if next == 0 || number == 0 || number > maxFieldNumber {
			return ReasonMalformed
		}
		if number < uint64(len(table)) {
			if w := &table[number]; w.known && uint64(w.wire) == tag&7 {
				i = d.value(b, next, w)
			} else {
				i = d.other(b, next, tag, kind, w)
			}
		} else {
			i = skipValue(b, next, number, tag&7, d.limits.Depth)
		}
		if i == 0 {
			return ReasonMalformed
		}
	}
	return Accepted
}

// value reads the value of a known field; the returned place is 0 when it is malformed.
func (d *Decoder) value(b []byte, i int, w *wireField) int {
	switch w.wire {
	case wireVarint:
		v, next := uvarint(b, i)
		if w.typ == Signed {
			v = uint64(unzigzag(v))
		}
		return d.note(w.keep(d.event, int64(v)), next)
	case wireFixed64:
		if len(b)-i < 8 {
			return 0
		}
		v := int64(binary.LittleEndian.Uint64(b[i:]))
		if w.typ == Ratio {
			v = millionths(math.Float64frombits(uint64(v)))
		}
		return d.note(w.keep(d.event, v), i+8)
	}
	payload, next := span(b, i)
	if next == 0 {
		return 0
	}
	if w.typ == Ints {
		return d.packed(payload, next, w)
	}
	return d.note(d.text(payload, w), next)
}

// other reads what is not simply a field: a body, an unpacked list, or something unknown to be skipped.
func (d *Decoder) other(b []byte, i int, tag uint64, kind Kind, w *wireField) int {
	switch {
	case kind == Envelope && tag&7 == wireBytes && isKind(tag>>3):
		body, next := span(b, i)
		if next == 0 {
			return 0
		}
		d.body(Kind(tag >> 3))
		if d.message(body, d.event.Kind) != Accepted {
			return 0
		}
		return next
	case w.known && w.typ == Ints && tag&7 == wireVarint:
		v, next := uvarint(b, i)
		return d.note(d.room.lists.addInt(w, d.event, int64(v), d.limits.List), next)
	}
	return skipValue(b, i, tag>>3, tag&7, d.limits.Depth)
}

func (d *Decoder) packed(b []byte, next int, w *wireField) int {
	for i := 0; i < len(b); {
		v, n := uvarint(b, i)
		if n == 0 {
			return 0
		}
		i = d.note(d.room.lists.addInt(w, d.event, int64(v), d.limits.List), n)
	}
	return next
}

// text keeps a text, or an element of a list of texts, that points into b.
func (d *Decoder) text(b []byte, w *wireField) Reason {
	if !goodText(b, d.limits.Text) {
		return ReasonBadText
	}
	if w.typ == Texts {
		return d.room.lists.addText(w, d.event, alias(b), d.limits.List)
	}
	w.keepText(d.event, alias(b))
	return Accepted
}
