package aggregate

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"

	"github.com/inferlake/inferlake/stream"
)

// Most events of an open request only add numbers to it: a mark, a count. Such an addition is written behind the packed
// request as it was told, and merged when the request is unpacked next, mostly at its end: that costs a fraction of
// unpacking and packing it each time. Merging is joining, so later is as good as now, and what an event says again needs no
// merging at all: its texts are compared by their hash with those of an event that was merged. The rest of what an event
// could do is left to the plain way: whatever would move the request's earliest mark or what is booked of it, contradict
// its texts or end it.

// What the first byte of an addition says, beside the phase.
const (
	additionPhase   = 1<<4 - 1
	additionLate    = 1 << 4
	additionReading = 1 << 5 // of the monotonic clock
	additionSeen    = 1 << 6 // output tokens on the way
	additionNumbers = 1 << 7
)

var _ [additionPhase + 1 - len(phaseMark)]struct{} // every phase fits

// additionRoom is how much room a request gets for additions, if it is not a large one.
const (
	additionRoom  = 64
	additionMost  = 224
	additionLimit = 128 // bytes of most additions
)

// room is for additions to a request that takes packed bytes.
func (r *Request) room(packed int) int {
	if r.said == 0 || packed > additionMost {
		return 0
	}
	return additionRoom
}

// numberFields are the fields of an event that an addition may have: those that merge as numbers, but for the mark of the
// end. textFields describe a request, and endFields are what no addition has.
var numberFields, textFields, endFields = additionFields()

func additionFields() (numbers, texts, ends stream.FieldSet) {
	var n, t, no []stream.Field
	for _, f := range stream.FieldsOf(stream.KindRequest) {
		info := &stream.Fields[f]
		switch {
		case info.Merge == stream.Descriptive:
			t = append(t, f)
		case info.Type == stream.Ints || info.Type == stream.Texts || f == stream.RequestFinishedUnixNano:
			no = append(no, f)
		case info.Merge != stream.Identity && info.Merge != stream.Context && info.Merge != stream.Terminal, f == stream.RequestEngineStep:
			n = append(n, f)
		}
	}
	return stream.SetOf(n...), stream.SetOf(t...), stream.SetOf(no...)
}

