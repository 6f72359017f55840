package aggregate

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"

	"github.com/inferlake/inferlake/stream"
)

// requestKey is the 128-bit hash of a request's identity without its life.
type requestKey [2]uint64

// requests holds the open requests and, for a while, the closed ones, all packed.
type requests struct {
	open    *requestStore // by last record, on the log clock
	closed  *requestStore // by end, on the log clock
	words   words
	dims    dimCache
	pending int64 // events merged into open requests

	oldest        int64 // earliest mark of an open request at the last crossing, or since; 0: none
	longestUntold int64 // longest life of a request that came as one finished event alone, ns

	// Requests at work, unpacked: the one that an event belongs to, the same as it was before, and another.
	work, before, other *Request

	expected []expected // events that are folded soon
	due      int        // the next of them
	looked   uint64     // what was found there: else nobody would look

	scratch []byte
}

func newRequests() requests {
	return requests{open: newRequestStore(), closed: newRequestStore(), words: newWords(), dims: dimCache{known: map[dimWords]dimEntry{}},
		work: new(Request), before: new(Request), other: new(Request)}
}

// key hashes who the event's request is. A request without an id is named by its position.
func (q *requests) key(e *stream.Event, at stream.Position) requestKey {
	b := q.scratch[:0]
	for _, f := range []stream.Field{stream.EventInstance, stream.EventBoot, stream.RequestRequestID} {
		s := e.Text(f)
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	for _, f := range []stream.Field{stream.EventDPIndex, stream.EventRole, stream.RequestAttempt, stream.RequestChoice, stream.RequestOrdinal} {
		b = binary.AppendVarint(b, e.Num(f))
	}
	if e.Text(stream.RequestRequestID) == "" {
		b = binary.AppendVarint(b, at.Offset)
		b = binary.AppendVarint(b, int64(at.Index))
	}
	q.scratch = b
	h := xxh3.Hash128(b)
	return requestKey{h.Hi, h.Lo}
}

// request folds a request event: into the request it belongs to, open or closed, or into a new one.
func (f *Fold) request(e *stream.Event, at stream.Position, late, clamped bool) {
	f.repeatedMark(e, at)
	flags, seen := normalise(e)
	if clamped {
		flags |= FlagClock
	}
	q := &f.requests
	key, says := q.keyOf(e, at), q.statementOf(e)
	var r *Request
	if n := q.open.find(key); n != 0 {
		if flags == 0 && !f.plain && q.add(n, e, says, seen, late) {
			f.touch(n)
			return
		}
		r = q.glance(q.work, q.open, n)
	} else if n := q.closed.find(key); n != 0 {
		r = q.glance(q.work, q.closed, n)
	}
	if r != nil && f.anotherLife(r, e) {
		flags |= f.endLife(r)
		r = nil
	}
	switch {
	case r == nil:
		r = f.begin(e, key, at, flags)
	case r.closed:
		r.know(&q.words)
		f.revise(r, e, says, flags, seen, late)
		return
	}
	f.join(r, e, says, flags, seen, late)
	f.unbook(r)
	f.touch(r.slot)
	r.touched = f.clocks.log
	if !r.has(stream.RequestFinishedUnixNano) {
		q.save(r)
		return
	}
	if r.identity != nil {
		r.know(&q.words)
	}
	f.close(r)
}

// touch notes that an open request had an event.
func (f *Fold) touch(n uint32) {
	q := &f.requests
	q.pending++
	q.open.at(n).touched = f.clocks.log
	q.open.moveToBack(n)
}

// unbook takes back what was booked of an open request, if what it gained since changes that. It is to be booked again.
func (f *Fold) unbook(r *Request) {
	if !r.booked || !r.movedMoments() {
		return
	}
	before := f.requests.load(f.requests.before, f.requests.open, r.slot)
	f.windows.book(before, before.bookedDims, atOpen, -1)
	r.booked = false
}

// anotherLife says that a received event with another time begins a new request under an id in use. Where the
// producer numbers its requests, the number tells.
func (f *Fold) anotherLife(r *Request, e *stream.Event) bool {
	if r.numbered || stream.Phase(e.Num(stream.RequestPhase)) != stream.PhaseReceived {
		return false
	}
	had, ok := r.value(stream.RequestReceivedUnixNano)
	return ok && had != e.Num(stream.RequestReceivedUnixNano)
}

// endLife makes room for a new life of a request's identity; an open one is lost, and both are ambiguous.
func (f *Fold) endLife(r *Request) Flags {
	if r.closed {
		f.forget(r.slot)
		return 0
	}
	f.forget(f.lose(r.slot, FlagAmbiguousID))
	return FlagAmbiguousID
}

// begin opens a new request.
func (f *Fold) begin(e *stream.Event, key requestKey, at stream.Position, flags Flags) *Request {
	q := &f.requests
	r := q.fresh(q.work)
	r.key, r.place, r.flags, r.numbered = key, at, flags, e.Num(stream.RequestOrdinal) != 0
	r.id = identity{
		producer: e.Text(stream.EventProducer), boot: e.Text(stream.EventBoot),
		source: e.Text(stream.EventSource), instance: e.Text(stream.EventInstance),
		requestID: e.Text(stream.RequestRequestID),
		dpIndex:   e.Num(stream.EventDPIndex), attempt: e.Num(stream.RequestAttempt),
		choice: e.Num(stream.RequestChoice), ordinal: e.Num(stream.RequestOrdinal),
		role: stream.Role(e.Num(stream.EventRole)), life: e.Num(stream.RequestOrdinal),
	}
	if r.id.life == 0 {
		r.id.life = at.Offset
	}
	q.admit(r, q.open)
	if q.open.n > f.rules.MaxOpen {
		f.givenUp.Evicted++
		f.lose(f.requests.open.front, FlagEvicted)
	}
	return r
}

// join merges an event into a request.
func (f *Fold) join(r *Request, e *stream.Event, s statement, flags Flags, seen int64, late bool) {
	r.merge(e, s)
	r.outputSeen = max(r.outputSeen, seen)
	r.flags |= flags
	r.late = r.late || late
	r.events++
	r.first, _ = r.extent()
	if !r.closed && r.first != 0 && (f.requests.oldest == 0 || r.first < f.requests.oldest) {
		f.requests.oldest = r.first // an event may tell of earlier marks than its own moment
	}
	if r.said = 0; r.takesAdditions(s) {
		r.said = s.said
	}
}

// close ends an open request: its row goes out and all that it contributes is booked.
func (f *Fold) close(r *Request) {
	f.requests.pending -= r.events
	f.counts.Loaded += r.events
	if first, ok := r.received(); ok && r.events == 1 {
		end, _ := r.finished()
		f.requests.longestUntold = max(f.requests.longestUntold, min(end-first, f.rules.MaxLife.Nanoseconds()))
	}
	f.settle(r)
	r.touched = f.clocks.log
	f.requests.move(r)
	f.write(r)
	if f.requests.closed.n > f.rules.MaxClosed {
		f.givenUp.Forgotten++
		f.forget(f.requests.closed.front)
	}
}

// settle books a request that ended: all of it, or the rest of what was booked while it was open.
func (f *Fold) settle(r *Request) {
	r.judge(f.rules.MaxLife.Nanoseconds())
	id, rest := f.windowDims(r), allParts
	if r.booked {
		rest = atEnd
	}
	if r.booked && (id != r.bookedDims || r.flags&FlagSpan != 0) {
		before := f.requests.load(f.requests.before, f.requests.open, r.slot)
		f.windows.book(before, before.bookedDims, atOpen, -1)
		rest = allParts
	}
	r.bookedDims, r.booked = id, true
	f.windows.book(r, id, rest, 1)
}

// windowDims is the id of the request's dimensions in windows.
func (f *Fold) windowDims(r *Request) int32 {
	w := f.requests.dimWords(r)
	if id, ok := f.requests.dims.find(w, &f.dimensions, f.clocks.log); ok {
		return id
	}
	d := f.dimensions.of(w.role, w.texts(&f.requests.words), f.clocks.log, r.refused())
	if _, known := f.windows.ids[d]; !known && len(f.windows.dims) >= f.rules.MaxWindows {
		d = dims{role: d.role, instance: Other, model: Other, version: Other, adapter: Other, requestClass: Other}
	}
	id := f.windows.id(d)
	if d.other() {
		f.givenUp.Others++
	} else {
		f.requests.dims.add(w, &f.dimensions, d, id)
	}
	return id
}

// revise merges an event into a closed request: its row is replaced and the windows get new − old. An event without
// a sequence number that changes nothing is a repeat.
func (f *Fold) revise(r *Request, e *stream.Event, s statement, flags Flags, seen int64, late bool) {
	before := f.requests.load(f.requests.before, f.requests.closed, r.slot)
	f.join(r, e, s, flags, seen, late)
	if !e.Has(stream.EventSeq) && r.saysTheSame(before) {
		f.counts.Duplicate++
		return // and what it is stays packed as it was
	}
	f.windows.book(before, before.bookedDims, allParts, -1)
	f.counts.Loaded++
	r.judge(f.rules.MaxLife.Nanoseconds())
	r.bookedDims = f.windowDims(r)
	f.windows.book(r, r.bookedDims, allParts, 1)
	r.revision++
	f.write(r)
	f.requests.save(r)
}

// lose ends an open request whose end was never told, at its last mark; one without any, at the log's time then. It
// returns where the request is then.
func (f *Fold) lose(n uint32, why Flags) (closed uint32) {
	r := f.requests.load(f.requests.other, f.requests.open, n)
	r.flags |= why
	last := int64(0)
	for _, m := range markFields {
		last = max(last, r.count(m))
	}
	if last == 0 {
		last = r.touched
	}
	r.put(index(stream.RequestFinishedUnixNano), last, 0)
	r.putEnding(ending{outcome: int64(stream.OutcomeLost)})
	f.close(r)
	return r.slot
}

// expire loses what has been silent for too long, and forgets what was closed long ago, on the log clock.
func (f *Fold) expire() {
	q := &f.requests
	for n := q.open.front; n != 0 && q.open.at(n).touched < f.clocks.log-f.rules.Expiry.Nanoseconds(); n = q.open.front {
		f.lose(n, FlagExpired)
		f.makeRoom()
	}
	for n := q.closed.front; n != 0 && q.closed.at(n).touched < f.clocks.log-f.rules.ClosedMemory.Nanoseconds(); n = q.closed.front {
		f.forget(n)
	}
	f.dropSilent()
}

// domainID is a short name for a clock domain; 0 is none.
func domainID(domain string) uint32 { return uint32(xxh3.HashString(domain)) | 1 }

// forget drops a closed request from memory, once its row is written.
func (f *Fold) forget(n uint32) {
	closed := f.requests.closed
	s := closed.at(n)
	closed.leave(n)
	if s.cut == f.out.number {
		s.gone = true
		return
	}
	closed.drop(n)
}

// write lists the request's row for the next cut.
func (f *Fold) write(r *Request) {
	if r.cut == f.out.number {
		return // listed already
	}
	f.out.requests = append(f.out.requests, requestRow{r.slot, r.cut != 0})
	r.cut = f.out.number
	f.requests.closed.at(r.slot).cut = r.cut
}

// bookOpen books what open requests have gained since the last crossing, and looks for the earliest mark of one.
func (f *Fold) bookOpen() {
	q := &f.requests
	q.oldest = 0
	for n := q.open.front; n != 0; {
		s := q.open.at(n)
		if !s.booked {
			r := q.load(q.work, q.open, n)
			s.bookedDims, s.booked = f.windowDims(r), true
			f.windows.book(r, s.bookedDims, atOpen, 1)
		}
		if s.first != 0 && (q.oldest == 0 || s.first < q.oldest) {
			q.oldest = s.first
		}
		n = s.next
	}
}
