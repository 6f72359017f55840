package stepmodel

// Dispatch is how a fleet chooses a replica for a request.
type Dispatch uint8

// The ways to dispatch.
const (
	RoundRobin  Dispatch = iota // in turn
	LeastLoaded                 // the one with the fewest requests, the first of equals
)

// Config describes a fleet.
type Config struct {
	Profile     Profile
	Replicas    int // below one counts as one
	Dispatch    Dispatch
	CacheBlocks int64 // prefix cache of each replica, in the blocks that requests name; 0: none, InfiniteBlocks
	SharedCache bool  // one cache for all replicas, looked up in order of arrival: a study of the trace
	Quadratic   bool  // count the attention of a prompt to itself: the profile's E
	LiveKV      bool  // take KV tokens as sequences grow, and preempt; else reserve them at admission
	Jitter      Jitter
	Speculation Speculation
	Attribute   bool  // share the time of passes among requests: Use.Spent
	Interval    int64 // µs between samples, 0: none
	Start       int64 // µs since 1970: time of the first sample; 0: the first arrival
	Closed      bool  // replicas take no requests until Open
}

// Fleet is replicas of one profile behind a dispatcher.
type Fleet struct {
	config   Config
	emit     func(time int64, o Output)
	shared   *PrefixCache
	noise    *[noises]float64
	replicas []*replica
	closed   []bool // by replica: takes no requests
	turn     int
	begun    bool
}

// NewFleet makes a fleet. Emit gets what happens, replica by replica and so in no common order: a Timeline makes
// one. Once Arrive or Advance returned, nothing earlier than their time comes.
func NewFleet(c Config, emit func(time int64, o Output)) *Fleet {
	if !c.Quadratic {
		c.Profile.E = 0
	}
	f := &Fleet{config: c, emit: emit, noise: c.Jitter.factors()}
	if c.SharedCache && c.CacheBlocks > 0 {
		f.shared = NewPrefixCache(c.CacheBlocks)
	}
	for i := range max(1, c.Replicas) {
		f.replicas = append(f.replicas, f.newReplica(i))
		f.closed = append(f.closed, c.Closed)
	}
	return f
}

func (f *Fleet) newReplica(index int) *replica {
	c := &f.config
	r := &replica{
		profile: &c.Profile, index: index, emit: f.emit, pre: c.Profile.Pre,
		cache: f.shared, cacheAtArrival: c.SharedCache, attribute: c.Attribute,
		memory: newMemory(&c.Profile, c.LiveKV), draft: c.Speculation, clock: newClock(c.Jitter, f.noise, index),
		sampler: sampler{interval: c.Interval, next: c.Start},
		runs: runs{emit: func(time int64, run *Run) {
			f.emit(time, Output{Kind: Ran, Replica: index, Run: run})
		}},
	}
	if c.CacheBlocks > 0 && r.cache == nil {
		r.cache = NewPrefixCache(c.CacheBlocks)
	}
	return r
}

// Arrive brings a request to the replica that the dispatcher chooses. Arrivals come in order of time.
func (f *Fleet) Arrive(q Request) {
	f.reach(q.Arrival)
	f.pick().enqueue(q.atLeastOne())
}

// Send brings a request to a replica. Arrivals come in order of time.
func (f *Fleet) Send(replica int, q Request) {
	f.reach(q.Arrival)
	f.replicas[replica].enqueue(q.atLeastOne())
}

func (q Request) atLeastOne() Request {
	q.Prompt, q.Output = max(1, q.Prompt), max(1, q.Output)
	return q
}

func (f *Fleet) reach(arrival int64) {
	if !f.begun {
		f.begin(arrival)
	}
	f.Advance(arrival)
}

func (f *Fleet) begin(time int64) {
	f.begun = true
	for _, r := range f.replicas {
		if r.sampler.next == 0 {
			r.sampler.next = time
		}
	}
}

// Advance runs all replicas up to the time.
func (f *Fleet) Advance(time int64) {
	for _, r := range f.replicas {
		r.advance(time)
	}
}

// Drain lets all requests finish and returns when the last one did, µs since 1970. Samples go up to there.
func (f *Fleet) Drain() int64 {
	end := int64(0)
	for _, r := range f.replicas {
		r.advance(forever)
		end = max(end, r.now+f.config.Profile.Post)
	}
	f.Advance(end)
	return end
}

// Stats returns the statistics of each replica.
func (f *Fleet) Stats() []Stats {
	s := make([]Stats, len(f.replicas))
	for i, r := range f.replicas {
		s[i] = r.stats
	}
	return s
}

// pick chooses among the replicas that are open, or among all where none is.
func (f *Fleet) pick() *replica {
	if f.config.Dispatch == RoundRobin {
		return f.inTurn()
	}
	var best *replica
	for i, r := range f.replicas {
		if !f.closed[i] && (best == nil || r.load() < best.load()) {
			best = r
		}
	}
	if best == nil {
		return f.inTurn()
	}
	return best
}

func (f *Fleet) inTurn() *replica {
	for range f.replicas {
		r := f.replicas[f.turn%len(f.replicas)]
		f.turn++
		if !f.closed[r.index] {
			return r
		}
	}
	return f.replicas[0]
}
