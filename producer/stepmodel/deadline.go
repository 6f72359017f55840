package stepmodel

// expect notes when a request must have come how far.
func (r *replica) expect(s *sequence) {
	if s.FirstBy > 0 {
		r.deadlines.Put(s.FirstBy, s)
	}
	if s.EndBy > 0 {
		r.deadlines.Put(s.EndBy, s)
	}
}

// expire aborts the requests whose time is up, between two passes.
func (r *replica) expire() {
	for {
		if due, ok := r.deadlines.Next(); !ok || due > r.now {
			return
		}
		due, s := r.deadlines.Take()
		if !s.gone && (due == s.EndBy || s.use.Output == 0) {
			r.abort(s)
		}
	}
}

func (r *replica) abort(s *sequence) {
	s.gone = true
	r.totals.Finished++
	r.totals.Aborted++
	if !r.line.remove(s) {
		var found bool
		if r.resuming, found = without(r.resuming, s); !found {
			r.stopRunning(s)
		}
	}
	r.tell(r.now, Output{Kind: Aborted, Request: s.ID, Pass: r.passes, Use: &s.use})
}

// die loses everything that is on the replica.
func (r *replica) die(at int64) {
	r.runs.cut()
	at = max(at, r.now)
	for _, list := range [][]*sequence{r.decoding, r.prompts, r.resuming, r.line.all[r.line.head:]} {
		for _, s := range list {
			s.gone = true
			r.tell(at, Output{Kind: Lost, Request: s.ID, Pass: r.passes, Use: &s.use})
		}
	}
}
