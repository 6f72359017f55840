package verdict

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// truth is the time of a pass in the tests, ns.
var truth = Vector{8e6, 50e3, 2, 40e3, 60}

// pass is one forward pass: what was in it and how long it took.
type pass struct {
	of   Vector
	time float64
}

// mixed draws passes of mixed traffic: the batch follows the load, one pass in five has a prompt.
func mixed(dice *rand.Rand, noise, speed float64) (p pass) {
	batch := math.Round(1 + dice.ExpFloat64()*12*speed)
	p.of = Vector{1, 0, 0, batch, batch * (400 + dice.ExpFloat64()*600)}
	if dice.IntN(5) == 0 {
		n := math.Round(min(2048, 50+dice.ExpFloat64()*700))
		p.of[PromptTokens], p.of[PromptContext] = n, n*(n/2+dice.Float64()*1000)
	}
	for i, v := range p.of {
		p.time += truth[i] * v
	}
	p.time *= speed * math.Exp(noise*dice.NormFloat64()-noise*noise/2)
	return p
}

// mixedOf is a pass of a batch without a prompt.
func mixedOf(dice *rand.Rand, batch, noise float64) (p pass) {
	p.of = Vector{1, 0, 0, batch, batch * (400 + dice.ExpFloat64()*600)}
	for i, v := range p.of {
		p.time += truth[i] * v
	}
	p.time *= math.Exp(noise*dice.NormFloat64() - noise*noise/2)
	return p
}

// observe adds a run of passes.
func (m *Moments) observe(p pass, passes int64) {
	m.Runs++
	m.Passes += passes
	m.Time += p.time
	for i, a := range p.of {
		m.Sum[i] += a
	}
	for _, s := range []struct {
		w  float64
		of *Weighted
	}{{float64(passes), &m.Weighted}, {1, &m.Once}} {
		w, of := s.w, s.of
		of.Square += w
		for i, a := range p.of {
			of.Target[i] += w * a / p.time
			for j, b := range p.of {
				of.Gram[i][j] += w * a * b / p.time / p.time
			}
		}
	}
}

// blocksOf are blocks of 500 passes whose speed follows a slow sine.
func blocksOf(seed uint64, n int, noise, drift float64) []Moments {
	dice := rand.New(rand.NewPCG(seed, 1))
	blocks := make([]Moments, n)
	for i := range blocks {
		speed := 1 + drift*math.Sin(float64(i)/9)
		for range 500 {
			blocks[i].observe(mixed(dice, noise, speed), 1)
		}
	}
	return blocks
}

// The coefficients come back, with noise and with a clock that drifts.
func TestFitPasses(t *testing.T) {
	for _, c := range []struct{ noise, drift, most float64 }{{0, 0, 1e-6}, {0.03, 0, 0.03}, {0.05, 0.1, 0.04}} {
		fit, err := FitPasses(blocksOf(1, 120, c.noise, c.drift))
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range fit.Coefficients {
			if off := math.Abs(v/truth[i] - 1); off > c.most {
				t.Errorf("noise %g, drift %g: %s is %g, %.2f %% off", c.noise, c.drift, FeatureNames[i], v, 100*off)
			}
		}
		if len(fit.Warnings) != 0 || math.Abs(fit.RMSE-c.noise) > 0.01 || math.Abs(fit.Spread-c.drift/math.Sqrt2) > 0.03 {
			t.Errorf("noise %g, drift %g: %+v", c.noise, c.drift, fit)
		}
	}
}

// Noise of times must not make coefficients too small where it is in the weights too: of runs of many passes it is little, of single ones
// 2σ² and more without the correction, here 3 % of a prompt token and 14 % of the little that its context takes.
func TestNoiseInWeights(t *testing.T) {
	const noise = 0.1
	dice := rand.New(rand.NewPCG(7, 1))
	var m Moments
	for range 60_000 {
		first := mixed(dice, noise, 1)
		passes, batch := int64(1), first.of[DecodeTokens]
		if first.of[PromptTokens] == 0 {
			for ; passes < 16; passes++ {
				next := mixedOf(dice, batch, noise)
				first.time += next.time
				for f, v := range next.of {
					first.of[f] += v
				}
			}
		}
		m.observe(first, passes)
	}
	fit, err := FitPasses([]Moments{m})
	if err != nil {
		t.Fatal(err)
	}
	most := Vector{0.008, 0.008, 0.06, 0.008, 0.008}
	for i, v := range fit.Coefficients {
		if off := math.Abs(v/truth[i] - 1); off > most[i] {
			t.Errorf("%s is %g, %.2f %% off", FeatureNames[i], v, 100*off)
		}
	}
}

// Traffic of one kind cannot tell its features apart, and says which.
func TestHomogeneousTrafficWarns(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 1))
	var m Moments
	for range 5_000 {
		batch := float64(20 + dice.IntN(2))
		p := pass{of: Vector{1, 200, 200 * 100, batch, batch * 230}}
		for i, v := range p.of {
			p.time += truth[i] * v
		}
		p.time *= math.Exp(0.05 * dice.NormFloat64())
		m.observe(p, 1)
	}
	fit, err := FitPasses([]Moments{m})
	if err != nil {
		t.Fatal(err)
	}
	if len(fit.Warnings) == 0 || !strings.HasPrefix(fit.Warnings[0], "weak_identification") {
		t.Errorf("%+v", fit)
	}
	var predicted, took float64
	predicted, took = m.predicted(fit.Coefficients), m.Time
	if math.Abs(predicted/took-1) > 0.01 {
		t.Errorf("predicts %g of %g ns", predicted, took)
	}
}

// No coefficient is below zero, and of all that are not the error is least: against a fine grid around it.
func TestNonnegativeIsLeast(t *testing.T) {
	dice := rand.New(rand.NewPCG(5, 1))
	for range 200 {
		var m Moments
		for range 40 {
			p := pass{time: 1 + dice.Float64()}
			for i := range p.of {
				p.of[i] = dice.Float64()
			}
			m.observe(p, 1)
		}
		c, ok := nonnegative(&m.Weighted)
		if !ok {
			t.Fatal("no solution")
		}
		least := squaredError(&m.Weighted, c)
		for i := range features {
			for _, step := range []float64{-1e-3, 1e-3} {
				near := c
				near[i] = max(0, near[i]+step)
				if e := squaredError(&m.Weighted, near); c[i] < 0 || e < least-1e-9 {
					t.Fatalf("%v: %g, and at %v %g", c, least, near, e)
				}
			}
		}
	}
}

func TestTooLittle(t *testing.T) {
	if _, err := FitPasses(nil); err == nil || !strings.Contains(err.Error(), "0 runs") {
		t.Error(err)
	}
	var empty Moments
	empty.Runs = 100
	if _, err := FitPasses([]Moments{empty}); err == nil || !strings.Contains(err.Error(), "no coefficients") {
		t.Error(err)
	}
}
