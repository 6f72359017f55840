package stream

import "hash/maphash"

// dictionary numbers texts in the order of their first use and holds them as they will be written.
type dictionary struct {
	encoded []byte      // the dictionary's fields of message Columns
	entries []dictEntry // by index
	slots   []uint32    // open addressing: index + 1 of an entry, 0 for none
}

type dictEntry struct {
	hash     uint64
	from, to int // in encoded
}

var dictionarySeed = maphash.MakeSeed()

// text is an entry's text. It points into encoded: good until the next reset.
func (d *dictionary) text(index uint32) string {
	e := &d.entries[index]
	return alias(d.encoded[e.from:e.to])
}

// index numbers a text.
func (d *dictionary) index(s string) uint32 {
	if 2*len(d.entries) >= len(d.slots) {
		d.grow()
	}
	h := maphash.String(dictionarySeed, s)
	mask := uint64(len(d.slots) - 1)
	at := h & mask
	for ; d.slots[at] != 0; at = (at + 1) & mask {
		i := d.slots[at] - 1
		if d.entries[i].hash == h && d.text(i) == s {
			return i
		}
	}
	d.encoded = appendBytes(append(d.encoded, columnsDictionary), s)
	d.entries = append(d.entries, dictEntry{hash: h, from: len(d.encoded) - len(s), to: len(d.encoded)})
	d.slots[at] = uint32(len(d.entries))
	return uint32(len(d.entries) - 1)
}

func (d *dictionary) grow() {
	d.slots = make([]uint32, max(64, 2*len(d.slots)))
	mask := uint64(len(d.slots) - 1)
	for i := range d.entries {
		at := d.entries[i].hash & mask
		for d.slots[at] != 0 {
			at = (at + 1) & mask
		}
		d.slots[at] = uint32(i + 1)
	}
}

func (d *dictionary) reset() {
	d.encoded, d.entries = d.encoded[:0], d.entries[:0]
	clear(d.slots)
}
