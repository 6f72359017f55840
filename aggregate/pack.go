package aggregate

import (
	"encoding/binary"
	"math/bits"

	"github.com/inferlake/inferlake/stream"
)

// A request at rest is packed: a few hundred bytes at most instead of a Request, which only the request at work is.
// What pack writes, unpack reads; a test holds them to each other over every field.
//
// P1. The fields that are known come in their order, after two words that say which they are.
// P2. Marks are written as distances from the first of them, readings of a monotonic clock as distances from how far the
// first one is ahead of its mark: most are small.
// P3. Texts that recur are numbers of words; those of the request's own are written out, ids as 16 bytes.
// P4. One source speaks with one rank mostly: then two ranks stand for all.
// P5. What an event adds may follow at the end, as it was told: see additions.go. The first bytes have a fixed place, for
// it looks at them.

// What the first byte says.
const (
	packLate      = 1 << iota
	packMixed     // a rank a field follows, instead of two for all
	packOneDomain // all readings are of the first one's domain
	packSketch    // inter-token latencies follow at the end
	packNumbered  // its producer numbers its requests
	packProgress  // progress was seen on the way, beside output tokens
	packSteps     // forward passes are known
	packRevised   // it was written again after its end
)

// Where the first bytes are: after the head the two ranks, the domain of the first reading, the first mark, how far the
// reading is ahead of its mark, and Request.said.
const (
	packedRanks  = 1
	packedDomain = 2
	packedBase   = 6
	packedAhead  = 14
	packedSaid   = 22
	packedRest   = 30
)

// headOf reads what has a fixed place: what marks and readings are told from, the rank of counts and marks if one stands
// for all, and Request.said.
func headOf(b []byte) (m markPacker, rank uint8, said uint64) {
	m.oneDomain = b[0]&packOneDomain != 0
	m.domain = binary.LittleEndian.Uint32(b[packedDomain:])
	m.base = int64(binary.LittleEndian.Uint64(b[packedBase:]))
	m.ahead = int64(binary.LittleEndian.Uint64(b[packedAhead:]))
	return m, b[packedRanks] & 15, binary.LittleEndian.Uint64(b[packedSaid:])
}

// packKind is how a field is written.
type packKind uint8

const (
	packNumber packKind = iota
	packSigned
	packHash
	packWord
	packOwn
	packMark
)

// packRank is which rank a field has when one source spoke.
type packRank uint8

const (
	rankNone packRank = iota
	rankDescriptive
	rankValue
	ranks
)

// packKinds and packRanks are by index from requestFirst.
var packKinds, packRanks = packLayout()

func packLayout() (kinds [requestFields]packKind, of [requestFields]packRank) {
	for i := range requestFields {
		f := requestFirst + stream.Field(i)
		info := &stream.Fields[f]
		switch {
		case unique(f):
			kinds[i] = packOwn
		case info.Type == stream.Text:
			kinds[i] = packWord
		case info.Merge == stream.FirstMark || info.Merge == stream.LastMark:
			kinds[i] = packMark
		case info.Type == stream.Hash:
			kinds[i] = packHash
		case info.Type == stream.Signed:
			kinds[i] = packSigned
		}
		switch info.Merge {
		case stream.Descriptive:
			of[i] = rankDescriptive
		case stream.FirstMark, stream.LastMark, stream.Count, stream.Measured:
			of[i] = rankValue
		}
	}
	return kinds, of
}

// descriptiveFields and valueFields are the fields of a kind of rank.
var descriptiveFields, valueFields = fieldsRanked(rankDescriptive), fieldsRanked(rankValue)

func fieldsRanked(k packRank) (set [2]uint64) {
	for i, of := range packRanks {
		if of == k {
			set[i>>6] |= 1 << (i & 63)
		}
	}
	return set
}

// pack appends the request.
func (r *Request) pack(b []byte, w *words) []byte {
	first := len(b)
	m := markPacker{}
	m.begin(r)
	b, head := append(b, 0, 0), byte(0)
	b = binary.LittleEndian.AppendUint32(b, m.domain)
	b = binary.LittleEndian.AppendUint64(b, uint64(m.base))
	b = binary.LittleEndian.AppendUint64(b, uint64(m.ahead))
	b = binary.LittleEndian.AppendUint64(b, r.said)
	b = binary.LittleEndian.AppendUint64(b, r.set[0])
	b = appendUint(b, r.set[1])
	if r.identity == nil {
		b = r.packIdentity(b, w)
	} else {
		b = append(b, r.identity...)
	}
	b, head = r.packStory(b)
	if r.mixed {
		b = r.packRanks(b)
		head |= packMixed
	} else {
		b[first+packedRanks] = r.ranks[rankDescriptive]<<4 | r.ranks[rankValue]
	}
	b = r.packFields(b, w, &m)
	if m.oneDomain {
		head |= packOneDomain
	}
	if len(r.itlBucket) > 0 {
		head |= packSketch
		b = packList(packList(b, r.itlBucket), r.itlCount)
	}
	b[first] = head
	return b
}

// impliedLife is the life of a request whose producer numbers it, else its first offset.
func (r *Request) impliedLife() int64 {
	if r.id.ordinal != 0 {
		return r.id.ordinal
	}
	return r.place.Offset
}

