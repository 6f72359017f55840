package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/inferlake/inferlake/cmd/inferlake/workload"
	"github.com/inferlake/inferlake/warehouse"
)

type benchPipeline struct {
	benchSettings
	benchWorkload
	Runs      int  `help:"How often it is measured." default:"1"`
	Snapshots bool `help:"Take snapshots of the state as serve does." default:"true" negatable:""`
}

// pipelineFigures are what the benchmark measured.
type pipelineFigures struct {
	Benchmark     string         `json:"benchmark"`
	Encoding      string         `json:"encoding"`
	Cores         int            `json:"cores"`
	Events        int64          `json:"events"`
	BytesPerEvent float64        `json:"record_bytes_per_event"`
	Groups        int            `json:"groups"`
	LeastOpen     int64          `json:"least_open_requests"`
	Late          int64          `json:"late_events"`
	Snapshots     bool           `json:"snapshots"`
	PerSecond     spread         `json:"events_per_second"`
	CPU           spread         `json:"cpu_ns_per_event"`
	PeakMiB       spread         `json:"peak_rss_mib"`
	Stages        []stageUsage   `json:"stages"`
	Peers         []*peerFigures `json:"peers"`
	Checked       string         `json:"checked"`
}

func (c *benchPipeline) Run(ctx context.Context, p program, log *slog.Logger) (err error) {
	b, err := c.openLog(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	f := pipelineFigures{Benchmark: "pipeline-2core", Encoding: c.Encoding, Cores: c.Cores, Events: b.events(), Late: b.answer.Late,
		BytesPerEvent: float64(b.answer.Bytes) / float64(b.answer.Events), Groups: workload.Groups, Snapshots: c.Snapshots, Peers: newPeers(),
		Checked: "facts, windows and sketches of every group and the accounts equal the generator's own; verify held"}
	end, err := c.begin()
	if err != nil {
		return err
	}
	defer end()
	var rates, cpu, peak []float64
	for range c.Runs {
		r, err := c.measure(ctx, b, log)
		if err != nil {
			return err
		}
		rates, cpu = append(rates, r.perSecond(f.Events)), append(cpu, r.perEvent(f.Events))
		peak, f.LeastOpen = append(peak, r.peak), r.leastOpen
		if err := b.measurePeers(ctx, f.Peers); err != nil {
			return err
		}
	}
	f.PerSecond, f.CPU, f.PeakMiB = spreadOf(rates), spreadOf(cpu), spreadOf(peak)
	if f.Stages, err = b.stages(ctx); err != nil {
		return err
	}
	return c.print(p, f)
}

// pipelineRun is one measurement.
type pipelineRun struct {
	usage
	peak      float64
	leastOpen int64
}

// measure folds the whole log into a new warehouse; what is measured begins behind the ramp and ends with the last
// commit, snapshots and all.
func (c *benchPipeline) measure(ctx context.Context, b *benchLog, log *slog.Logger) (r pipelineRun, err error) {
	dir := filepath.Join(string(b.folder), "house")
	defer os.RemoveAll(dir)
	if err := folder(dir).make(); err != nil {
		return r, err
	}
	house, err := warehouse.Open(ctx, dir, warehouse.Options{Log: log, Threads: c.Cores})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, house.Close()) }()
	var watch stopwatch
	g := newGate(b.ramp, func() {
		forgetPeak()
		watch = startWatch()
	})
	pipe := &pipeline{house: house, kafka: b.broker.Config, log: log, guard: g.guard}
	if !c.Snapshots {
		pipe.options.SnapshotEvents, pipe.options.SnapshotEvery = 1<<62, 1<<62
	}
	if err := pipe.run(ctx, true); err != nil {
		return r, err
	}
	r = pipelineRun{watch.read(), peakMiB(), g.leastOpen()}
	if err := checkAnswer(ctx, house, b.answer, true); err != nil {
		return r, err
	}
	return r, checkInvariants(ctx, house)
}

func (f pipelineFigures) String() string {
	s := fmt.Sprintf("%s, %s, %d cores: %.2f M events/s (%.2f to %.2f), %.0f CPU-ns/event (%.0f to %.0f), broker included\n"+
		"%d events of %.0f B in records, %d groups, at least %d requests open, %d late, snapshots %v; peak RSS %.0f MiB\n",
		f.Benchmark, f.Encoding, f.Cores, f.PerSecond.Median/1e6, f.PerSecond.Least/1e6, f.PerSecond.Most/1e6,
		f.CPU.Median, f.CPU.Least, f.CPU.Most, f.Events, f.BytesPerEvent, f.Groups, f.LeastOpen, f.Late, f.Snapshots, f.PeakMiB.Median)
	total := 0.0
	for _, stage := range f.Stages {
		s += fmt.Sprintf("  %-8s %5.0f CPU-ns/event\n", stage.Name, stage.CPU-total)
		total = stage.CPU
	}
	s += fmt.Sprintf("  %-8s %5.0f CPU-ns/event\n", "load", f.CPU.Median-total)
	for _, p := range f.Peers {
		s += p.String() + "\n"
	}
	return s + "checked: " + f.Checked
}
