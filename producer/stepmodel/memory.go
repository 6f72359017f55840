package stepmodel

// memory is the KV cache of a replica, in tokens. Reserving, a sequence takes room for its whole prompt and answer when
// it is admitted. Live, it takes room for what it has, block by block as it grows, and what no sequence takes is the
// prefix cache's.
type memory struct {
	live     bool
	capacity int64
	block    int64 // tokens
	used     int64
}

func newMemory(p *Profile, live bool) memory {
	if !live {
		return memory{capacity: p.KVTokens, block: 1}
	}
	block := max(1, p.BlockTokens)
	return memory{live: true, capacity: p.KVTokens / block * block, block: block}
}

// need is what a sequence takes when it is admitted.
func (m *memory) need(s *sequence) int64 {
	if !m.live {
		return s.Prompt + s.Output
	}
	return m.whole(s.target() + 1)
}

// whole rounds up to blocks.
func (m *memory) whole(tokens int64) int64 { return (tokens + m.block - 1) / m.block * m.block }

// ever says whether a sequence can fit at all.
func (m *memory) ever(s *sequence) bool { return m.whole(s.Prompt+s.Output) <= m.capacity }

// take gives room to a sequence if there is enough.
func (m *memory) take(s *sequence, tokens int64) bool {
	if m.used+tokens > m.capacity {
		return false
	}
	m.used += tokens
	s.held += tokens
	return true
}

func (m *memory) free(s *sequence) {
	m.used -= s.held
	s.held = 0
}

// makeRoom evicts prefixes until what is cached fits beside what is used.
func (r *replica) makeRoom() {
	if r.cache != nil && r.memory.live && r.cache.block > 0 {
		r.cache.Shrink((r.memory.capacity - r.memory.used) / r.cache.block)
		r.totals.Evictions = r.cache.Evictions
	}
}

// evictable is the KV tokens that hold only prefixes.
func (r *replica) evictable() int64 {
	switch {
	case !r.memory.live:
		return -1
	case r.cache == nil:
		return 0
	}
	return r.cache.Len() * r.cache.block
}

// grow gives room to the sequences that the last pass left without, oldest first. Where there is none, the sequence
// that was admitted last is preempted.
func (r *replica) grow() {
	for _, s := range r.growing {
		for s.held > 0 && s.held < r.wants(s) {
			if r.memory.take(s, r.memory.block) {
				continue
			}
			r.totals.Failures++
			r.preempt(r.youngest())
		}
	}
	if len(r.growing) > 0 {
		r.makeRoom()
	}
	r.growing = r.growing[:0]
}

// wants is the KV tokens that a decoding sequence needs for the next pass.
func (r *replica) wants(s *sequence) int64 {
	return min(s.context+r.draft.Tokens, s.Prompt+s.Output)
}

// youngest is the running sequence that was admitted last.
func (r *replica) youngest() *sequence {
	var last *sequence
	if n := len(r.prompts); n > 0 {
		last = r.prompts[n-1]
	}
	if n := len(r.decoding); n > 0 && (last == nil || r.decoding[n-1].order > last.order) {
		last = r.decoding[n-1]
	}
	return last
}

// preempt takes a sequence's KV cache. It waits before all others, and is computed again from its start.
func (r *replica) preempt(s *sequence) {
	r.stopRunning(s)
	s.use.Preemptions++
	r.totals.Preemptions++
	r.tell(r.now, Output{Kind: Preempted, Request: s.ID, Pass: r.passes, Stay: s.stays, Tokens: s.use.Output, Kept: s.context})
	s.context, s.left, s.preempted = 0, 0, r.now
	r.resuming = append(r.resuming, s) // the last one to be preempted was admitted first: it is resumed first
}

// stopRunning takes a sequence out of the batch.
func (r *replica) stopRunning(s *sequence) {
	r.memory.free(s)
	var found bool
	if r.decoding, found = without(r.decoding, s); found {
		r.context -= s.context
		return
	}
	r.prompts, _ = without(r.prompts, s)
}
