package aggregate

import (
	"iter"

	"github.com/inferlake/inferlake/stream"
)

// requestStore holds requests at rest: packed, found by their keys and in the order of a queue. The open ones and the closed ones
// have a store each: those that events look for lie close together.
type requestStore struct {
	queue
	table keyTable
	slab  slab
}

func newRequestStore() *requestStore { return &requestStore{queue: queue{slots: &slots{}}} }

func (s *requestStore) at(n uint32) *slot { return s.slots.at(n) }

// find returns the number of the slot with the key, 0 for none.
func (s *requestStore) find(k requestKey) uint32 { return s.table.find(k, s.slots) }

// enter gives a request a slot, in the table and in the queue. It is saved later.
func (s *requestStore) enter(r *Request) {
	r.slot = s.slots.take()
	s.at(r.slot).key = r.key
	s.table.add(r.key, r.slot)
	s.pushBack(r.slot)
}

// leave takes a request out of the queue and the table. What it takes is freed by drop.
func (s *requestStore) leave(n uint32) {
	s.remove(n)
	s.table.remove(s.at(n).key, n)
}

// drop frees what a request takes.
func (s *requestStore) drop(n uint32) {
	s.slab.drop(s.at(n).block())
	s.slots.drop(n)
}

// packed are the bytes of a request.
func (s *requestStore) packed(n uint32) []byte {
	slot := s.at(n)
	b := s.slab.bytes(slot.block())
	if slot.class != 0 {
		b = b[:slot.used]
	}
	return b
}

// put keeps a request with what it packs to.
func (s *requestStore) put(r *Request, packed []byte) {
	slot := s.at(r.slot)
	slot.booked, slot.bookedDims = r.booked, r.bookedDims
	slot.touched, slot.first, slot.cut = r.touched, r.first, r.cut
	b := s.slab.put(slot.block(), packed, r.room(len(packed)))
	slot.body, slot.class = b.number, b.class
	slot.used, slot.last = uint16(len(packed)), 0
}

// Requests are unpacked to be worked on. Between load and save the slot's copy in the request counts, but for its place in
// a queue.

// load unpacks a request.
func (q *requests) load(r *Request, from *requestStore, n uint32) *Request {
	q.glance(r, from, n).know(&q.words)
	return r
}

// glance unpacks all of a request but its identity.
func (q *requests) glance(r *Request, from *requestStore, n uint32) *Request {
	s := from.at(n)
	r.slot, r.key, r.closed, r.booked, r.bookedDims = n, s.key, from == q.closed, s.booked, s.bookedDims
	r.touched, r.first, r.cut = s.touched, s.first, s.cut
	r.unpack(from.packed(n), &q.words)
	return r
}

// save packs a request again.
func (q *requests) save(r *Request) {
	s := q.open
	if r.closed {
		s = q.closed
	}
	q.scratch = r.pack(q.scratch[:0], &q.words)
	s.put(r, q.scratch)
}

// admit gives a new request a slot. None is at work that has words already: they would be swept.
func (q *requests) admit(r *Request, to *requestStore) {
	if q.words.many() {
		q.sweepWords()
	}
	to.enter(r)
}

// move packs an open request into the store of the closed ones.
func (q *requests) move(r *Request) {
	r.closed, r.said = true, 0
	q.scratch = r.pack(q.scratch[:0], &q.words) // some of what it says still lies where it was packed before
	q.open.leave(r.slot)
	q.open.drop(r.slot)
	q.closed.enter(r)
	q.closed.put(r, q.scratch)
}

// fresh makes r a request of which nothing is known.
func (q *requests) fresh(r *Request) *Request {
	*r = Request{itlBucket: r.itlBucket[:0], itlCount: r.itlCount[:0]}
	return r
}

// all unpacks the requests of a store one after the other, in the queue's order. The one yielded is good until the next.
func (q *requests) all(s *requestStore) iter.Seq[*Request] {
	return func(yield func(*Request) bool) {
		for n := s.front; n != 0; {
			next := s.at(n).next
			if !yield(q.load(q.other, s, n)) {
				return
			}
			n = next
		}
	}
}

// sweepWords forgets the words that no request has any more. Rows that wait for the cut have theirs, too.
func (q *requests) sweepWords() {
	used := make([]bool, len(q.words.texts))
	for _, s := range []*requestStore{q.open, q.closed} {
		for n := uint32(1); n <= s.slots.made; n++ {
			if s.at(n).body != 0 {
				q.load(q.other, s, n).words(used)
			}
		}
	}
	q.words.sweep(used)
	clear(q.dims.known)
}

// words marks the words that the request has.
func (r *Request) words(used []bool) {
	for _, n := range r.names {
		used[n] = true
	}
	for i := range requestFields {
		if packKinds[i] == packWord && r.set[i>>6]>>(i&63)&1 != 0 {
			used[r.word[textSlot[i]]] = true
		}
	}
}

// movedMoments says that an event changed what is booked of a request while it is open. Without a mark of its own, when it
// was received may follow from its end.
func (r *Request) movedMoments() bool {
	return r.changed[0]&momentFields[0]|r.changed[1]&momentFields[1] != 0 || !r.has(stream.RequestReceivedUnixNano)
}

// momentNumbers are those of them that are numbers, as fields of an event.
var momentNumbers = stream.SetOf(stream.RequestReceivedUnixNano, stream.RequestQueuedUnixNano, stream.RequestScheduledUnixNano,
	stream.RequestFirstTokenUnixNano, stream.RequestClientGoneUnixNano,
	stream.RequestTTFTGatewayNano, stream.RequestTTFTEngineNano, stream.RequestQueueNano, stream.RequestPrefillNano)

// momentFields are the fields that what is booked of an open request depends on.
var momentFields = fieldsOfMoments()

func fieldsOfMoments() (set [2]uint64) {
	for _, f := range []stream.Field{stream.RequestReceivedUnixNano, stream.RequestQueuedUnixNano, stream.RequestScheduledUnixNano,
		stream.RequestFirstTokenUnixNano, stream.RequestClientGoneUnixNano,
		stream.RequestTTFTGatewayNano, stream.RequestTTFTEngineNano, stream.RequestQueueNano, stream.RequestPrefillNano,
		stream.RequestModel, stream.RequestModelVersion, stream.RequestAdapter, stream.RequestRequestClass} {
		i := index(f)
		set[i>>6] |= 1 << (i & 63)
	}
	return set
}
