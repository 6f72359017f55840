package stepmodel

// continuePrompts gives the pass's budget to prompts begun earlier, oldest first, and returns what is left of it.
func (r *replica) continuePrompts(budget int64) int64 {
	for _, s := range r.prompts {
		budget -= r.chunk(s, budget)
	}
	return budget
}

// admit takes requests from the queue in their order while sequences, budget and KV tokens last.
func (r *replica) admit(budget int64) {
	for budget > 0 && r.line.waiting() > 0 && r.running() < r.profile.MaxSequences {
		if r.kv+r.line.first().reserve() > r.profile.KVTokens {
			return
		}
		s := r.line.pop()
		r.start(s)
		budget -= r.chunk(s, budget)
	}
}

// start makes a request a running sequence.
func (r *replica) start(s *sequence) {
	s.order = r.admitted
	r.admitted++
	r.kv += s.reserve()
	if !r.cacheAtArrival {
		r.lookUp(s)
	}
	s.left, s.context = s.Prompt-s.cached, s.cached
	r.prompts = append(r.prompts, s)
	r.totals.PromptTokens += s.Prompt
	r.totals.CachedTokens += s.cached
	r.tell(r.now, Output{Kind: Scheduled, Request: s.ID, Pass: r.passes + 1, Cached: s.cached, Hits: s.hits})
}

// lookUp asks the prefix cache, if there is one, and leaves the prompt in it.
func (r *replica) lookUp(s *sequence) {
	if r.cache == nil {
		return
	}
	s.hits = int64(r.cache.Use(s.Blocks))
	s.cached = CachedTokens(s.hits, s.Prompt, s.BlockTokens)
	r.totals.CacheQueries += s.Prompt
	r.totals.Evictions = r.cache.Evictions
}

// chunk computes as much of a prompt as the budget allows and returns how much.
func (r *replica) chunk(s *sequence, budget int64) int64 {
	k := min(s.left, budget)
	if k <= 0 {
		return 0
	}
	r.batch.PrefillTokens += k
	r.batch.PrefillContextTwice += k * (2*s.context + k)
	r.batch.PrefillSequences++
	s.left -= k
	s.context += k
	return k
}

// endDecodes lets go of the sequences whose last token this pass gave.
func (r *replica) endDecodes() {
	for len(r.decoding) > 0 && r.decoding[0].lastPass == r.passes {
		s := r.decoding.pop()
		r.context -= s.Prompt + s.Output
		r.end(s)
	}
}

// endPrompts gives the first token of the prompts that this pass completed.
func (r *replica) endPrompts() {
	rest := r.prompts[:0]
	for _, s := range r.prompts {
		if s.left > 0 {
			rest = append(rest, s)
			continue
		}
		r.firstToken(s)
	}
	clear(r.prompts[len(rest):])
	r.prompts = rest
}

func (r *replica) firstToken(s *sequence) {
	r.totals.OutputTokens++
	r.tell(r.now, Output{Kind: FirstToken, Request: s.ID, Pass: r.passes})
	if s.Output == 1 {
		r.end(s)
		return
	}
	s.lastPass = r.passes + s.Output - 1
	r.context += s.Prompt + 1
	r.decoding.push(s)
}

func (r *replica) end(s *sequence) {
	r.kv -= s.reserve()
	r.totals.Finished++
	r.tell(r.now, Output{Kind: LastToken, Request: s.ID, Pass: r.passes})
	r.tell(r.now+r.profile.Post, Output{Kind: Finished, Request: s.ID, Pass: r.passes})
}
