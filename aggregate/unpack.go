package aggregate

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/inferlake/inferlake/stream"
)

// unpacker reads what pack wrote.
type unpacker struct {
	b []byte
	i int
}

func (u *unpacker) uint() uint64 {
	if v := u.b[u.i]; v < 0x80 {
		u.i++
		return uint64(v)
	}
	return u.long()
}

func (u *unpacker) long() (v uint64) {
	for shift := 0; ; shift += 7 {
		c := u.b[u.i]
		u.i++
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
}

func (u *unpacker) int() int64 {
	v := u.uint()
	return int64(v>>1) ^ -int64(v&1)
}

func (u *unpacker) byte() byte {
	u.i++
	return u.b[u.i-1]
}

// own passes over a text of the request's own.
func (u *unpacker) own() []byte {
	from := u.i
	u.i += ownSize(u.b[from:])
	return u.b[from:u.i]
}

// unpack makes r the request that b holds, additions merged, all but its identity: see know. Its texts lie in b, among the
// words and in r itself: they are valid until the request is packed again.
func (r *Request) unpack(b []byte, w *words) {
	m, _, said := headOf(b)
	head := b[0]
	r.said = said
	r.set[0] = binary.LittleEndian.Uint64(b[packedRest:])
	u := unpacker{b: b, i: packedRest + 8}
	r.set[1] = u.uint()
	size := int(binary.LittleEndian.Uint16(b[u.i:]))
	r.identity = b[u.i : u.i+size]
	u.i += size
	r.unpackStory(&u, head)
	r.unpackRanks(&u, head)
	r.unpackFields(&u, w, &m)
	r.itlBucket, r.itlCount = r.itlBucket[:0], r.itlCount[:0]
	if head&packSketch != 0 {
		r.itlBucket = u.list(r.itlBucket)
		r.itlCount = u.list(r.itlCount)
	}
	r.unpackAdditions(&u, &m)
	r.changed = [2]uint64{}
}

// know unpacks the identity, which merging does not need.
func (r *Request) know(w *words) {
	u, id := unpacker{b: r.identity, i: 2}, &r.id
	for i, s := range [...]*string{&id.producer, &id.boot, &id.source, &id.instance} {
		r.names[i] = uint32(u.uint())
		*s = w.texts[r.names[i]]
	}
	id.requestID = own(u.own(), &r.idBuf)
	r.place.Offset = int64(u.uint())
	r.place.Index = int32(u.uint())
	id.role = stream.Role(u.byte())
	id.dpIndex, id.attempt, id.choice, id.ordinal = u.int(), u.int(), u.int(), u.int()
	id.life = r.impliedLife() + u.int()
}

func (r *Request) unpackStory(u *unpacker, head byte) {
	r.late, r.numbered = head&packLate != 0, head&packNumbered != 0
	r.flags = Flags(u.uint())
	r.events = int64(u.uint())
	r.outputSeen = u.int()
	r.revision, r.progressSeen, r.stepFirst, r.stepLast = 0, progress{}, 0, 0
	if head&packRevised != 0 {
		r.revision = int64(u.uint())
	}
	if head&packProgress != 0 {
		for i := range r.progressSeen {
			r.progressSeen[i] = u.int()
		}
	}
	if head&packSteps != 0 {
		r.stepFirst = u.int()
		r.stepLast = r.stepFirst + u.int()
	}
}

// unpackRanks reads the ranks of all fields. Where one stands for a kind, unpackFields hands it out.
func (r *Request) unpackRanks(u *unpacker, head byte) {
	r.mixed = head&packMixed != 0
	if !r.mixed {
		both := u.b[packedRanks]
		r.ranks = [ranks]uint8{rankDescriptive: both >> 4, rankValue: both & 15}
		r.ranked = [ranks]bool{true, r.hasAny(&descriptiveFields), r.hasAny(&valueFields)}
		return
	}
	for w, word := range r.set {
		for word != 0 {
			r.rank[w<<6+bits.TrailingZeros64(word)] = u.byte()
			word &= word - 1
		}
	}
}

func (r *Request) hasAny(set *[2]uint64) bool {
	return r.set[0]&set[0]|r.set[1]&set[1] != 0
}

func (r *Request) unpackFields(u *unpacker, w *words, m *markPacker) {
	m.readings = uint16(u.uint())
	r.mono = [requestMarks]clockReading{}
	for half, word := range r.set {
		for word != 0 {
			i := half<<6 + bits.TrailingZeros64(word)
			word &= word - 1
			if !r.mixed {
				r.rank[i] = r.ranks[packRanks[i]]
			}
			switch packKinds[i] {
			case packNumber:
				r.num[i] = int64(u.uint())
			case packSigned:
				r.num[i] = u.int()
			case packHash:
				r.num[i] = int64(binary.LittleEndian.Uint64(u.b[u.i:]))
				u.i += 8
			case packWord:
				slot := textSlot[i]
				r.num[i], r.word[slot] = 0, uint32(u.uint())
				r.text[slot] = w.texts[r.word[slot]]
			case packOwn:
				k := ownIndex(i)
				r.num[i], r.packed[k] = 0, u.own()
				r.text[textSlot[i]] = own(r.packed[k], &r.buf[k])
			case packMark:
				k := markIndex[i]
				r.num[i], r.mono[k] = m.read(u, m.readings>>k&1 != 0)
			}
		}
	}
}

func (m *markPacker) read(u *unpacker, reading bool) (wall int64, c clockReading) {
	wall = m.base + u.int()
	if !reading {
		return wall, c
	}
	c.mono = u.int() + wall + m.ahead
	c.domain = m.domain
	if !m.oneDomain {
		c.domain = binary.LittleEndian.Uint32(u.b[u.i:])
		u.i += 4
	}
	return wall, c
}

func (u *unpacker) list(v []int64) []int64 {
	n := int(u.uint())
	v = slices.Grow(v, n)
	last := int64(0)
	for range n {
		last += u.int()
		v = append(v, last)
	}
	return v
}
