package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
	"github.com/inferlake/inferlake/warehouse"
)

// foldSettings are the parameters of the fold: part of every snapshot, so they change only after a clean stop.
type foldSettings struct {
	OutOfOrderness time.Duration `help:"How far events may be out of order before they are late." default:"10s"`
	Skew           time.Duration `help:"How far a clock may be ahead before its time is not believed." default:"5m"`
	Expiry         time.Duration `help:"Silence after which an open request is lost." default:"1h"`
	ClosedMemory   time.Duration `help:"How long a closed request takes corrections." default:"15m"`
	MaxLife        time.Duration `help:"Longest request whose times are believed." default:"24h"`
	MaxOpen        int           `help:"Open requests a partition; beyond it the oldest are lost." default:"1000000"`
	MaxClosed      int           `help:"Closed requests remembered a partition." default:"65536"`
	MaxLanes       int           `help:"Lanes of producers remembered a partition." default:"10000"`
	MaxRuns        int           `help:"Apart runs of sequence numbers remembered a lane." default:"1000"`
	MaxSeries      int           `help:"Gauge and counter series a partition." default:"50000"`
	MaxWindows     int           `help:"Windows of a partition that wait for the watermark." default:"200000"`
	MaxNames       int           `help:"Names a dimension of windows; the rest is __other__." default:"1000"`

	Authority map[string]string `help:"Where two sources report one instance's requests: the one that counts. Those of the other are dead letters." placeholder:"INSTANCE=SOURCE"`
}

func (s foldSettings) rules() aggregate.Rules {
	return aggregate.Rules{OutOfOrderness: s.OutOfOrderness, Skew: s.Skew, Expiry: s.Expiry, ClosedMemory: s.ClosedMemory, MaxLife: s.MaxLife,
		MaxOpen: s.MaxOpen, MaxClosed: s.MaxClosed, MaxLanes: s.MaxLanes, MaxRuns: s.MaxRuns, MaxSeries: s.MaxSeries, MaxWindows: s.MaxWindows, MaxNames: s.MaxNames,
		Authority: s.Authority}
}

// houseSettings tune the database.
type houseSettings struct {
	MemoryLimit string `help:"Memory that DuckDB may use, like 4GB. Default: 80 % of the machine." placeholder:"SIZE"`
	Threads     int    `help:"Threads of DuckDB. Default: one a core."`
}

func (s houseSettings) options(log *slog.Logger) warehouse.Options {
	return warehouse.Options{Threads: s.Threads, MemoryLimit: s.MemoryLimit, Log: log}
}

// gcPercent is how much the heap may grow before its garbage is collected: more than by default, as the state is no garbage.
const gcPercent = 200

type serveCommand struct {
	Kafka         kafkaSettings `embed:""`
	Fold          foldSettings  `embed:"" prefix:"fold-"`
	House         houseSettings `embed:"" prefix:"duckdb-"`
	Prices        priceSettings `embed:""`
	Legs          legSettings   `embed:""`
	Keep          keepSettings  `embed:"" prefix:"keep-"`
	Once          bool          `help:"Catch up with where the topics end now, load, and exit 0."`
	Workers       int           `help:"Members of a Kafka consumer group that share the partitions in this process. 0 takes them without a group."`
	Listen        string        `help:"Address of the HTTP server." default:"127.0.0.1:0" placeholder:"HOST:PORT"`
	BrokerPort    int           `help:"Port of the embedded broker on 127.0.0.1. Default: a free one."`
	CommitEvery   time.Duration `help:"Oldest that rows get before they are committed." default:"100ms"`
	BatchRows     int           `help:"Rows of a partition that are committed together while it catches up. Fewer need less memory; more are faster." default:"245760"`
	SnapshotEvery time.Duration `help:"How often the state is made durable." default:"30s"`
	Idle          time.Duration `help:"Quiet time after which a partition's time moves on by the clock." default:"30s"`
	RollupEvery   time.Duration `help:"How often windows are rolled up and compacted, and GPU time of the quarters of an hour that ended is attributed." default:"1m"`
	JobsEvery     time.Duration `help:"How often is looked whether a scheduled job is due." default:"1m"`
	RetainEvery   time.Duration `help:"How often it is looked for rows older than they are kept." default:"1h"`
}

// Validate refuses numbers with which nothing would be folded.
func (c *serveCommand) Validate() error {
	if c.Workers < 0 {
		return fmt.Errorf("--workers cannot be %d: give how many members the group has, or 0 for none", c.Workers)
	}
	if c.BatchRows < 1 {
		return fmt.Errorf("--batch-rows cannot be %d: a batch has at least one row", c.BatchRows)
	}
	if c.Once && c.Workers > 0 {
		return errors.New("--once takes every partition itself: leave --workers out")
	}
	return c.Keep.validate()
}

