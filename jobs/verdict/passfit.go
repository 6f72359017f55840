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
	for round := range rounds + 1 {
		all = Moments{}
		for i := range blocks {
			all.add(&blocks[i], speeds[i])
		}
		if all.Runs < leastRuns {
			return PassFit{}, fmt.Errorf("cannot fit the time of a pass to %d runs: it takes %d", all.Runs, leastRuns)
		}
		var ok bool
		if c, ok = nonnegative(&all); !ok {
			return PassFit{}, fmt.Errorf("cannot fit the time of a pass: no coefficients from 0 on solve %d runs", all.Runs)
		}
		if round < rounds {
			measure(blocks, speeds, c)
		}
	}
	f := PassFit{Coefficients: c, Runs: all.Runs, Passes: all.Passes, Spread: spread(speeds)}
	f.RMSE = math.Sqrt(squaredError(&all, c) / max(1, all.Square))
	f.Identity = identify(&all, c, f.RMSE)
	f.Warnings = f.Identity.warnings()
	return f, nil
}

// measure sets each block's speed: its time against the prediction, all of them together being 1, as far as that is no noise.
func measure(blocks []Moments, speeds []float64, c Vector) {
	var time, predicted float64
	for i := range blocks {
		time += blocks[i].Time
		predicted += blocks[i].predicted(c)
	}
	for i := range blocks {
		if p := blocks[i].predicted(c); p > 0 && time > 0 {
			speeds[i] = blocks[i].Time / p * predicted / time
		}
	}
	keep := persistence(speeds)
	for i := range speeds {
		speeds[i] = 1 + keep*(speeds[i]-1)
	}
}

// persistence is the share of the blocks' variance that they have in common with the block before, from 0 to 1: what drifts is slow,
// noise is new in every block.
func persistence(speeds []float64) float64 {
	var mean, common, all float64
	for _, s := range speeds {
		mean += s / float64(len(speeds))
	}
	for i, s := range speeds {
		all += (s - mean) * (s - mean)
		if i > 0 {
			common += (s - mean) * (speeds[i-1] - mean)
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
