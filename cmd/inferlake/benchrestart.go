package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/warehouse"
)

type benchRestart struct {
	benchSettings
	benchWorkload
	Every time.Duration `help:"How often the serve that is killed makes its state durable." default:"5s"`
	After time.Duration `help:"How long the serve that is killed goes on after its first snapshots." default:"3s"`
}

// restartFigures are what the benchmark measured.
type restartFigures struct {
	Benchmark string  `json:"benchmark"`
	Encoding  string  `json:"encoding"`
	Cores     int     `json:"cores"`
	Open      int64   `json:"open_requests_restored"`
	StateMiB  float64 `json:"snapshots_mib"`
	Opened    float64 `json:"seconds_until_database_open"`
	First     float64 `json:"seconds_until_first_commit"`
	All       float64 `json:"seconds_until_every_partition_committed"`
	Checked   string  `json:"checked"`
}

func (c *benchRestart) Run(ctx context.Context, p program, log *slog.Logger) (err error) {
	b, err := c.openLog(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	data := folder(filepath.Join(string(b.folder), "data"))
	if err := c.kill(ctx, b, data); err != nil {
		return err
	}
	end, err := c.begin()
	if err != nil {
		return err
	}
	defer end()
	f := restartFigures{Benchmark: "restart", Encoding: c.Encoding, Cores: c.Cores, StateMiB: folderBytes(filepath.Join(data.warehouse(), "states")) / (1 << 20),
		Checked: "facts, windows and sketches of every group and the accounts equal the generator's own; verify held"}
	if err := c.restart(ctx, b, data, &f, log); err != nil {
		return err
	}
	return c.print(p, f)
}

// kill lets another process serve the log and kills it under load, with a state that was made durable a while before.
func (c *benchRestart) kill(ctx context.Context, b *benchLog, data folder) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	serve := exec.CommandContext(ctx, program, "serve", "--data", string(data), "--brokers", b.broker.Brokers[0], "--snapshot-every", c.Every.String())
	serve.Stderr = os.Stderr
	if err := serve.Start(); err != nil {
		return fmt.Errorf("cannot start the serve that is to be killed: %w", err)
	}
	for wait(ctx, 20*time.Millisecond) {
		states, err := filepath.Glob(filepath.Join(data.warehouse(), "states", stream.TopicRequests+"-*.state"))
		if err != nil {
			return err
		}
		if len(states) >= len(b.ends) {
			break
		}
	}
	wait(ctx, c.After)
	err = serve.Process.Kill()
	serve.Wait() // it tells of the kill
	return errors.Join(err, ctx.Err())
}

// firsts notes when partitions commit first.
type firsts struct {
	begun time.Time
	want  int

	mu         sync.Mutex
	seen       map[int32]bool
	first, all time.Duration
	open       int64
}

func (f *firsts) committed(c stream.Committed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.Partition.Topic != stream.TopicRequests || f.seen[c.Partition.Partition] {
		return
	}
	f.seen[c.Partition.Partition] = true
	f.open += c.Status.Open
	took := time.Since(f.begun)
	if len(f.seen) == 1 {
		f.first = took
	}
	if len(f.seen) == f.want {
		f.all = took
	}
}

// restart goes on from what the killed process left.
func (c *benchRestart) restart(ctx context.Context, b *benchLog, data folder, f *restartFigures, log *slog.Logger) (err error) {
	seen := &firsts{begun: time.Now(), want: len(b.ends), seen: map[int32]bool{}}
	house, err := warehouse.Open(ctx, data.warehouse(), warehouse.Options{Log: log, Threads: c.Cores})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, house.Close()) }()
	f.Opened = time.Since(seen.begun).Seconds()
	pipe := &pipeline{house: house, kafka: b.broker.Config, log: log, observe: seen.committed}
	if err := pipe.run(ctx, true); err != nil {
		return err
	}
	f.First, f.All, f.Open = seen.first.Seconds(), seen.all.Seconds(), seen.open
	if err := checkAnswer(ctx, house, b.answer, true); err != nil {
		return err
	}
	return checkInvariants(ctx, house)
}

func (f restartFigures) String() string {
	return fmt.Sprintf("%s after kill -9, %s, %d cores: database open after %.2f s, first new commit after %.2f s, of every partition after %.2f s; %d requests open then, %.0f MiB of snapshots\nchecked: %s",
		f.Benchmark, f.Encoding, f.Cores, f.Opened, f.First, f.All, f.Open, f.StateMiB, f.Checked)
}
