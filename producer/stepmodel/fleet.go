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
	Interval    int64 // µs between samples, 0: none
	Start       int64 // µs since 1970: time of the first sample; 0: the first arrival
}

// Fleet is replicas of one profile behind a dispatcher.
type Fleet struct {
	config   Config
	replicas []*replica
	turn     int
	begun    bool
}

// NewFleet makes a fleet. Emit gets what happens, replica by replica and so in no common order: a Timeline makes
// one. Once Arrive or Advance returned, nothing earlier than their time comes.
func NewFleet(c Config, emit func(time int64, o Output)) *Fleet {
	if !c.Quadratic {
		c.Profile.E = 0
	}
	f := &Fleet{config: c}
	var shared *PrefixCache
	for i := range max(1, c.Replicas) {
		cache := shared
		if c.CacheBlocks > 0 && cache == nil {
			cache = NewPrefixCache(c.CacheBlocks)
		}
		if c.SharedCache {
			shared = cache
		}
		f.replicas = append(f.replicas, newReplica(&f.config, i, cache, emit))
	}
	return f
}

func newReplica(c *Config, index int, cache *PrefixCache, emit func(int64, Output)) *replica {
	return &replica{
		profile: &c.Profile, index: index, emit: emit,
		cache: cache, cacheAtArrival: c.SharedCache,
		sampler: sampler{interval: c.Interval, next: c.Start},
		runs: runs{emit: func(time int64, run *Run) {
			emit(time, Output{Kind: Ran, Replica: index, Run: run})
		}},
	}
}

// Arrive brings a request. Arrivals come in order of time.
func (f *Fleet) Arrive(q Request) {
	q.Prompt, q.Output = max(1, q.Prompt), max(1, q.Output)
	if !f.begun {
		f.begin(q.Arrival)
	}
	f.Advance(q.Arrival)
	f.pick().enqueue(q)
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

func (f *Fleet) pick() *replica {
	if f.config.Dispatch == RoundRobin {
		r := f.replicas[f.turn%len(f.replicas)]
		f.turn++
		return r
	}
	best := f.replicas[0]
	for _, r := range f.replicas[1:] {
		if r.load() < best.load() {
			best = r
		}
	}
	return best
}
