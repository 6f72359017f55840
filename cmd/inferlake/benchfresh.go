package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/inferlake/inferlake/cmd/inferlake/workload"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
	"github.com/inferlake/inferlake/warehouse"
)

type benchFresh struct {
	benchSettings
	Rate     int64         `help:"Events a second." default:"200000"`
	For      time.Duration `help:"How long it is measured." default:"20s"`
	Encoding string        `help:"columns, protobuf or json." enum:"columns,protobuf,json" default:"columns"`
	Threads  int           `help:"Threads of DuckDB; 0: as many as cores."`
}

// freshFigures are what the benchmark measured.
type freshFigures struct {
	Benchmark string  `json:"benchmark"`
	Encoding  string  `json:"encoding"`
	Cores     int     `json:"cores"`
	Threads   int     `json:"duckdb_threads"`
	Rate      float64 `json:"events_per_second"`
	Records   int     `json:"records"`
	P50       float64 `json:"p50_ms"`
	P99       float64 `json:"p99_ms"`
	Most      float64 `json:"most_ms"`
	CPU       float64 `json:"cpu_ns_per_event"`
	Checked   string  `json:"checked"`
}

// sentRecord is one that was handed to the client: its first event's time, and how many events its partition had with it.
type sentRecord struct {
	first  time.Time
	events int64
}

// freshness follows records from the producer to SQL.
type freshness struct {
	mu    sync.Mutex
	sent  map[int32][]sentRecord // not seen yet, in order
	total map[int32]int64
	took  []time.Duration
}

func (c *benchFresh) Run(ctx context.Context, p program, log *slog.Logger) (err error) {
	dir, err := os.MkdirTemp("", "inferlake-bench-")
	if err != nil {
		return fmt.Errorf("cannot make a place for the benchmark: %w", err)
	}
	defer os.RemoveAll(dir)
	broker, err := kafkaSettings{Partitions: workload.Partitions, Retention: 50 * 365 * 24 * time.Hour}.open(ctx, folder(dir), embedded.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, broker.Close()) }()
	house, err := warehouse.Open(ctx, filepath.Join(dir, "house"), warehouse.Options{Log: log, Threads: cmp.Or(c.Threads, c.Cores)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, house.Close()) }()
	end, err := c.begin()
	if err != nil {
		return err
	}
	defer end()
	f, err := c.measure(ctx, broker, house, log)
	if err != nil {
		return err
	}
	return c.print(p, f)
}

func (c *benchFresh) measure(ctx context.Context, broker *broker, house *warehouse.Warehouse, log *slog.Logger) (f freshFigures, err error) {
	s := &freshness{sent: map[int32][]sentRecord{}, total: map[int32]int64{}}
	running, stop := context.WithCancel(ctx)
	defer stop()
	group, running := errgroup.WithContext(running)
	pipe := &pipeline{house: house, kafka: broker.Config, log: log}
	group.Go(func() error { return pipe.run(running, false) })
	group.Go(func() error { return s.look(running, house) })
	watch := startWatch()
	load, err := c.produce(ctx, broker, s)
	if err != nil {
		return f, err
	}
	u := watch.read()
	if err := s.drained(ctx); err != nil {
		return f, err
	}
	stop()
	if err := group.Wait(); err != nil {
		return f, err
	}
	if err := checkAnswer(ctx, house, load.Answer(), false); err != nil {
		return f, err
	}
	events := load.Answer().Events
	f = freshFigures{Benchmark: "freshness", Encoding: c.Encoding, Cores: c.Cores, Threads: cmp.Or(c.Threads, c.Cores), Rate: u.perSecond(events), CPU: u.perEvent(events),
		Checked: "facts of every group and the accounts equal the generator's own"}
	s.figures(&f)
	return f, nil
}

// produce sends at the rate, whatever becomes of it.
func (c *benchFresh) produce(ctx context.Context, broker *broker, s *freshness) (*workload.Workload, error) {
	w, err := kafka.NewWriter(ctx, broker.Config, kafka.WriterOptions{})
	if err != nil {
		return nil, err
	}
	load := workload.New(workload.Options{Encoding: c.Encoding, Batch: 128})
	const step = 5 * time.Millisecond
	begun := time.Now()
	send := func(r stream.Record) error {
		s.note(load.Last())
		return w.Send(ctx, kafka.Message{Topic: stream.TopicRequests, Key: r.Key, Value: r.Value,
			ContentType: r.ContentType, Timestamp: time.Unix(0, r.Timestamp)})
	}
	for at := step; at < c.For; at += step {
		time.Sleep(time.Until(begun.Add(at)))
		due := int64(at.Seconds()*float64(c.Rate)) - load.Events()
		if err := load.Emit(due, send); err != nil {
			return nil, err
		}
	}
	if err := load.Steady(0, send); err != nil {
		return nil, err
	}
	return load, w.Close(ctx)
}

// note remembers a record that is sent now.
func (s *freshness) note(partition int32, first time.Time, events int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total[partition] += events
	s.sent[partition] = append(s.sent[partition], sentRecord{first, s.total[partition]})
}

// look asks in SQL how far each partition is, again and again.
func (s *freshness) look(ctx context.Context, house *warehouse.Warehouse) error {
	for wait(ctx, 20*time.Millisecond) {
		result, err := house.Query(ctx, "SELECT partition, consumed FROM v1.progress WHERE topic = 'inferlake.requests'", nil)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		for _, row := range result.Rows {
			s.seen(int32(whole(row[0])), whole(row[1]))
		}
	}
	return nil
}

func (s *freshness) seen(partition int32, consumed int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, waiting := time.Now(), s.sent[partition]
	for len(waiting) > 0 && waiting[0].events <= consumed {
		s.took = append(s.took, now.Sub(waiting[0].first))
		waiting = waiting[1:]
	}
	s.sent[partition] = waiting
}

// drained waits until everything is seen.
func (s *freshness) drained(ctx context.Context) error {
	for wait(ctx, 20*time.Millisecond) {
		s.mu.Lock()
		left := 0
		for _, waiting := range s.sent {
			left += len(waiting)
		}
		s.mu.Unlock()
		if left == 0 {
			return nil
		}
	}
	return ctx.Err()
}

func (s *freshness) figures(f *freshFigures) {
	slices.Sort(s.took)
	ms := func(q float64) float64 {
		return s.took[min(len(s.took)-1, int(q*float64(len(s.took))))].Seconds() * 1000
	}
	f.Records, f.P50, f.P99, f.Most = len(s.took), ms(0.5), ms(0.99), ms(1)
}

func (f freshFigures) String() string {
	return fmt.Sprintf("%s, %s, %d cores, DuckDB with %d of them, %.0f events/s: from a record's first event to its rows in SQL p50 %.0f ms, p99 %.0f ms, at most %.0f ms; %d records; %.0f CPU-ns/event, producer and broker included\nchecked: %s",
		f.Benchmark, f.Encoding, f.Cores, f.Threads, f.Rate, f.P50, f.P99, f.Most, f.Records, f.CPU, f.Checked)
}
