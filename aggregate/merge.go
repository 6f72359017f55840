package aggregate

import (
	"slices"

	"github.com/inferlake/inferlake/stream"
)

// statement is how an event speaks: what decides between two values of one field.
type statement struct {
	rank   uint8        // twice the source's rank, plus one in phase finished
	mark   stream.Field // the mark that the phase sets: the reading of the monotonic clock belongs to it alone
	mono   int64
	domain uint32 // 0 without a monotonic clock
	said   uint64 // hash of what it says that is not a number; 0: it cannot be told by that
}

// statementOf is how an event speaks.
func (q *requests) statementOf(e *stream.Event) statement {
	s := statement{rank: uint8(min(e.Num(stream.EventRank), 3)) << 1}
	phase := stream.Phase(e.Num(stream.RequestPhase))
	if phase == stream.PhaseFinished {
		s.rank |= 1
	} else {
		s.said = q.said(e)
	}
	if domain := e.Text(stream.EventClockDomain); domain != "" && e.Has(stream.EventMonoNano) {
		s.mark = phaseMark[phase]
		s.mono, s.domain = e.Num(stream.EventMonoNano), domainID(domain)
	}
	return s
}

// merge joins an event into the request. Every rule is a join on (rank, value), so order and repeats do not matter.
func (r *Request) merge(e *stream.Event, s statement) {
	for b := requestBit; ; {
		f, next, ok := e.Next(b)
		if !ok {
			break
		}
		b = next
		if stream.Fields[f].Merge == stream.Descriptive {
			r.mergeDescriptive(e, f, s)
		} else {
			r.mergeNumber(f, e.Num(f), s)
		}
	}
	r.mergeTerminal(e, s)
	r.mergeSketch(e)
	if step, ok := e.Int(stream.RequestEngineStep); ok {
		r.mergeStep(step, stream.Phase(e.Num(stream.RequestPhase)))
	}
}

// mergeNumber joins what a field says, if it is one that is a number and kept.
func (r *Request) mergeNumber(f stream.Field, v int64, s statement) {
	switch stream.Fields[f].Merge {
	case stream.FirstMark:
		r.mergeMark(f, v, s, func(a, b int64) bool { return a < b })
	case stream.LastMark:
		r.mergeMark(f, v, s, func(a, b int64) bool { return a > b })
	case stream.Count, stream.Measured:
		r.mergeRanked(f, v, s.rank)
	case stream.Progress:
		r.mergeProgress(f, v, s.rank&1)
	case stream.Total, stream.Flag:
		r.mergeRanked(f, v, 0)
	}
}

// mergeRanked keeps the value of higher rank, then the greater one.
func (r *Request) mergeRanked(f stream.Field, v int64, rank uint8) bool {
	i := index(f)
	if r.has(f) && (rank < r.rank[i] || rank == r.rank[i] && v <= r.num[i]) {
		return false
	}
	r.put(i, v, rank)
	return true
}

// mergeProgress keeps what the end says, else the greatest so far, and remembers the greatest on the way.
func (r *Request) mergeProgress(f stream.Field, v int64, end uint8) {
	r.mergeRanked(f, v, end)
	if end == 0 {
		slot := slices.Index(progressFields[:], f)
		r.progressSeen[slot] = max(r.progressSeen[slot], v)
	}
}

// fewerThanSeen says that the end counted less than was seen on the way.
func (r *Request) fewerThanSeen() bool {
	if r.has(stream.RequestOutputTokens) && r.count(stream.RequestOutputTokens) < r.outputSeen {
		return true
	}
	for slot, f := range progressFields {
		if r.count(f) < r.progressSeen[slot] {
			return true
		}
	}
	return false
}

func (r *Request) put(i int, v int64, rank uint8) {
	r.num[i], r.rank[i] = v, rank
	r.set[i>>6] |= 1 << (i & 63)
	r.changed[i>>6] |= 1 << (i & 63)
	r.noteRank(i, rank)
}

// setText takes a text that is good as long as the event is: the request is packed before.
func (r *Request) setText(i int, text string) {
	slot := textSlot[i]
	r.text[slot], r.word[slot] = text, 0
	if packKinds[i] == packOwn {
		r.packed[ownIndex(i)] = nil
	}
}

// mergeMark keeps the mark of higher rank, then the one that is before; wall clock, monotonic reading and its domain
// move together.
func (r *Request) mergeMark(f stream.Field, wall int64, s statement, before func(a, b int64) bool) {
	i := index(f)
	m := &r.mono[markIndex[i]]
	reading := clockReading{}
	if f == s.mark {
		reading = clockReading{s.mono, s.domain}
	}
	if r.has(f) {
		switch {
		case s.rank < r.rank[i]:
			return
		case s.rank == r.rank[i] && wall == r.num[i]:
			if reading.domain < m.domain || reading.domain == m.domain && !before(reading.mono, m.mono) {
				return
			}
		case s.rank == r.rank[i] && !before(wall, r.num[i]):
			return
		}
	}
	r.put(i, wall, s.rank)
	*m = reading
}

// mergeDescriptive keeps the value of higher rank, then of greater bytes; two values are a conflict, whatever their
// ranks: else it would depend on the order in which they come.
func (r *Request) mergeDescriptive(e *stream.Event, f stream.Field, s statement) {
	i, rank := index(f), s.rank>>1
	if stream.Fields[f].Type != stream.Text {
		r.mergeHash(f, e.Num(f), rank)
		return
	}
	v, slot := e.Text(f), textSlot[i]
	if r.has(f) {
		if v != r.text[slot] {
			r.flags |= FlagConflict
		}
		if rank < r.rank[i] || rank == r.rank[i] && v <= r.text[slot] {
			return
		}
	}
	r.setText(i, v)
	r.put(i, 0, rank)
}

