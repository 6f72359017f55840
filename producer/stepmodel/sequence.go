package stepmodel

// sequence is a request on a replica.
type sequence struct {
	Request
	queued   int64 // µs
	order    int64 // of admission
	left     int64 // prompt tokens still to compute
	context  int64 // tokens in the KV cache
	cached   int64 // prompt tokens spared by the prefix cache
	hits     int64 // leading blocks found in it
	lastPass int64 // pass that gives the last token, known once the first one is out
}

// reserve is the KV tokens that a sequence takes from admission to end.
func (s *sequence) reserve() int64 { return s.Prompt + s.Output }

// line is the queue before a replica, first come first served.
type line struct {
	all  []*sequence
	head int
	due  int // all[head:due] may be scheduled
}

func (l *line) push(s *sequence) {
	if l.head > 1024 && l.head*2 > len(l.all) {
		n := copy(l.all, l.all[l.head:])
		clear(l.all[n:])
		l.all, l.due, l.head = l.all[:n], l.due-l.head, 0
	}
	l.all = append(l.all, s)
}

// reach makes due what is queued by now.
func (l *line) reach(now int64) {
	for l.due < len(l.all) && l.all[l.due].queued <= now {
		l.due++
	}
}

func (l *line) waiting() int64   { return int64(l.due - l.head) }
func (l *line) len() int64       { return int64(len(l.all) - l.head) }
func (l *line) first() *sequence { return l.all[l.head] }

func (l *line) pop() *sequence {
	s := l.all[l.head]
	l.all[l.head] = nil
	l.head++
	return s
}

// decoding holds the sequences that decode, as a heap by their last pass, then by admission: a pass touches only
// those that it ends.
type decoding []*sequence

func (d decoding) before(i, j int) bool {
	a, b := d[i], d[j]
	return a.lastPass < b.lastPass || a.lastPass == b.lastPass && a.order < b.order
}

func (d *decoding) push(s *sequence) {
	*d = append(*d, s)
	h := *d
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h.before(i, up) {
			return
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

func (d *decoding) pop() *sequence {
	h := *d
	first, n := h[0], len(h)-1
	h[0], h[n] = h[n], nil
	h = h[:n]
	*d = h
	for i := 0; ; {
		down := 2*i + 1
		if down >= n {
			return first
		}
		if down+1 < n && h.before(down+1, down) {
			down++
		}
		if !h.before(down, i) {
			return first
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
}
