package stepmodel

// replica is one engine: a queue, a batch and a clock.
type replica struct {
	profile *Profile
	index   int
	emit    func(time int64, o Output)
	cache   *PrefixCache // nil: none
	sampler sampler
	runs    runs

	cacheAtArrival bool // look prompts up when they arrive, not when they are admitted

	now      int64 // µs: start of the next pass
	passes   int64
	line     line
	prompts  []*sequence // admitted, prompt not complete, in order of admission
	decoding decoding
	context  int64 // tokens of the decoding sequences' contexts
	kv       int64 // tokens reserved
	admitted int64
	batch    Counts // the pass under way
	totals   Sample // counters only
	stats    Stats
}

// Stats are the extremes and sums of a replica. Peaks are taken after each pass.
type Stats struct {
	Passes      int64
	Busy        int64 // µs in passes
	End         int64 // µs since 1970: end of the last pass
	PeakRunning int64
	PeakWaiting int64 // of requests due before the last pass
	PeakKV      int64 // tokens
}

func (r *replica) running() int64 { return int64(len(r.prompts) + len(r.decoding)) }

// load is what dispatch compares: requests here, queued or running.
func (r *replica) load() int64 { return r.running() + r.line.len() }

// enqueue takes a request over from the dispatcher.
func (r *replica) enqueue(q Request) {
	s := &sequence{Request: q, queued: q.Arrival + r.profile.Pre}
	r.tell(q.Arrival, Output{Kind: Arrived, Request: q.ID, Running: r.running(), Waiting: r.line.waiting()})
	r.tell(s.queued, Output{Kind: Queued, Request: q.ID})
	if s.reserve() > r.profile.KVTokens {
		r.tell(s.queued, Output{Kind: Rejected, Request: q.ID})
		return
	}
	if r.cacheAtArrival {
		r.lookUp(s)
	}
	r.line.push(s)
}

// advance runs every pass that starts before the time.
func (r *replica) advance(until int64) {
	for {
		r.line.reach(r.now)
		if r.running() == 0 && r.line.waiting() == 0 {
			r.runs.cut()
			if r.line.len() == 0 {
				r.sampler.until(until, r)
				return
			}
			r.sampler.until(r.line.first().queued, r)
			r.now = max(r.now, r.line.first().queued)
			r.line.reach(r.now)
		}
		if r.now >= until {
			return
		}
		r.pass()
	}
}

// pass is one forward pass.
func (r *replica) pass() {
	n := int64(len(r.decoding))
	r.batch = Counts{Passes: 1, DecodeSequences: n, DecodeTokens: n, KVTokensRead: r.context}
	r.admit(r.continuePrompts(r.profile.MaxBatchedTokens - n))
	r.batch.Wall = r.profile.passMicros(&r.batch)
	end := r.now + r.batch.Wall
	r.sampler.until(end, r)
	r.now = end
	r.passes++
	r.context += n
	r.totals.OutputTokens += n
	r.endDecodes()
	r.endPrompts()
	r.runs.pass(&r.batch, end)
	r.note()
	r.batch = Counts{}
}

func (r *replica) note() {
	s := &r.stats
	s.Passes++
	s.Busy += r.batch.Wall
	s.End = r.now
	s.PeakRunning = max(s.PeakRunning, r.running())
	s.PeakWaiting = max(s.PeakWaiting, r.line.waiting())
	s.PeakKV = max(s.PeakKV, r.kv)
}

func (r *replica) tell(time int64, o Output) {
	o.Replica = r.index
	r.emit(time, o)
}