// mergeHash is mergeDescriptive for 64 bits; greater bytes are a greater number without sign.
func (r *Request) mergeHash(f stream.Field, v int64, rank uint8) {
	i := index(f)
	if r.has(f) {
		if v != r.num[i] {
			r.flags |= FlagConflict
		}
		if rank < r.rank[i] || rank == r.rank[i] && uint64(v) <= uint64(r.num[i]) {
			return
		}
	}
	r.put(i, v, rank)
}

// Severity orders endings: the more severe of two wins. lost is a guess, so any told ending beats it.
var outcomeSeverity = [...]int64{
	0: 0, stream.OutcomeLost: 1, stream.OutcomeUnknown: 2, stream.OutcomeOK: 3, stream.OutcomeCancelled: 4,
	stream.OutcomeRejected: 5, stream.OutcomeTimeout: 6, stream.OutcomeError: 7,
}

var reasonSeverity = [...]int64{
	0: 0, stream.ReasonOther: 1, stream.ReasonStop: 2, stream.ReasonToolCalls: 3, stream.ReasonLength: 4,
	stream.ReasonRepetition: 5, stream.ReasonContentFilter: 6, stream.ReasonAbort: 7, stream.ReasonError: 8,
}

// ending is the outcome with its reason and status; they move together.
type ending struct{ outcome, reason, status int64 }

func (a ending) compare(b ending) int {
	return slices.Compare(
		[]int64{outcomeSeverity[a.outcome], reasonSeverity[a.reason], a.status},
		[]int64{outcomeSeverity[b.outcome], reasonSeverity[b.reason], b.status})
}

func (r *Request) ending() ending {
	return ending{r.count(stream.RequestOutcome), r.count(stream.RequestFinishReason), r.count(stream.RequestHTTPStatus)}
}

// mergeTerminal keeps the more severe ending.
func (r *Request) mergeTerminal(e *stream.Event, s statement) {
	if stream.Phase(e.Num(stream.RequestPhase)) != stream.PhaseFinished {
		return
	}
	told := ending{e.Num(stream.RequestOutcome), e.Num(stream.RequestFinishReason), e.Num(stream.RequestHTTPStatus)}
	if told.outcome == 0 {
		told.outcome = int64(impliedOutcome(stream.FinishReason(told.reason), told.status))
	}
	had := r.ending()
	const lost = int64(stream.OutcomeLost) // a guess contradicts nothing
	if had.outcome != 0 && had.outcome != told.outcome && had.outcome != lost && told.outcome != lost {
		r.flags |= FlagOutcomeConflict
	}
	if had.outcome != 0 && told.compare(had) <= 0 {
		return
	}
	r.putEnding(told)
}

func (r *Request) putEnding(e ending) {
	r.put(index(stream.RequestOutcome), e.outcome, 0)
	for _, p := range []struct {
		f stream.Field
		v int64
	}{{stream.RequestFinishReason, e.reason}, {stream.RequestHTTPStatus, e.status}} {
		i := index(p.f)
		r.set[i>>6] &^= 1 << (i & 63)
		r.changed[i>>6] |= 1 << (i & 63)
		if p.v != 0 {
			r.put(i, p.v, 0)
		}
	}
}

// impliedOutcome is the outcome of a source that tells only a reason or a status.
func impliedOutcome(reason stream.FinishReason, status int64) stream.Outcome {
	switch {
	case status == 499:
		return stream.OutcomeCancelled
	case status == 408 || status == 504:
		return stream.OutcomeTimeout
	case status == 429:
		return stream.OutcomeRejected
	case status >= 400:
		return stream.OutcomeError
	}
	switch reason {
	case stream.ReasonStop, stream.ReasonLength, stream.ReasonToolCalls, stream.ReasonContentFilter, stream.ReasonRepetition:
		return stream.OutcomeOK
	case stream.ReasonAbort:
		return stream.OutcomeCancelled
	case stream.ReasonError:
		return stream.OutcomeError
	}
	if status >= 200 && status < 400 {
		return stream.OutcomeOK
	}
	return stream.OutcomeUnknown
}

// mergeSketch keeps the sketch of more tokens: it is cumulative and travels whole.
func (r *Request) mergeSketch(e *stream.Event) {
	idx, cnt := e.Ints(stream.RequestITLBucket), e.Ints(stream.RequestITLCount)
	if len(idx) == 0 || len(idx) != len(cnt) {
		return
	}
	told, had := total(cnt), total(r.itlCount)
	if told < had || told == had && (slices.Compare(idx, r.itlBucket) < 0 ||
		slices.Equal(idx, r.itlBucket) && slices.Compare(cnt, r.itlCount) <= 0) {
		return
	}
	r.itlBucket, r.itlCount = append(r.itlBucket[:0], idx...), append(r.itlCount[:0], cnt...)
}

func total(n []int64) (sum int64) {
	for _, v := range n {
		sum += v
	}
	return sum
}

// mergeStep keeps the first pass in which the request was scheduled and the last one told.
func (r *Request) mergeStep(step int64, phase stream.Phase) {
	if step == 0 {
		return
	}
	if phase == stream.PhaseScheduled && (r.stepFirst == 0 || step < r.stepFirst) {
		r.stepFirst = step
	}
	r.stepLast = max(r.stepLast, step)
}
