package stepmodel

// replica is one engine: a queue, a batch and a clock.
type replica struct {
	profile *Profile
	index   int
	emit    func(time int64, o Output)
	cache   *PrefixCache // nil: none
	memory  memory
	clock   clock
	draft   Speculation
	sampler sampler
	runs    runs

	cacheAtArrival bool // look prompts up when they arrive, not when they are admitted
	attribute      bool // share the time of passes among their sequences

	pre       int64 // µs from arrival to the queue
	now       int64 // µs: start of the next pass
	passes    int64
	line      line
	resuming  []*sequence // preempted, the one to be resumed first last
	prompts   []*sequence // admitted, prompt not complete, in order of admission
	decoding  []*sequence // in order of admission
	growing   []*sequence // of those, without room for the next pass
	deadlines Timeline[*sequence]
	context   int64 // tokens of the decoding sequences' contexts
	admitted  int64
	predicted int64  // ps that the pass under way would take without jitter
	batch     Counts // the pass under way
	totals    Sample // counters only
	stats     Stats
}

// Stats are the extremes and sums of a replica. Peaks are taken after each pass.
type Stats struct {
	Passes      int64
	Busy        int64 // µs in passes
	Shared      int64 // ns of them shared among requests, with Config.Attribute
	End         int64 // µs since 1970: end of the last pass
	PeakRunning int64
	PeakWaiting int64 // of requests due before the last pass
	PeakKV      int64 // tokens
}

func (r *replica) running() int64 { return int64(len(r.prompts) + len(r.decoding)) }

// waiting is the requests that could be admitted.
func (r *replica) waiting() int64 { return r.line.waiting() + int64(len(r.resuming)) }

// load is what dispatch compares: requests here, queued or running.
func (r *replica) load() int64 { return r.running() + r.line.len() + int64(len(r.resuming)) }

// enqueue takes a request over from the dispatcher.
func (r *replica) enqueue(q Request) {
	s := &sequence{Request: q, queued: q.Arrival + r.pre}
	if q.Ready > 0 {
		s.queued = max(q.Arrival, q.Ready)
	}
	r.tell(q.Arrival, Output{Kind: Arrived, Request: q.ID, Running: r.running(), Waiting: r.waiting()})
	r.tell(s.queued, Output{Kind: Queued, Request: q.ID})
	if !r.memory.ever(s) {
		r.totals.Rejections++
		r.tell(s.queued, Output{Kind: Rejected, Request: q.ID})
		return
	}
	if r.cacheAtArrival {
		r.lookUp(s)
	}
	r.expect(s)
	r.line.push(s)
}

// advance runs every pass that starts before the time.
func (r *replica) advance(until int64) {
	for {
		r.line.reach(r.now)
		r.expire()
		if r.running() == 0 && r.waiting() == 0 {
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
	tokens := n * (1 + r.draft.Tokens)
	r.batch = Counts{Passes: 1, DecodeSequences: n, DecodeTokens: tokens, KVTokensRead: r.context}
	r.admit(r.continuePrompts(r.profile.MaxBatchedTokens - tokens))
	r.batch.Wall = r.clock.of(r.profile.passMicros(&r.batch)+r.draftMicros(), r.now)
	r.share()
	end := r.now + r.batch.Wall
	r.sampler.until(end, r)
	r.now = end
	r.passes++
	r.decode()
	r.endPrompts()
	r.grow()
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
	s.PeakWaiting = max(s.PeakWaiting, r.waiting())
	s.PeakKV = max(s.PeakKV, r.memory.used)
}

func (r *replica) tell(time int64, o Output) {
	o.Replica = r.index
	r.emit(time, o)
}
