package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/producer"
	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/simulate"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
	"github.com/inferlake/inferlake/warehouse"
)

// benchCost compares what requests are said to have cost with what they truly did, on simulated engines.
type benchCost struct {
	benchSettings
	Rates   []float64     `help:"Requests a second of a GPU." default:"0.5,3,6,8"`
	Noise   []float64     `help:"Sigma of the noise of a forward pass." default:"0.03,0.05"`
	Drift   []float64     `help:"Amplitude of the engines' slow drift." default:"0,0.1"`
	For     time.Duration `help:"Simulated time of each case." default:"30m"`
	Engines int           `help:"Engines, of one GPU each." default:"2"`
	Seed    uint64        `help:"Another seed is other traffic." default:"1"`
}

// costFigures are what the benchmark measured.
type costFigures struct {
	Benchmark string     `json:"benchmark"`
	Cases     []costCase `json:"cases"`
}

// costCase is one load and physics; Errors has a line a method.
type costCase struct {
	Rate     float64     `json:"requests_per_second"`
	Noise    float64     `json:"noise"`
	Drift    float64     `json:"drift"`
	Requests int         `json:"requests"`
	Preempts int64       `json:"preemptions"`
	Input    float64     `json:"true_input_share"`
	Errors   []costError `json:"errors"`
}

func (c *benchCost) Run(ctx context.Context, p program, log *slog.Logger) (err error) {
	figures := costFigures{Benchmark: "cost-accuracy"}
	for _, rate := range c.Rates {
		for _, noise := range c.Noise {
			for _, drift := range c.Drift {
				one, err := c.measure(ctx, log, costCase{Rate: rate, Noise: noise, Drift: drift})
				if err != nil {
					return fmt.Errorf("%g requests/s, noise %g, drift %g: %w", rate, noise, drift, err)
				}
				figures.Cases = append(figures.Cases, one)
			}
		}
	}
	return c.print(p, figures)
}

// scenario is engines of one model with a prefix cache and little KV memory.
const costScenario = `
requests: %d
samples: {engine: 10s, gpu: 30s, node: 0s, kube: 0s, probe: 0s, steps: true}
traffic: {swing: 0}
clients: {cancelled: 0.01, disconnected: 0.01, failed: 0.005}
gateway: {instances: 0}
physics: {quadratic: true, noise: %g, drift: %g, period: 10m, spread: 0.02}
cache: {blocks: 2500, block_tokens: 128}
deployments:
  - {name: one, share: 1, profile: a100-llama3-8b-tp1, engines: %d, kv_tokens: 60000}
classes:
  - {name: chat, share: 60, turns: 2, shared: 256, prompt: 300, prompt_spread: 0.9, output: 140, output_spread: 0.8, max_output: 2000, think: 20s}
  - {name: search, share: 30, turns: 1, shared: 256, prompt: 900, prompt_spread: 0.6, output: 80, output_spread: 0.6, max_output: 512}
  - {name: long, share: 2, turns: 1, shared: 512, prompt: 9000, prompt_spread: 0.3, output: 200, output_spread: 0.5, max_output: 1000}
`

// measure plays a case and attributes it by each method in turn.
func (c *benchCost) measure(ctx context.Context, log *slog.Logger, one costCase) (_ costCase, err error) {
	dir, err := os.MkdirTemp("", "inferlake-bench-")
	if err != nil {
		return one, fmt.Errorf("cannot make a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	house, err := warehouse.Open(ctx, folder(dir).warehouse(), warehouse.Options{Threads: c.Cores, Log: log})
	if err != nil {
		return one, err
	}
	defer func() { err = errors.Join(err, house.Close()) }()
	var truth bytes.Buffer
	if err := c.play(ctx, folder(dir), house, log, one, &truth); err != nil {
		return one, err
	}
	known, err := readTruth(&truth)
	if err != nil {
		return one, err
	}
	one.Requests, one.Preempts, one.Input = len(known.requests), known.preemptions, known.inputShare()
	return c.methods(ctx, house, known, one)
}

// play simulates, folds and loads.
func (c *benchCost) play(ctx context.Context, dir folder, house *warehouse.Warehouse, log *slog.Logger, one costCase, truth *bytes.Buffer) (err error) {
	requests := int64(one.Rate * float64(c.Engines) * c.For.Seconds())
	scenario, err := simulate.Parse(fmt.Appendf(nil, costScenario, requests, one.Noise, one.Drift, c.Engines))
	if err != nil {
		return err
	}
	broker, err := kafkaSettings{Partitions: 1, Retention: 7 * 24 * time.Hour}.open(ctx, dir, embedded.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, broker.Close()) }()
	sender, err := producer.NewSender(ctx, producer.SenderOptions{Kafka: broker.Config, Topic: lifecycle.Topic, Stamp: virtual})
	if err != nil {
		return err
	}
	end := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	_, err = simulate.Run(ctx, scenario, simulate.Options{End: end, Hours: c.For.Hours(), Seed: c.Seed, Truth: truth},
		func(e *stream.Event) error { return sender.Emit(ctx, e) })
	if err = errors.Join(err, sender.Close(ctx)); err != nil {
		return err
	}
	pipe := &pipeline{house: house, kafka: broker.Config, rules: aggregate.Rules{}, log: log,
		options: stream.LoopOptions{SnapshotEvery: time.Hour, SnapshotEvents: 1 << 40, CommitEvery: time.Second},
		observe: func(stream.Committed) {}}
	return pipe.run(ctx, true)
}

// costMethods are the ways to attribute, each knowing less than the one before: what is forgotten first.
var costMethods = []struct {
	name   string
	forget []string
}{
	{"step_shapley", nil},
	{"interval_shapley, passes seen once", []string{"forget_step_runs"}},
	{"interval_shapley, no pass ever seen", []string{"forget_fits"}},
}

func (c *benchCost) methods(ctx context.Context, house *warehouse.Warehouse, known *costTruth, one costCase) (costCase, error) {
	for _, m := range costMethods {
		for _, statement := range append(m.forget, "forget_attribution", "forget_allocations") {
			if err := house.Put(ctx, statement); err != nil {
				return one, err
			}
		}
		if err := attribute(ctx, house, true); err != nil {
			return one, err
		}
		said, err := attributedTo(ctx, house)
		if err != nil {
			return one, err
		}
		one.Errors = append(one.Errors, known.compare(m.name, said))
	}
	others, err := otherFormulas(ctx, house, known)
	one.Errors = append(one.Errors, others...)
	return one, err
}

func (f costFigures) String() string {
	var b strings.Builder
	for _, c := range f.Cases {
		fmt.Fprintf(&b, "%g requests/s a GPU, noise %g %%, drift ±%g %%: %d requests, %d preemptions, input %.1f %%\n",
			c.Rate, 100*c.Noise, 100*c.Drift, c.Requests, c.Preempts, 100*c.Input)
		fmt.Fprintf(&b, "  %-36s %10s %10s %10s %12s\n", "error of", "median %", "p95 %", "group %", "input points")
		for _, e := range c.Errors {
			fmt.Fprintf(&b, "  %-36s %10.3f %10.2f %10.2f %12.3f\n", e.Method, 100*e.Median, 100*e.P95, 100*e.Group, 100*e.Input)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
