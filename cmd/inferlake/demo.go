package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/producer"
	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/simulate"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
	"github.com/inferlake/inferlake/warehouse"
)

// demoReports are what the demo prints, in order.
var demoReports = []string{"overview", "latency", "prefix_cache", "cost_per_token", "completeness"}

// demoPrices are example prices, USD an hour: H100 as nebius lists it (SkyPilot catalog v8), A100-80GB assumed.
var demoPrices = []warehouse.Price{
	{GPUType: "H100", From: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), USDPerHour: "2.95"},
	{GPUType: "A100-80GB", From: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), USDPerHour: "1.99"},
}

type demoCommand struct {
	Hours    float64       `help:"Length of the day that is simulated, hours; it ends now." default:"24"`
	Requests int64         `help:"Requests of the day, about. Default: the scenario's."`
	Seed     uint64        `help:"Another seed is another day." default:"1"`
	Prices   priceSettings `embed:""`
}

// Run sends a synthetic day through Kafka, the fold and DuckDB, and prints the reports.
func (c *demoCommand) Run(ctx context.Context, p program, log *slog.Logger, data folder) (err error) {
	begun := time.Now()
	dir := folder(filepath.Join(string(data), "demo-"+begun.UTC().Format("20060102-150405")))
	if err := dir.make(); err != nil {
		return err
	}
	house, err := warehouse.Open(ctx, dir.warehouse(), warehouse.Options{Log: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, house.Close()) }()
	if err := house.SetPrices(ctx, demoPrices); err != nil {
		return err
	}
	if err := c.Prices.load(ctx, house); err != nil {
		return err
	}
	broker, err := kafkaSettings{Partitions: 4, Retention: 7 * 24 * time.Hour}.open(ctx, dir, embedded.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, broker.Close()) }()

	bar := p.progress("sending the day", "events")
	summary, err := c.send(ctx, broker, begun, bar)
	if err = errors.Join(err, bar.Finish()); err != nil {
		return err
	}
	sent := time.Now()
	bar = p.progress("folding and loading", "events")
	if err := errors.Join(c.fold(ctx, house, broker, bar, log), bar.Finish()); err != nil {
		return err
	}
	loaded := time.Now()
	if err := c.print(ctx, p, &localHouse{Warehouse: house, data: dir}); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%d requests of %g hours in %.1f s: %d events sent in %.1f s, folded and loaded in %.1f s\n",
		summary.Requests, c.Hours, time.Since(begun).Seconds(), summary.Events, sent.Sub(begun).Seconds(), loaded.Sub(sent).Seconds())
	if err := printTotals(ctx, p, house); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "database: %s\nask more:  inferlake report list;  inferlake report latency --by instance --data %s\n",
		filepath.Join(string(dir), "inferlake.duckdb"), dir)
	return err
}

// virtual is the time of an event: what is made up pretends to be sent when it happens.
func virtual(e *stream.Event) time.Time { return time.Unix(0, e.Num(stream.EventTimeUnixNano)) }

// send puts the day on the log, each record stamped with the virtual time of its events.
func (c *demoCommand) send(ctx context.Context, broker *broker, end time.Time, bar progress) (s simulate.Summary, err error) {
	sender, err := producer.NewSender(ctx, producer.SenderOptions{Kafka: broker.Config, Topic: lifecycle.Topic, Stamp: virtual})
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, sender.Close(ctx)) }()
	options := simulate.Options{End: end, Hours: c.Hours, Seed: c.Seed, Requests: c.Requests}
	return simulate.Day(ctx, options, func(e *stream.Event) error {
		bar.Add(1)
		return sender.Emit(ctx, e)
	})
}

func (c *demoCommand) fold(ctx context.Context, house *warehouse.Warehouse, broker *broker, bar progress, log *slog.Logger) error {
	total := newTotals()
	pipe := &pipeline{house: house, kafka: broker.Config, rules: aggregate.Rules{}, log: log,
		options: stream.LoopOptions{SnapshotEvery: time.Hour, SnapshotEvents: 1 << 40, CommitEvery: time.Second},
		observe: func(done stream.Committed) { bar.Set(total.add(done)) }}
	if err := pipe.run(ctx, true); err != nil {
		return err
	}
	return errors.Join(house.Rollup(ctx), attribute(ctx, house, true))
}

// print draws the demo's reports.
func (c *demoCommand) print(ctx context.Context, p program, h house) error {
	width, color := terminal(p.stdout)
	for _, name := range demoReports {
		out, err := h.report(ctx, reportQuestion{Name: name, Format: "table", Width: width, Color: color})
		if err != nil {
			return fmt.Errorf("report %s: %w", name, err)
		}
		if _, err := p.stdout.Write(append(out.Content, '\n')); err != nil {
			return err
		}
	}
	return nil
}
