package verdict

import (
	"fmt"
	"math"
)

// PassFit is how long a forward pass takes.
type PassFit struct {
	Coefficients Vector // ns per unit of each feature, none below 0
	Identity     Identity
	Runs, Passes int64
	RMSE         float64 // of a pass, relative to its time
	Spread       float64 // standard deviation of the blocks' speeds around 1
	Warnings     []string
}

// rounds of fitting and measuring the blocks' speeds, each of which needs the other; most of it is done after three.
const rounds = 30

// greatVariance bounds what weights are corrected for: beyond it the first order does not hold.
const greatVariance = 0.05

// leastRuns are needed for a fit.
const leastRuns = 50

// FitPasses fits the time of a pass to blocks of runs by non-negative least squares. A clock that is slow for a while makes batches
// larger, and so would pose as a cost of batches: each block's speed against the prediction is measured and divided out.
// It fails with too few runs, or where no coefficients fit.
func FitPasses(blocks []Moments) (PassFit, error) {
	speeds := make([]float64, len(blocks))
	for i := range speeds {
		speeds[i] = 1
	}
	var all Moments
	var c Vector
	var variance float64
	for round := range rounds + 1 {
		all = Moments{}
		for i := range blocks {
			all.add(&blocks[i], speeds[i])
		}
		if all.Runs < leastRuns {
			return PassFit{}, fmt.Errorf("cannot fit the time of a pass to %d runs: it takes %d", all.Runs, leastRuns)
		}
		var ok bool
		if c, ok = nonnegative(all.unbiased(variance)); !ok {
			return PassFit{}, fmt.Errorf("cannot fit the time of a pass: no coefficients from 0 on solve %d runs", all.Runs)
		}
		variance = min(all.variance(c), greatVariance)
		if round < rounds {
			measure(blocks, speeds, c)
		}
	}
	f := PassFit{Coefficients: c, Runs: all.Runs, Passes: all.Passes, Spread: spread(speeds)}
	f.RMSE = math.Sqrt(all.variance(c))
	f.Identity = identify(&all, c, f.RMSE)
	f.Warnings = f.Identity.warnings()
	return f, nil
}

// measure sets each block's speed: its time against the prediction, all of them together being 1. Engines differ for good; a block
// differs from its engine as far as that is no noise.
func measure(blocks []Moments, speeds []float64, c Vector) {
	var time, predicted float64
	for i := range blocks {
		time += blocks[i].Time
		predicted += blocks[i].predicted(c)
	}
	if time == 0 || predicted == 0 {
		return
	}
	of := engineSpeeds(blocks, c)
	off := make([]float64, len(blocks))
	for i := range blocks {
		if p := blocks[i].predicted(c); p > 0 {
			off[i] = blocks[i].Time/p/of[blocks[i].Engine] - 1
		}
	}
	keep := persistence(blocks, off)
	for i := range speeds {
		speeds[i] = of[blocks[i].Engine] * (1 + keep*off[i]) * predicted / time
	}
}

// engineSpeeds are the times of engines against the prediction.
func engineSpeeds(blocks []Moments, c Vector) map[int64]float64 {
	times, predicted := map[int64]float64{}, map[int64]float64{}
	for i := range blocks {
		times[blocks[i].Engine] += blocks[i].Time
		predicted[blocks[i].Engine] += blocks[i].predicted(c)
	}
	for e, p := range predicted {
		if p > 0 {
			times[e] /= p
		} else {
			times[e] = 1
		}
	}
	return times
}

// persistence is the share of the blocks' variance that they have in common with the block of the engine before, from 0 to 1: what
// drifts is slow, noise is new in every block.
func persistence(blocks []Moments, off []float64) float64 {
	var common, all float64
	for i, s := range off {
		all += s * s
		if i > 0 && blocks[i].Engine == blocks[i-1].Engine {
			common += s * off[i-1]
		}
	}
	if all == 0 {
		return 0
	}
	return min(1, max(0, common/all))
}

func spread(speeds []float64) float64 {
	var sum float64
	for _, s := range speeds {
		sum += (s - 1) * (s - 1)
	}
	return math.Sqrt(sum / max(1, float64(len(speeds))))
}