// packIdentity writes what no event changes, its length first.
func (r *Request) packIdentity(b []byte, w *words) []byte {
	from, id := len(b), &r.id
	b = append(b, 0, 0)
	for i, s := range [...]*string{&id.producer, &id.boot, &id.source, &id.instance} {
		r.names[i] = w.number(*s)
		b = appendUint(b, uint64(r.names[i]))
	}
	b = appendOwn(b, id.requestID)
	b = appendUint(b, uint64(r.place.Offset))
	b = appendUint(b, uint64(uint32(r.place.Index)))
	b = append(b, byte(id.role))
	for _, v := range [...]int64{id.dpIndex, id.attempt, id.choice, id.ordinal, id.life - r.impliedLife()} {
		b = appendInt(b, v)
	}
	binary.LittleEndian.PutUint16(b[from:], uint16(len(b)-from))
	return b
}

// packStory writes how the request came together, leaving out what is mostly nothing.
func (r *Request) packStory(b []byte) (_ []byte, head byte) {
	if r.late {
		head |= packLate
	}
	if r.numbered {
		head |= packNumbered
	}
	b = appendUint(b, uint64(r.flags))
	b = appendUint(b, uint64(r.events))
	b = appendInt(b, r.outputSeen)
	if r.revision != 0 {
		head |= packRevised
		b = appendUint(b, uint64(r.revision))
	}
	if r.progressSeen != (progress{}) {
		head |= packProgress
		for _, v := range r.progressSeen {
			b = appendInt(b, v)
		}
	}
	if r.stepFirst != 0 || r.stepLast != 0 {
		head |= packSteps
		b = appendInt(appendInt(b, r.stepFirst), r.stepLast-r.stepFirst)
	}
	return b, head
}

// noteRank keeps account of whether one rank stands for each kind of field.
func (r *Request) noteRank(i int, rank uint8) {
	k := packRanks[i]
	if k == rankNone && rank == 0 {
		return
	}
	if k != rankNone && !r.ranked[k] {
		r.ranked[k], r.ranks[k] = true, rank
	}
	r.mixed = r.mixed || rank != r.ranks[k]
}

// packRanks writes the rank of each field.
func (r *Request) packRanks(b []byte) []byte {
	for w, word := range r.set {
		for word != 0 {
			b = append(b, r.rank[w<<6+bits.TrailingZeros64(word)])
			word &= word - 1
		}
	}
	return b
}

func (r *Request) packFields(b []byte, w *words, m *markPacker) []byte {
	b = appendUint(b, uint64(m.readings))
	for half, word := range r.set {
		for word != 0 {
			i := half<<6 + bits.TrailingZeros64(word)
			word &= word - 1
			switch packKinds[i] {
			case packNumber:
				b = appendUint(b, uint64(r.num[i]))
			case packSigned:
				b = appendInt(b, r.num[i])
			case packHash:
				b = binary.LittleEndian.AppendUint64(b, uint64(r.num[i]))
			case packWord:
				slot := textSlot[i]
				if r.word[slot] == 0 {
					r.word[slot] = w.number(r.text[slot])
				}
				b = appendUint(b, uint64(r.word[slot]))
			case packOwn:
				k := ownIndex(i)
				if r.packed[k] == nil {
					b = appendOwn(b, r.text[textSlot[i]])
				} else {
					b = append(b, r.packed[k]...) // it did not change
				}
			case packMark:
				b = m.append(b, r.num[i], r.mono[markIndex[i]])
			}
		}
	}
	return b
}

// ownIndex tells the texts of a request's own apart that events may change.
func ownIndex(i int) int {
	return int(is(requestFirst+stream.Field(i) == stream.RequestTraceID))
}

// markPacker writes or reads marks one after the other.
type markPacker struct {
	readings  uint16 // which marks have one, by their index
	oneDomain bool
	base      int64  // the first mark; 0: none
	ahead     int64  // how far the first reading is ahead of its mark
	domain    uint32 // of the first reading; 0: none
}

// begin finds out what is written once, which marks have a reading, and whether all readings are of one domain.
func (m *markPacker) begin(r *Request) {
	m.oneDomain = true
	for i, f := range markFields {
		if !r.has(f) {
			continue
		}
		c, wall := r.mono[i], r.num[index(f)]
		if m.base == 0 {
			m.base = wall
		}
		if c.domain == 0 {
			continue
		}
		m.readings |= 1 << i
		if m.domain == 0 {
			m.domain, m.ahead = c.domain, c.mono-wall
		}
		m.oneDomain = m.oneDomain && c.domain == m.domain
	}
}

func (m *markPacker) append(b []byte, wall int64, c clockReading) []byte {
	b = appendInt(b, wall-m.base)
	if c.domain == 0 {
		return b
	}
	b = appendInt(b, c.mono-wall-m.ahead)
	if !m.oneDomain {
		b = binary.LittleEndian.AppendUint32(b, c.domain)
	}
	return b
}

func packList(b []byte, v []int64) []byte {
	b = appendUint(b, uint64(len(v)))
	last := int64(0)
	for _, n := range v {
		b = appendInt(b, n-last)
		last = n
	}
	return b
}

func zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }

func appendInt(b []byte, v int64) []byte { return appendUint(b, zigzag(v)) }

func appendUint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}
