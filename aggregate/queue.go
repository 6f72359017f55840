package aggregate

// queue is a list of requests, oldest first. A request is in at most one.
type queue struct {
	front, back *Request
	n           int
}

func (q *queue) pushBack(r *Request) {
	r.prev, r.next = q.back, nil
	if q.back != nil {
		q.back.next = r
	} else {
		q.front = r
	}
	q.back = r
	q.n++
}

func (q *queue) remove(r *Request) {
	if r.prev != nil {
		r.prev.next = r.next
	} else {
		q.front = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	} else {
		q.back = r.prev
	}
	r.prev, r.next = nil, nil
	q.n--
}

func (q *queue) moveToBack(r *Request) {
	if q.back == r {
		return
	}
	q.remove(r)
	q.pushBack(r)
}
