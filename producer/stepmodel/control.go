package stepmodel

// What is done to a replica from outside. Each takes effect between two passes; call Advance with the time of it first.

// Open says whether the dispatcher gives requests to a replica.
func (f *Fleet) Open(replica int, open bool) { f.closed[replica] = !open }

// Available is how many replicas are open.
func (f *Fleet) Available() int {
	n := 0
	for _, closed := range f.closed {
		if !closed {
			n++
		}
	}
	return n
}

// Load is the requests on a replica, queued or running.
func (f *Fleet) Load(replica int) int64 { return f.replicas[replica].load() }

// Speed sets the time that a replica's passes take against the profile's: 1 is the profile's.
func (f *Fleet) Speed(replica int, factor float64) { f.replicas[replica].clock.factor = factor }

// Tokenize sets the time from arrival to the queue, µs, for the requests to come.
func (f *Fleet) Tokenize(replica int, micros int64) { f.replicas[replica].pre = micros }

// DropCache empties a replica's prefix cache, which holds at most so many blocks from then on.
func (f *Fleet) DropCache(replica int, blocks int64) {
	r := f.replicas[replica]
	if r.cache == nil {
		return
	}
	r.cache.Shrink(0)
	r.cache.capacity = blocks
	r.cache.Shrink(blocks)
	r.totals.Evictions = r.cache.Evictions
}

// Restart ends a replica, whose requests are Lost, and puts a new one with counters from 0 in its place. It returns
// what the ended one did, and the time, µs since 1970: that given, or the end of the pass under way.
func (f *Fleet) Restart(replica int, at int64) (Stats, int64) {
	old := f.replicas[replica]
	at = max(at, old.now)
	old.die(at)
	r := f.newReplica(replica)
	r.now, r.sampler.next, r.clock = at, old.sampler.next, old.clock
	f.replicas[replica] = r
	return old.stats, at
}