func (c *serveCommand) Run(ctx context.Context, p program, s settings, log *slog.Logger, data folder) (err error) {
	debug.SetGCPercent(gcPercent)
	if err := data.make(); err != nil {
		return err
	}
	house, err := warehouse.Open(ctx, data.warehouse(), c.House.options(log))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, house.Close()) }()
	if err := errors.Join(c.Prices.load(ctx, house), c.Legs.load(ctx, house)); err != nil {
		return err
	}
	broker, err := c.Kafka.open(ctx, data, embedded.Options{Port: c.BrokerPort})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, broker.Close()) }()

	m := newMetrics()
	pipe := &pipeline{house: house, kafka: broker.Config, rules: c.Fold.rules(), log: log, observe: m.committed,
		options: stream.LoopOptions{CommitEvery: c.CommitEvery, BatchRows: c.BatchRows, SnapshotEvery: c.SnapshotEvery, Skew: c.Fold.Skew, Idle: c.Idle}}
	if c.Once {
		return c.once(ctx, p, pipe)
	}
	if err := c.forever(ctx, p, s, pipe, m, data); ctx.Err() == nil || !warehouse.Interrupted(err) {
		return err
	}
	return nil // told to stop while it began
}

// once catches up, rolls up, removes what is old, and says what it did.
func (c *serveCommand) once(ctx context.Context, p program, pipe *pipeline) error {
	if err := pipe.run(ctx, true); err != nil {
		return err
	}
	if err := errors.Join(pipe.house.Rollup(ctx), attribute(ctx, pipe.house, true)); err != nil {
		return err
	}
	if err := c.retain(ctx, pipe); err != nil {
		return err
	}
	return printTotals(ctx, p, pipe.house)
}

// forever folds until it is told to stop, with the HTTP server, the roll-ups, the jobs and retention beside it.
func (c *serveCommand) forever(ctx context.Context, p program, s settings, pipe *pipeline, m *metrics, data folder) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	local := &localHouse{Warehouse: pipe.house, data: data}
	local.schedule(s.Jobs, pipe.log)
	web, err := newWeb(c.Listen, local, m)
	if err != nil {
		return err
	}
	me := server{PID: os.Getpid(), Brokers: pipe.kafka.Brokers, Address: web.address(), Token: web.token}
	if err := data.announce(me); err != nil {
		return err
	}
	defer os.Remove(data.serve())
	fmt.Fprintf(p.stdout, "serving: brokers %v, http://%s\n", me.Brokers, me.Address)

	id, err := pipe.house.ID(ctx)
	if err != nil {
		return err
	}
	at := &positions{group: "inferlake-" + id}
	pipe.observe = func(c stream.Committed) { m.committed(c); at.committed(c) }
	group, ctx := errgroup.WithContext(ctx)
	if c.Workers == 0 {
		group.Go(func() error { return pipe.run(ctx, false) })
	}
	for range c.Workers {
		group.Go(func() error { return pipe.share(ctx, kafka.Group{Name: at.group + "-workers", Log: pipe.log}) })
	}
	group.Go(func() error { return at.tell(ctx, pipe.kafka, pipe.log.Warn) })
	group.Go(func() error { return web.run(ctx) })
	group.Go(func() error {
		return regularly(ctx, c.RollupEvery, pipe.log, "roll up windows and attribute GPU time", pipe.rollUp)
	})
	group.Go(func() error {
		return regularly(ctx, c.RetainEvery, pipe.log, "remove what is old", func(ctx context.Context) error { return c.retain(ctx, pipe) })
	})
	group.Go(func() error { return local.runner.Loop(ctx, local.planned, c.JobsEvery) })
	return group.Wait()
}

// rollUp keeps the levels and the database small, and attributes the GPU time of the quarters of an hour that ended.
func (p *pipeline) rollUp(ctx context.Context) error {
	return errors.Join(p.house.Rollup(ctx), p.house.Compact(ctx, math.MaxInt64), attribute(ctx, p.house, false))
}

// printTotals says what the warehouse accounts for.
func printTotals(ctx context.Context, p program, house *warehouse.Warehouse) error {
	var n stream.Counts
	result, err := house.Query(ctx, "SELECT sum(records)::BIGINT, sum(consumed)::BIGINT, sum(loaded)::BIGINT, sum(pending)::BIGINT, sum(duplicate)::BIGINT, sum(dead)::BIGINT, sum(late)::BIGINT, sum(open)::BIGINT FROM progress", nil)
	if err != nil {
		return err
	}
	for i, v := range []*int64{&n.Records, &n.Consumed, &n.Loaded, &n.Pending, &n.Duplicate, &n.Dead, &n.Late, &n.Open} {
		if len(result.Rows) > 0 {
			*v = whole(result.Rows[0][i])
		}
	}
	_, err = fmt.Fprintf(p.stdout, "records %d, events %d = loaded %d + pending %d + duplicate %d + dead %d; late %d; open requests %d\n",
		n.Records, n.Consumed, n.Loaded, n.Pending, n.Duplicate, n.Dead, n.Late, n.Open)
	return err
}
