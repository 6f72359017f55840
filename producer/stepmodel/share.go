package stepmodel

import "math/bits"

// share cuts the time of the pass under way among its sequences: each pays an equal part of the time that every pass
// takes, and the work that is its own, as a share of what the pass was predicted to take: the Shapley value
// of a pass that costs a fixed part and a sum, scaled to what it took. Cuts are rounded cumulatively in whole ns, so the parts
// are the whole.
func (r *replica) share() {
	if !r.attribute {
		return
	}
	n := r.batch.DecodeSequences + r.batch.PrefillSequences
	fixed := (r.profile.A + r.draftMicros()) * picosPerMicro
	r.predicted = fixed + r.work()
	c := cut{wall: uint64(r.batch.Wall) * 1000, whole: uint64(n * r.predicted)}
	for _, s := range r.decoding {
		r.shareDecode(s, &c, uint64(fixed), uint64(n))
	}
	for _, s := range r.prompts {
		if s.chunk > 0 {
			r.sharePrompt(s, &c, uint64(fixed), uint64(n))
		}
	}
	r.stats.Shared += int64(c.at)
}

// work is the time of the pass beyond its fixed part, ps.
func (r *replica) work() int64 {
	p, b := r.profile, &r.batch
	return p.B*b.PrefillTokens + p.E*b.PrefillContextTwice + p.N*b.DecodeTokens + p.D*b.KVTokensRead
}

func (r *replica) draftMicros() int64 {
	if len(r.decoding) == 0 {
		return 0
	}
	return r.draft.Micros
}

// cut takes parts off a pass's time by weight. Weights are n times the ps of each of n sequences, so that an equal part of
// the fixed time is a whole number too.
type cut struct {
	wall, whole uint64
	weight, at  uint64 // taken so far
}

func (c *cut) take(weight uint64) int64 {
	c.weight += weight
	hi, lo := bits.Mul64(c.weight, c.wall)
	end, _ := bits.Div64(hi, lo, c.whole)
	ns := end - c.at
	c.at = end
	return int64(ns)
}

func (r *replica) shareDecode(s *sequence, c *cut, fixed, n uint64) {
	ns := c.take(fixed + n*uint64(r.profile.N*(1+r.draft.Tokens)+r.profile.D*s.context))
	s.use.Spent.Decode += ns
	if s.Tell > 0 && s.use.Output >= s.Tell {
		s.use.Spent.Unheard += ns
	}
}

func (r *replica) sharePrompt(s *sequence, c *cut, fixed, n uint64) {
	before := s.context - s.chunk
	old := uint64(2 * r.profile.E * s.chunk * min(before, s.cached))
	all := uint64(r.profile.B*s.chunk + r.profile.E*s.chunk*(2*before+s.chunk))
	own, cached := c.take(fixed+n*(all-old)), c.take(n*old)
	s.use.Spent.Prefill += own
	s.use.Spent.Cached += cached
	if s.stays > 1 {
		s.use.Spent.Recompute += own + cached
	}
	if s.Tell > 0 && s.use.Output >= s.Tell {
		s.use.Spent.Unheard += own + cached
	}
}
