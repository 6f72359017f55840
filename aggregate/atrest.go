package aggregate

import (
	"iter"

	"github.com/inferlake/inferlake/stream"
)

// Requests lie packed and are unpacked to be worked on. Between load and save the slot's copy in the request counts, but
// for its place in a queue.

// load unpacks a request.
func (q *requests) load(r *Request, n uint32) *Request {
	q.glance(r, n).know(&q.words)
	return r
}

// glance unpacks all of a request but its identity.
func (q *requests) glance(r *Request, n uint32) *Request {
	s := q.slots.at(n)
	r.slot, r.key, r.closed, r.booked, r.bookedDims = n, s.key, s.closed, s.booked, s.bookedDims
	r.touched, r.first, r.cut = s.touched, s.first, s.cut
	r.unpack(q.packed(s), &q.words)
	return r
}

// packed are the bytes of a request at rest.
func (q *requests) packed(s *slot) []byte {
	b := q.slab.bytes(s.block())
	if s.class != 0 {
		b = b[:s.used]
	}
	return b
}

// save packs a request again.
func (q *requests) save(r *Request) {
	s := q.slots.at(r.slot)
	s.closed, s.booked, s.bookedDims = r.closed, r.booked, r.bookedDims
	s.touched, s.first, s.cut = r.touched, r.first, r.cut
	q.scratch = r.pack(q.scratch[:0], &q.words)
	b := q.slab.put(s.block(), q.scratch, r.room(len(q.scratch)))
	s.body, s.class = b.number, b.class
	s.used, s.last = uint16(len(q.scratch)), 0
}

// fresh makes r a request of which nothing is known.
func (q *requests) fresh(r *Request) *Request {
	*r = Request{itlBucket: r.itlBucket[:0], itlCount: r.itlCount[:0]}
	return r
}

// enter gives a request a slot, in the table and in a queue. It is saved later.
func (q *requests) enter(r *Request, list *queue) {
	if q.words.many() {
		q.sweepWords()
	}
	r.slot = q.slots.take()
	q.slots.at(r.slot).key = r.key
	q.table.add(r.key, r.slot)
	list.pushBack(r.slot)
}

// drop frees what a request takes.
func (q *requests) drop(n uint32) {
	q.slab.drop(q.slots.at(n).block())
	q.slots.drop(n)
}

// all unpacks the requests of a queue one after the other. The one yielded is good until the next.
func (q *requests) all(list *queue) iter.Seq[*Request] {
	return func(yield func(*Request) bool) {
		for n := list.front; n != 0; {
			next := q.slots.at(n).next
			if !yield(q.load(q.other, n)) {
				return
			}
			n = next
		}
	}
}

// sweepWords forgets the words that no request has any more. Rows that wait for the cut have theirs, too.
func (q *requests) sweepWords() {
	used := make([]bool, len(q.words.texts))
	for n := uint32(1); n <= q.slots.made; n++ {
		if q.slots.at(n).body != 0 {
			q.load(q.other, n).words(used)
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
