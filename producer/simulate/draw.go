package simulate

import (
	"math"
	"math/rand/v2"
)

// dice draws what is random; each subject has its own, so that one more draw here changes nothing there.
type dice struct{ *rand.Rand }

func newDice(seed, subject uint64) dice { return dice{rand.New(rand.NewPCG(seed, subject))} }

// lognormal draws a length of the given median, from 1 to limit.
func (d dice) lognormal(median, sigma float64, limit int64) int64 {
	v := median * math.Exp(sigma*d.NormFloat64())
	return int64(min(max(1, math.Round(v)), float64(limit)))
}

// waits draws a time in µs, exponential with a mean in seconds.
func (d dice) waits(seconds float64) int64 { return int64(d.ExpFloat64() * seconds * 1e6) }

// share chooses an index by weight.
func (d dice) share(n int, weight func(int) int64) int {
	var total int64
	for i := range n {
		total += weight(i)
	}
	at := d.Int64N(total)
	for i := range n {
		if at -= weight(i); at < 0 {
			return i
		}
	}
	panic("simulate: a draw beyond the sum of the weights")
}

// mix makes a hash of two numbers: the finalizer of SplitMix64.
func mix(a, b uint64) uint64 {
	z := a*0x9e3779b97f4a7c15 + b + 0x632be59bd9b4e019
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// factor draws a lognormal factor with median 1.
func (d dice) factor(sigma float64) float64 { return math.Exp(sigma * d.NormFloat64()) }

// chance says yes with a probability.
func (d dice) chance(p float64) bool { return d.Float64() < p }
