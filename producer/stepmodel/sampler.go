package stepmodel

import "math"

const forever = math.MaxInt64

// sampler takes a replica's state at fixed intervals.
type sampler struct {
	interval int64 // µs; 0: no samples
	next     int64 // µs since 1970
}

// until takes the samples due before the time; the state is that from the replica's now on.
func (p *sampler) until(time int64, r *replica) {
	for p.interval > 0 && p.next < time && time < forever {
		s := r.sample(p.next)
		s.Dt = p.interval
		r.emit(p.next, Output{Kind: Sampled, Replica: r.index, Sample: s})
		p.next += p.interval
	}
}

// sample is the replica's state at a moment of the pass under way, or of idleness.
func (r *replica) sample(at int64) *Sample {
	s := r.totals
	s.Running, s.Waiting = r.running(), r.waiting()
	s.KVTokens, s.Evictable = r.memory.used, r.evictable()
	s.BatchSequences = r.batch.DecodeSequences + r.batch.PrefillSequences
	s.BatchTokens = r.batch.DecodeTokens + r.batch.PrefillTokens
	s.Passes = r.runs.sum()
	s.Busy = s.Passes.Wall
	if r.batch.Passes > 0 {
		s.Busy += at - r.now
	}
	return &s
}
