package stepmodel

import (
	"math"
	"math/rand/v2"
)

// Jitter is how the time of passes departs from the profile's. The zero value is none.
type Jitter struct {
	Seed   uint64
	Noise  float64 // sigma of a lognormal factor of each pass, 0 to 0.2
	Drift  float64 // amplitude of a slow sine of each replica's speed, 0 to 0.5
	Period int64   // µs of that sine; 0: an hour
}

// clock is the speed of a replica: time of a pass against the profile's.
type clock struct {
	jitter  Jitter
	dice    *rand.PCG
	noise   *[noises]float64 // equally likely factors; nil: none
	factor  float64          // set from outside
	phase   float64
	drift   float64 // factor now
	renewed int64   // µs since 1970: when it was computed
}

// driftMicros is how long a drift is taken for constant.
const driftMicros = 1_000_000

func newClock(j Jitter, noise *[noises]float64, replica int) clock {
	if j.Period <= 0 {
		j.Period = 3_600_000_000
	}
	dice := rand.NewPCG(j.Seed, uint64(replica)+1)
	return clock{jitter: j, dice: dice, noise: noise, factor: 1, drift: 1, phase: float64(dice.Uint64()>>11) / (1 << 53) * 2 * math.Pi}
}

const noises = 1024

// factors are quantiles of the noise: to draw one of them is much faster than to compute one, and passes are many.
func (j Jitter) factors() *[noises]float64 {
	if j.Noise == 0 {
		return nil
	}
	var all [noises]float64
	for i := range all {
		all[i] = math.Exp(j.Noise * math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/noises-1))
	}
	return &all
}

// of is the time of a pass that starts now and would take so many µs: the same with no jitter and no factor.
func (c *clock) of(micros, now int64) int64 {
	if c.factor == 1 && c.noise == nil && c.jitter.Drift == 0 {
		return micros
	}
	f := c.factor
	if c.noise != nil {
		f *= c.noise[c.dice.Uint64()%noises]
	}
	if c.jitter.Drift > 0 {
		if now >= c.renewed+driftMicros {
			turns := float64(now%c.jitter.Period) / float64(c.jitter.Period)
			c.drift, c.renewed = 1+c.jitter.Drift*math.Sin(2*math.Pi*turns+c.phase), now
		}
		f *= c.drift
	}
	return max(1, int64(float64(micros)*f+0.5))
}

// Speculation is decoding with drafts: each pass checks Tokens drafts of every decoding sequence and keeps those
// before the first that is wrong. The zero value is none.
type Speculation struct {
	Tokens    int64 // drafts of a sequence and pass
	AcceptPPM int64 // chance of one draft to be right, millionths
	Micros    int64 // time that making them adds to a pass
}

// accept draws how many tokens a pass gives a decoding sequence.
func (r *replica) accept(s *sequence) int64 {
	if r.draft.Tokens == 0 {
		return 1
	}
	n := int64(0)
	for n < r.draft.Tokens && int64(r.clock.dice.Uint64()>>1)%1_000_000 < r.draft.AcceptPPM {
		n++
	}
	n = min(n, s.Output-s.use.Output-1) // what lies beyond the end is thrown away
	s.use.Drafted += r.draft.Tokens
	s.use.Accepted += n
	if r.attribute {
		s.use.Spent.Rejected += (r.draft.Tokens - n) * r.profile.N * r.batch.Wall * 1000 / r.predicted
	}
	return 1 + n
}
