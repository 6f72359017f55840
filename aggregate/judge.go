package aggregate

import (
	"math/bits"

	"github.com/inferlake/inferlake/stream"
)

// derivedFlags are recomputed from the record; the others are facts about how it came together.
const derivedFlags = FlagDerivedReceived | FlagNegativeDuration | FlagCachedOverPrompt | FlagFewerThanSeen | FlagSpan

// judge sets the flags that follow from the merged record.
func (r *Request) judge(maxLife int64) {
	r.flags &^= derivedFlags
	set := func(f Flags, yes bool) {
		if yes {
			r.flags |= f
		}
	}
	_, received := r.received()
	set(FlagDerivedReceived, received && !r.has(stream.RequestReceivedUnixNano))
	set(FlagNegativeDuration, r.anyNegative())
	set(FlagCachedOverPrompt, r.cachedSaid() > r.count(stream.RequestPromptTokens) && r.has(stream.RequestPromptTokens))
	set(FlagFewerThanSeen, r.fewerThanSeen())
	first, last := r.extent()
	set(FlagSpan, last-first > maxLife)
}

// anyNegative says that two neighbouring marks are in the wrong order on their clock, or a measured duration is negative.
func (r *Request) anyNegative() bool {
	for _, p := range [][2]stream.Field{
		{stream.RequestReceivedUnixNano, stream.RequestQueuedUnixNano},
		{stream.RequestReceivedUnixNano, stream.RequestFirstTokenUnixNano},
		{stream.RequestReceivedUnixNano, stream.RequestFinishedUnixNano},
		{stream.RequestQueuedUnixNano, stream.RequestScheduledUnixNano},
		{stream.RequestScheduledUnixNano, stream.RequestFirstTokenUnixNano},
		{stream.RequestFirstTokenUnixNano, stream.RequestLastTokenUnixNano},
	} {
		_, known := r.mark(p[0])
		if _, ok := r.between(p[0], p[1]); known && r.has(p[1]) && !ok {
			return true
		}
	}
	for f := stream.RequestQueueNano; f <= stream.RequestDetokenizeNano; f++ {
		if r.count(f) < 0 {
			return true
		}
	}
	return false
}

// extent is the earliest and the latest mark.
func (r *Request) extent() (first, last int64) {
	for _, m := range markFields {
		if t, ok := r.value(m); ok {
			if first == 0 || t < first {
				first = t
			}
			last = max(last, t)
		}
	}
	return first, last
}

// textOf is a text that recurs, "" when unknown.
func (r *Request) textOf(f stream.Field) string {
	if !r.has(f) {
		return ""
	}
	return r.text[textSlot[index(f)]]
}

// saysTheSame compares what two records say, without the fold's bookkeeping.
func (r *Request) saysTheSame(o *Request) bool {
	return r.set == o.set && r.fieldsEqual(o) && r.flags == o.flags && r.outputSeen == o.outputSeen &&
		r.progressSeen == o.progressSeen && r.stepFirst == o.stepFirst && r.stepLast == o.stepLast &&
		total(r.itlCount) == total(o.itlCount)
}

// fieldsEqual compares the fields that are known, of two records that know the same ones.
func (r *Request) fieldsEqual(o *Request) bool {
	for w, word := range r.set {
		for ; word != 0; word &= word - 1 {
			i := w<<6 + bits.TrailingZeros64(word)
			switch {
			case r.rank[i] != o.rank[i], r.num[i] != o.num[i],
				packKinds[i] == packMark && r.mono[markIndex[i]] != o.mono[markIndex[i]],
				(packKinds[i] == packWord || packKinds[i] == packOwn) && r.text[textSlot[i]] != o.text[textSlot[i]]:
				return false
			}
		}
	}
	return true
}
