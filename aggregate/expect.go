package aggregate

import "github.com/inferlake/inferlake/stream"

// What is known of a request takes three looks into memory, each of which waits for the one before: the table, the slot,
// the bytes. For several events together, the processor waits for them all at once.

// expected is a request event that is folded soon, with its request's key.
type expected struct {
	event *stream.Event
	key   requestKey
	slot  uint32 // 0: not known
}

// Expect fetches what the events' requests take. It implements what stream.Loop asks for, and changes nothing.
func (f *Fold) Expect(events []*stream.Event) {
	q := &f.requests
	q.expected, q.due = q.expected[:0], 0
	var seen uint64
	for _, e := range events {
		if e.Kind != stream.KindRequest || e.Text(stream.RequestRequestID) == "" {
			continue // its place is its name
		}
		key := q.key(e, stream.Position{})
		seen += q.open.table.look(key)
		q.expected = append(q.expected, expected{event: e, key: key})
	}
	for i := range q.expected {
		x := &q.expected[i]
		if x.slot = q.open.table.likely(x.key); x.slot != 0 {
			seen += q.open.at(x.slot).key[0]
		}
	}
	for _, x := range q.expected {
		if x.slot != 0 {
			seen += q.open.look(x.slot)
		}
	}
	q.looked = seen
}

// keyOf is the key of an event's request, mostly worked out before.
func (q *requests) keyOf(e *stream.Event, at stream.Position) requestKey {
	for i := q.due; i < len(q.expected); i++ {
		if x := &q.expected[i]; x.event == e {
			q.due = i + 1
			return x.key
		}
	}
	return q.key(e, at)
}

// look looks at what an event will: the slot's neighbours in the queue, the head of its bytes and their end.
func (s *requestStore) look(n uint32) (seen uint64) {
	slot := s.at(n)
	if slot.prev != 0 {
		seen += s.at(slot.prev).key[0]
	}
	if slot.next != 0 {
		seen += s.at(slot.next).key[0]
	}
	if slot.body != 0 {
		b := s.packed(n)
		seen += uint64(b[0]) + uint64(b[len(b)-1])
	}
	return seen
}
