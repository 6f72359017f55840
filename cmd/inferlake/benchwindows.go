package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/inferlake/inferlake/aggregate"
)

type benchWindows struct {
	benchSettings
	Groups int   `help:"Sketches that observations go to." default:"20000"`
	Values int64 `help:"Observations." default:"10000000"`
}

// windowFigures are what the benchmark measured.
type windowFigures struct {
	Benchmark string  `json:"benchmark"`
	Groups    int     `json:"groups"`
	Values    int64   `json:"observations"`
	Insert    float64 `json:"insert_cpu_ns"`
	Merge     float64 `json:"merge_cpu_ns_per_group"`
	Worst     float64 `json:"worst_relative_error"`
	Checked   string  `json:"checked"`
}

func (c *benchWindows) Run(_ context.Context, p program) error {
	end, err := c.begin()
	if err != nil {
		return err
	}
	defer end()
	values := latencies(1 << 20)
	sketches := make([]aggregate.Sketch, c.Groups)
	f := windowFigures{Benchmark: "window-quantiles", Groups: c.Groups, Values: c.Values,
		Checked: "count, sum and quantiles of the merged sketch against the sorted observations; error below 1 %"}
	watch := startWatch()
	c.each(values, func(group int, v int64) { sketches[group].Add(v, 1) })
	f.Insert = watch.read().perEvent(c.Values) - c.drawing(values)
	var all aggregate.Sketch
	watch = startWatch()
	for i := range sketches {
		all.Merge(&sketches[i])
	}
	f.Merge = watch.read().perEvent(int64(c.Groups))
	if f.Worst, err = c.check(&all, values); err != nil {
		return err
	}
	return c.print(p, f)
}

// latencies are log-normal times to first token, ns.
func latencies(n int) []int64 {
	rng := rand.New(rand.NewPCG(1, 2))
	v := make([]int64, n)
	for i := range v {
		v[i] = int64(math.Exp(rng.NormFloat64()*0.8+18.5)) + 1
	}
	return v
}

// each draws a group for each observation.
func (c *benchWindows) each(values []int64, do func(group int, v int64)) {
	state := uint64(1)
	for i := range c.Values {
		state = state*6364136223846793005 + 1442695040888963407
		do(int((state>>33)*uint64(c.Groups)>>31), values[int(i)%len(values)])
	}
}

// drawing is what drawing takes by itself, ns.
func (c *benchWindows) drawing(values []int64) float64 {
	watch, sum := startWatch(), int64(0)
	c.each(values, func(group int, v int64) { sum += v + int64(group) })
	return watch.read().perEvent(c.Values)
}

// check compares the sketch of everything with the observations themselves.
func (c *benchWindows) check(all *aggregate.Sketch, values []int64) (worst float64, err error) {
	n, sum := int64(len(values)), int64(0)
	exact := make([]int64, 0, n)
	for i := range c.Values {
		sum += values[i%n]
		if i < n {
			exact = append(exact, values[i])
		}
	}
	if all.N != c.Values || all.Total != sum {
		return 0, fmt.Errorf("the result is wrong, so its speed does not count: %d observations of %d in all, want %d of %d", all.N, all.Total, c.Values, sum)
	}
	slices.Sort(exact)
	for _, q := range []float64{0.5, 0.9, 0.95, 0.99, 0.999} {
		want := float64(exact[int(q*float64(len(exact)))])
		worst = max(worst, math.Abs(float64(all.Quantile(q))-want)/want)
	}
	if worst > 0.01 {
		return worst, fmt.Errorf("the result is wrong, so its speed does not count: a quantile is off by %.2f %%", 100*worst)
	}
	return worst, nil
}

func (f windowFigures) String() string {
	return fmt.Sprintf("%s: %d observations into %d sketches: %.1f CPU-ns each; merging them %.0f CPU-ns a sketch; worst error of a quantile %.2f %%\nchecked: %s",
		f.Benchmark, f.Values, f.Groups, f.Insert, f.Merge, 100*f.Worst, f.Checked)
}
