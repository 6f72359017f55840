package stepmodel

import "slices"

// continuePrompts gives the pass's budget to prompts begun earlier, oldest first, and returns what is left of it.
func (r *replica) continuePrompts(budget int64) int64 {
	for _, s := range r.prompts {
		budget -= r.compute(s, budget)
	}
	return budget
}

// admit takes requests while sequences, budget and KV tokens last: preempted ones, then the queue in its order.
func (r *replica) admit(budget int64) {
	for budget > 0 && r.running() < r.profile.MaxSequences {
		s := r.nextInLine()
		if s == nil {
			return
		}
		if !r.memory.take(s, r.memory.need(s)) {
			return
		}
		if n := len(r.resuming); n > 0 {
			r.resuming = r.resuming[:n-1]
		} else {
			r.line.pop()
		}
		r.start(s)
		budget -= r.compute(s, budget)
	}
}

func (r *replica) nextInLine() *sequence {
	if n := len(r.resuming); n > 0 {
		return r.resuming[n-1]
	}
	if r.line.waiting() > 0 {
		return r.line.first()
	}
	return nil
}

// start makes a request a running sequence.
func (r *replica) start(s *sequence) {
	s.order = r.admitted
	r.admitted++
	s.stays++
	if !r.cacheAtArrival || s.stays > 1 {
		r.lookUp(s)
	}
	s.context = max(s.cached, s.present())
	s.left = s.target() - s.context
	r.prompts = append(r.prompts, s)
	if s.stays == 1 {
		r.totals.PromptTokens += s.Prompt
		r.totals.CachedTokens += s.cached
	} else {
		s.use.Recomputed += s.left
		s.use.Preempted += r.now - s.preempted
	}
	r.tell(r.now, Output{Kind: Scheduled, Request: s.ID, Pass: r.passes + 1, Cached: s.cached, Hits: s.hits, Stay: s.stays, Tokens: s.use.Output})
}

// present is the tokens whose KV cache came with the request; it is gone once it was preempted.
func (s *sequence) present() int64 {
	if s.stays > 1 {
		return 0
	}
	return min(s.Transferred, s.Prompt-1)
}

// lookUp asks the prefix cache, if there is one, and leaves the prompt in it.
func (r *replica) lookUp(s *sequence) {
	if r.cache == nil {
		return
	}
	r.cache.block = max(r.cache.block, s.BlockTokens)
	r.makeRoom()
	s.hits = int64(r.cache.Use(s.Blocks))
	s.cached = CachedTokens(s.hits, s.Prompt, s.BlockTokens)
	if s.stays <= 1 {
		r.totals.CacheQueries += s.Prompt
	}
	r.totals.Evictions = r.cache.Evictions
}

// compute puts as much of a prompt into the pass as the budget allows and returns how much.
func (r *replica) compute(s *sequence, budget int64) int64 {
	k := min(s.left, budget)
	if k <= 0 {
		return 0
	}
	r.batch.PrefillTokens += k
	r.batch.PrefillContextTwice += k * (2*s.context + k)
	r.batch.PrefillSequences++
	s.chunk = k
	s.left -= k
	s.context += k
	return k
}

// decode gives a pass's tokens to the sequences that decode, and lets go of those that are complete.
func (r *replica) decode() {
	ended := false
	for _, s := range r.decoding {
		gave := r.accept(s)
		r.totals.OutputTokens += gave
		r.context += gave
		s.context += gave
		r.give(s, gave)
		if s.use.Output >= s.Output {
			r.context -= s.context
			r.end(s)
			ended = true
		} else if r.memory.live {
			r.watch(s)
		}
	}
	if ended {
		r.decoding = slices.DeleteFunc(r.decoding, func(s *sequence) bool { return s.gone })
	}
}

// give counts tokens of an answer, and tells when it reaches what its request asked to be told of.
func (r *replica) give(s *sequence, tokens int64) {
	before := s.use.Output
	s.use.Output += tokens
	if s.Tell > before && s.Tell <= s.use.Output {
		r.tell(r.now, Output{Kind: Reached, Request: s.ID, Pass: r.passes})
	}
}

// endPrompts gives the first token of the prompts that this pass completed, and the next one of those computed again.
func (r *replica) endPrompts() {
	rest := r.prompts[:0]
	for _, s := range r.prompts {
		if s.chunk = 0; s.left > 0 {
			rest = append(rest, s)
			continue
		}
		r.completePrompt(s)
	}
	clear(r.prompts[len(rest):])
	r.prompts = rest
}

func (r *replica) completePrompt(s *sequence) {
	r.totals.OutputTokens++
	s.context++
	if s.use.Output == 0 {
		r.tell(r.now, Output{Kind: FirstToken, Request: s.ID, Pass: r.passes})
	}
	r.give(s, 1)
	if s.use.Output >= s.Output {
		r.end(s)
		return
	}
	r.context += s.context
	r.decoding = append(r.decoding, s)
	if r.memory.live {
		r.watch(s)
	}
}

// watch notes a decoding sequence that lacks room for the next pass.
func (r *replica) watch(s *sequence) {
	if r.wants(s) > s.held {
		r.growing = append(r.growing, s)
	}
}

func (r *replica) end(s *sequence) {
	r.memory.free(s)
	s.gone = true
	r.totals.Finished++
	r.tell(r.now, Output{Kind: LastToken, Request: s.ID, Pass: r.passes})
	r.tell(r.now+r.profile.Post, Output{Kind: Finished, Request: s.ID, Pass: r.passes, Use: &s.use})
}
