package aggregate

// queue is a list of requests by the numbers of their slots, oldest first; 0 is none. A request is in at most one.
type queue struct {
	front, back uint32
	n           int
	slots       *slots
}

func (q *queue) pushBack(n uint32) {
	s := q.slots.at(n)
	s.prev, s.next = q.back, 0
	if q.back != 0 {
		q.slots.at(q.back).next = n
	} else {
		q.front = n
	}
	q.back = n
	q.n++
}

func (q *queue) remove(n uint32) {
	s := q.slots.at(n)
	if s.prev != 0 {
		q.slots.at(s.prev).next = s.next
	} else {
		q.front = s.next
	}
	if s.next != 0 {
		q.slots.at(s.next).prev = s.prev
	} else {
		q.back = s.prev
	}
	s.prev, s.next = 0, 0
	q.n--
}

func (q *queue) moveToBack(n uint32) {
	if q.back == n {
		return
	}
	q.remove(n)
	q.pushBack(n)
}
