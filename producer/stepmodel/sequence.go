package stepmodel

// sequence is a request on a replica.
type sequence struct {
	Request
	queued    int64 // µs
	order     int64 // of admission, the last one
	left      int64 // tokens still to compute before the next one is given
	context   int64 // tokens in the KV cache
	held      int64 // KV tokens that it has room for
	cached    int64 // tokens spared by the prefix cache in this stay
	hits      int64 // leading blocks found in it
	chunk     int64 // prompt tokens that the pass under way computes
	stays     int64 // times it was admitted
	preempted int64 // µs: since when it waits to be resumed
	gone      bool  // over, or with another fate than to be told of
	use       Use
}

// target is how many tokens must be in the KV cache for the next one to be given.
func (s *sequence) target() int64 { return s.Prompt + s.use.Output }

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
	i := len(l.all)
	l.all = append(l.all, s)
	for ; i > l.due && l.all[i-1].queued > s.queued; i-- { // a faster tokenizer overtakes
		l.all[i] = l.all[i-1]
	}
	l.all[i] = s
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

// remove takes a sequence out wherever it waits, and says whether it was there.
func (l *line) remove(s *sequence) bool {
	for i := l.head; i < len(l.all); i++ {
		if l.all[i] != s {
			continue
		}
		l.all = append(l.all[:i], l.all[i+1:]...)
		if i < l.due {
			l.due--
		}
		return true
	}
	return false
}

// without takes a sequence out of a list and says whether it was there.
func without(list []*sequence, s *sequence) ([]*sequence, bool) {
	for i := range list {
		if list[i] == s {
			return append(list[:i], list[i+1:]...), true
		}
	}
	return list, false
}