// said hashes what the event describes its request by.
func (q *requests) said(e *stream.Event) uint64 {
	b := q.scratch[:0]
	set := e.Of(&textFields)
	for _, word := range set {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	for bit := requestBit; ; {
		f, next, ok := set.Next(stream.KindRequest, bit)
		if !ok {
			break
		}
		bit = next
		if stream.Fields[f].Type == stream.Text {
			s := e.Text(f)
			b = append(append(b, byte(len(s)), byte(len(s)>>8), byte(len(s)>>16)), s...)
		} else {
			b = binary.LittleEndian.AppendUint64(b, uint64(e.Num(f)))
		}
	}
	q.scratch = b
	return xxh3.Hash(b) | 1
}

// takesAdditions says that events like the one merged last may be added: one source speaks with one rank, and the request
// begins with received, which nothing but an earlier mark can change.
func (r *Request) takesAdditions(s statement) bool {
	at, ok := r.value(stream.RequestReceivedUnixNano)
	return !r.closed && !r.mixed && r.ranks[rankValue] == s.rank && ok && at == r.first
}

// add writes an addition to an open request, if the event is nothing more and there is room.
func (q *requests) add(n uint32, e *stream.Event, s statement, seen int64, late bool) bool {
	slot := q.open.at(n)
	if slot.class == 0 || slot.booked && e.HasAny(&momentNumbers) {
		return false
	}
	block := q.open.slab.bytes(slot.block())
	m, rank, said := headOf(block)
	if s.said != said || s.rank != rank || s.domain != 0 && s.domain != m.domain {
		return false
	}
	a, ok := additionOf(e, s, seen, late)
	if !ok || a.earlier(e, slot.first) {
		return false
	}
	at := slot.used
	if slot.last != 0 && a.continues(block[slot.last:slot.used], &m) {
		at = slot.last
	}
	var buf [additionLimit]byte
	b := a.append(buf[:0], &m, e)
	if int(at)+len(b) > len(block) {
		return false
	}
	slot.last, slot.used = at, at+uint16(copy(block[at:], b))
	return true
}

// addition is what is written of an event.
type addition struct {
	phase   stream.Phase
	events  int64
	late    bool
	wall    int64 // of the phase's mark, if it has one
	mono    int64
	reading bool // whether there is mono
	seen    int64
	numbers stream.FieldSet // the event's numbers beside the phase's mark
}

// additionOf says what an event adds; ok is false when it does more, or says a phase without its mark.
func additionOf(e *stream.Event, s statement, seen int64, late bool) (a addition, ok bool) {
	a = addition{phase: stream.Phase(e.Num(stream.RequestPhase)), events: 1, late: late, seen: seen, numbers: e.Of(&numberFields)}
	if a.phase == stream.PhaseReceived || a.phase == stream.PhaseFinished || e.HasAny(&endFields) {
		return a, false
	}
	f := phaseMark[a.phase]
	if f == 0 {
		return a, true
	}
	a.numbers.Remove(f)
	a.wall, a.mono, a.reading = e.Num(f), s.mono, s.domain != 0
	return a, e.Has(f)
}

// earlier says that one of the marks is before first.
func (a *addition) earlier(e *stream.Event, first int64) bool {
	if phaseMark[a.phase] != 0 && a.wall < first {
		return true
	}
	if !a.numbers.HasAny(&markSet) {
		return false
	}
	for _, f := range markFields {
		if a.numbers.Has(f) && e.Num(f) < first {
			return true
		}
	}
	return false
}

// continues takes the addition b over into a, if a tells the same later: progress is told again and again.
func (a *addition) continues(b []byte, m *markPacker) bool {
	if a.phase != stream.PhaseTokens || a.numbers != (stream.FieldSet{}) || b[0]&(additionPhase|additionNumbers) != byte(stream.PhaseTokens) {
		return false
	}
	u := unpacker{b: b}
	last := u.addition(m)
	if a.wall <= last.wall {
		return false
	}
	a.events, a.late, a.seen = a.events+last.events, a.late || last.late, max(a.seen, last.seen)
	return true
}

// append writes the addition.
func (a *addition) append(b []byte, m *markPacker, e *stream.Event) []byte {
	head := byte(a.phase)
	b = appendUint(append(b, 0), uint64(a.events))
	if phaseMark[a.phase] != 0 {
		b = appendInt(b, a.wall-m.base)
	}
	if a.reading {
		head |= additionReading
		b = appendInt(b, a.mono-a.wall-m.ahead)
	}
	if a.seen != 0 {
		head |= additionSeen
		b = appendInt(b, a.seen)
	}
	if a.late {
		head |= additionLate
	}
	if a.numbers != (stream.FieldSet{}) {
		head |= additionNumbers
		b = appendNumbers(b, m, e, &a.numbers)
	}
	b[0] = head
	return b
}

// appendNumbers writes how many numbers there are, then each with its field's index: marks as distances, as pack does.
func appendNumbers(b []byte, m *markPacker, e *stream.Event, numbers *stream.FieldSet) []byte {
	b = append(b, byte(numbers.Len()))
	for bit := requestBit; ; {
		f, next, ok := numbers.Next(stream.KindRequest, bit)
		if !ok {
			return b
		}
		bit = next
		i, v := index(f), e.Num(f)
		if packKinds[i] == packMark {
			v -= m.base
		}
		b = appendInt(append(b, byte(i)), v)
	}
}

// addition reads one, up to its numbers.
func (u *unpacker) addition(m *markPacker) (a addition) {
	head := u.byte()
	a.phase, a.late, a.reading = stream.Phase(head&additionPhase), head&additionLate != 0, head&additionReading != 0
	a.events = int64(u.uint())
	if phaseMark[a.phase] != 0 {
		a.wall = m.base + u.int()
	}
	if a.reading {
		a.mono = u.int() + a.wall + m.ahead
	}
	if head&additionSeen != 0 {
		a.seen = u.int()
	}
	return a
}

// unpackAdditions merges the additions behind a packed request.
func (r *Request) unpackAdditions(u *unpacker, m *markPacker) {
	for u.i < len(u.b) {
		numbers := u.b[u.i]&additionNumbers != 0
		a := u.addition(m)
		s := statement{rank: r.ranks[rankValue]}
		if a.reading {
			s.mark, s.mono, s.domain = phaseMark[a.phase], a.mono, m.domain
		}
		if f := phaseMark[a.phase]; f != 0 {
			r.mergeNumber(f, a.wall, s)
		}
		r.events += a.events
		r.late = r.late || a.late
		r.outputSeen = max(r.outputSeen, a.seen)
		if numbers {
			r.unpackNumbers(u, m, s, a.phase)
		}
	}
}

func (r *Request) unpackNumbers(u *unpacker, m *markPacker, s statement, phase stream.Phase) {
	for range u.byte() {
		i := int(u.byte())
		v := u.int()
		if packKinds[i] == packMark {
			v += m.base
		}
		if f := requestFirst + stream.Field(i); f == stream.RequestEngineStep {
			r.mergeStep(v, phase)
		} else {
			r.mergeNumber(f, v, s)
		}
	}
}
