package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"runtime/pprof"
	"syscall"
	"time"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/producer"
	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/simulate"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
	"github.com/inferlake/inferlake/warehouse"
)

// benchCommand measures, one subcommand a benchmark.
type benchCommand struct {
	Pipeline benchPipeline `cmd:"" name:"pipeline-2core" help:"Kafka to fold to DuckDB: events a second and CPU time an event, broker in the same process."`
}

type benchPipeline struct {
	Requests int64  `help:"Requests of the simulated day that is folded." default:"300000"`
	Encoding string `help:"columns, protobuf or json." enum:"columns,protobuf,json" default:"columns"`
	Cores    int    `help:"Cores that Go may use." default:"2"`
	JSON     bool   `name:"json" help:"Print the figures as one JSON object."`
	Profile  string `help:"Write a CPU profile of the measured part to this file." placeholder:"FILE"`
}

// figures are what the benchmark measured.
type figures struct {
	Benchmark       string  `json:"benchmark"`
	Encoding        string  `json:"encoding"`
	Cores           int     `json:"cores"`
	Events          int64   `json:"events"`
	Requests        int64   `json:"requests"`
	BytesPerEvent   float64 `json:"wire_bytes_per_event"`
	Seconds         float64 `json:"seconds"`
	EventsPerSecond float64 `json:"events_per_second"`
	CPUNanosPerEvt  float64 `json:"cpu_ns_per_event"`
	PeakRSSMiB      float64 `json:"peak_rss_mib"`
	Snapshots       bool    `json:"snapshots"`
	Checked         string  `json:"checked"`
}

func (c *benchPipeline) Run(ctx context.Context, p program, log *slog.Logger) (err error) {
	runtime.GOMAXPROCS(c.Cores)
	dir, err := os.MkdirTemp("", "inferlake-bench-")
	if err != nil {
		return fmt.Errorf("cannot make a place for the benchmark: %w", err)
	}
	defer os.RemoveAll(dir)
	data := folder(dir)
	broker, err := kafkaSettings{Partitions: 4, Retention: 24 * time.Hour * 7}.open(ctx, data, embedded.Options{NoSync: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, broker.Close()) }()
	summary, err := c.fill(ctx, broker)
	if err != nil {
		return err
	}
	house, err := warehouse.Open(ctx, data.warehouse(), warehouse.Options{Log: log, Threads: c.Cores})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, house.Close()) }()
	f, err := c.measure(ctx, broker, house, log)
	if err != nil {
		return err
	}
	f.Events = summary.Events
	f.EventsPerSecond = float64(f.Events) / f.Seconds
	f.CPUNanosPerEvt /= float64(f.Events)
	f.BytesPerEvent = folderBytes(data.broker()) / float64(f.Events)
	if err := check(ctx, house, summary, &f); err != nil {
		return err
	}
	return f.print(p, c.JSON)
}

// fill puts the day on the log before anything is measured.
func (c *benchPipeline) fill(ctx context.Context, broker *broker) (s simulate.Summary, err error) {
	encoding, err := producer.ParseEncoding(c.Encoding)
	if err != nil {
		return s, err
	}
	sender, err := producer.NewSender(ctx, producer.SenderOptions{Kafka: broker.Config, Topic: lifecycle.Topic, Encoding: encoding,
		Stamp: func(e *stream.Event) time.Time { return time.Unix(0, e.Num(stream.EventTimeUnixNano)) }})
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, sender.Close(ctx)) }()
	return simulate.Day(ctx, simulate.Options{End: time.Now(), Requests: c.Requests, Seed: 1},
		func(e *stream.Event) error { return sender.Emit(ctx, e) })
}

// measure folds all that is on the log, with positions in the transactions and snapshots on.
func (c *benchPipeline) measure(ctx context.Context, broker *broker, house *warehouse.Warehouse, log *slog.Logger) (f figures, err error) {
	if c.Profile != "" {
		file, err := os.Create(c.Profile)
		if err != nil {
			return f, fmt.Errorf("cannot write the profile: %w", err)
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return f, err
		}
		defer pprof.StopCPUProfile()
	}
	pipe := &pipeline{house: house, kafka: broker.Config, rules: aggregate.Rules{}, log: log}
	cpu, begun := cpuTime(), time.Now()
	err = pipe.run(ctx, true)
	f = figures{Benchmark: "pipeline-2core", Encoding: c.Encoding, Cores: c.Cores, Snapshots: true,
		Seconds: time.Since(begun).Seconds(), CPUNanosPerEvt: float64(cpuTime() - cpu), PeakRSSMiB: peakRSS()}
	return f, err
}

// check compares what was loaded with what was sent: a figure counts only for a right result.
func check(ctx context.Context, house *warehouse.Warehouse, s simulate.Summary, f *figures) error {
	r, err := house.Query(ctx, `SELECT count(*), sum(prompt_tokens)::BIGINT, sum(output_tokens)::BIGINT,
		(SELECT sum(output_tokens)::BIGINT FROM request_windows WHERE level = 10) FROM requests`, nil)
	if err != nil {
		return err
	}
	got := [4]int64{whole(r.Rows[0][0]), whole(r.Rows[0][1]), whole(r.Rows[0][2]), whole(r.Rows[0][3])}
	if want := [4]int64{s.Requests, s.PromptTokens, s.OutputTokens, s.OutputTokens}; got != want {
		return fmt.Errorf("the result is wrong, so its speed does not count: requests, input, output, output in windows are %d, sent were %d", got, want)
	}
	f.Requests, f.Checked = got[0], "requests, input and output tokens of facts and windows equal the generator's"
	return nil
}

func (f figures) print(p program, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(p.stdout).Encode(f)
	}
	_, err := fmt.Fprintf(p.stdout, "%s, %s, %d cores: %.2f M events/s, %.0f CPU-ns/event (broker included), %d events of %.0f B in %.2f s, peak RSS %.0f MiB\nchecked: %s\n",
		f.Benchmark, f.Encoding, f.Cores, f.EventsPerSecond/1e6, f.CPUNanosPerEvt, f.Events, f.BytesPerEvent, f.Seconds, f.PeakRSSMiB, f.Checked)
	return err
}

func cpuTime() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

func peakRSS() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Maxrss) / 1024
}
