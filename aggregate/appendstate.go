package aggregate

import (
	"math/bits"
)

// appendState writes the request as state does, without a call for each number: most of a snapshot is requests. A test
// holds the two to each other.
func (r *Request) appendState(b []byte) []byte {
	id := &r.id
	for _, v := range [...]int64{int64(r.key[0]), int64(r.key[1]), r.place.Offset, int64(r.place.Index), int64(id.role), int64(r.bookedDims), int64(r.flags)} {
		b = appendInt(b, v)
	}
	for _, s := range [...]string{id.producer, id.boot, id.source, id.instance, id.requestID} {
		b = appendText(b, s)
	}
	for _, v := range [...]int64{id.dpIndex, id.attempt, id.choice, id.ordinal, id.life, int64(r.set[0]), int64(r.set[1])} {
		b = appendInt(b, v)
	}
	b = r.appendFields(b)
	b = appendInts(appendInts(b, r.itlBucket), r.itlCount)
	for _, v := range r.progressSeen {
		b = appendInt(b, v)
	}
	for _, v := range [...]int64{r.outputSeen, r.stepFirst, r.stepLast, r.events, r.revision, r.touched, is(r.late), is(r.booked)} {
		b = appendInt(b, v)
	}
	return b
}

func (r *Request) appendFields(b []byte) []byte {
	for w, word := range r.set {
		for ; word != 0; word &= word - 1 {
			i := w<<6 + bits.TrailingZeros64(word)
			b = appendInt(appendInt(b, r.num[i]), int64(r.rank[i]))
			switch packKinds[i] {
			case packWord, packOwn:
				b = appendText(b, r.text[textSlot[i]])
			case packMark:
				m := r.mono[markIndex[i]]
				b = appendInt(appendInt(b, m.mono), int64(m.domain))
			}
		}
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(appendInt(b, int64(len(s))), s...)
}

func appendInts(b []byte, v []int64) []byte {
	b = appendInt(b, int64(len(v)))
	for _, n := range v {
		b = appendInt(b, n)
	}
	return b
}
