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

// demoPrices are example prices, USD an hour: H100 as nebius lists it (SkyPilot catalog v8), A100-80GB assumed.
var demoPrices = []warehouse.Price{
	{GPUType: "H100", From: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), USDPerHour: "2.95"},
	{GPUType: "A100-80GB", From: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), USDPerHour: "1.99"},
}

type demoCommand struct {
	Scenario string        `help:"What is simulated: ${scenarios}, or a YAML file; it ends now." default:"fleet-day" placeholder:"NAME|FILE"`
	Hours    float64       `help:"Length of the simulated time, hours. Default: the scenario's."`
	Requests int64         `help:"Requests of it, about. Default: the scenario's."`
	Seed     uint64        `help:"Another seed is another day." default:"1"`
	Prices   priceSettings `embed:""`
}

// Run sends a synthetic day through Kafka, the fold and DuckDB, prints the reports and writes them as a page.
func (c *demoCommand) Run(ctx context.Context, p program, log *slog.Logger, data folder) (err error) {
	begun := time.Now()
	scenario, err := simulate.Load(c.Scenario)
	if err != nil {
		return err
	}
	d := demonstration{p: p, log: log, dir: folder(filepath.Join(string(data), "demo-"+begun.UTC().Format("20060102-150405")))}
	if err := d.open(ctx, c.Prices); err != nil {
		return errors.Join(err, d.close())
	}
	defer func() { err = errors.Join(err, d.close()) }()
	summary, err := d.send(ctx, scenario, simulate.Options{End: begun, Hours: c.Hours, Seed: c.Seed, Requests: c.Requests})
	if err != nil {
		return err
	}
	sent := time.Now()
	if err := d.fold(ctx); err != nil {
		return err
	}
	loaded := time.Now()
	file, err := d.show(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%d requests in %.1f s: %d events simulated and sent in %.1f s, folded, loaded and costed in %.1f s, reports in %.1f s\n",
		summary.Requests, time.Since(begun).Seconds(), summary.Events, sent.Sub(begun).Seconds(), loaded.Sub(sent).Seconds(), time.Since(loaded).Seconds())
	if err := printTotals(ctx, p, d.house); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "page:      %s\ndatabase:  %s\nask more:  inferlake report list;  inferlake report latency --by instance --data %s\n",
		file, filepath.Join(string(d.dir), "inferlake.duckdb"), d.dir)
	return err
}

// demonstration is a demo under way, in a folder of its own.
type demonstration struct {
	p      program
	log    *slog.Logger
	dir    folder
	house  *warehouse.Warehouse
	broker *broker
}

func (d *demonstration) open(ctx context.Context, prices priceSettings) (err error) {
	if err := d.dir.make(); err != nil {
		return err
	}
	if d.house, err = warehouse.Open(ctx, d.dir.warehouse(), warehouse.Options{Log: d.log}); err != nil {
		return err
	}
	if err := errors.Join(d.house.SetPrices(ctx, demoPrices), prices.load(ctx, d.house)); err != nil {
		return err
	}
	d.broker, err = kafkaSettings{Partitions: 4, Retention: 7 * 24 * time.Hour}.open(ctx, d.dir, embedded.Options{})
	return err
}

func (d *demonstration) close() (err error) {
	if d.broker != nil {
		err = d.broker.Close()
	}
	if d.house != nil {
		err = errors.Join(err, d.house.Close())
	}
	return err
}

// virtual is the time of an event: what is made up pretends to be sent when it happens.
func virtual(e *stream.Event) time.Time { return time.Unix(0, e.Num(stream.EventTimeUnixNano)) }

// send puts the day on the log, each record stamped with the virtual time of its events.
func (d *demonstration) send(ctx context.Context, scenario simulate.Scenario, o simulate.Options) (s simulate.Summary, err error) {
	sender, err := producer.NewSender(ctx, producer.SenderOptions{Kafka: d.broker.Config, Topic: lifecycle.Topic, Stamp: virtual, StampLinger: stampLinger})
	if err != nil {
		return s, err
	}
	bar := d.p.progress("sending the day", "events")
	s, err = simulate.Run(ctx, scenario, o, func(e *stream.Event) error {
		bar.Add(1)
		return sender.Emit(ctx, e)
	})
	return s, errors.Join(err, sender.Close(ctx), bar.Finish())
}

// fold folds and loads what was sent, rolls it up and attributes GPU time.
func (d *demonstration) fold(ctx context.Context) error {
	bar, total := d.p.progress("folding and loading", "events"), newTotals()
	pipe := &pipeline{house: d.house, kafka: d.broker.Config, rules: aggregate.Rules{}, log: d.log,
		options: stream.LoopOptions{SnapshotEvery: time.Hour, SnapshotEvents: 1 << 40, CommitEvery: time.Second},
		observe: func(done stream.Committed) { bar.Set(total.add(done)) }}
	if err := errors.Join(pipe.run(ctx, true), bar.Finish()); err != nil {
		return err
	}
	return errors.Join(d.house.Rollup(ctx), attribute(ctx, d.house, true))
}

// show prints all reports, and writes them into a file to look at.
func (d *demonstration) show(ctx context.Context) (file string, err error) {
	h := &localHouse{Warehouse: d.house, data: d.dir}
	groups, _, err := h.sections(ctx, reportQuestion{})
	if err != nil {
		return "", err
	}
	width, color := terminal(d.p.stdout)
	printed, err := drawAll(groups, reportQuestion{Format: "table", Width: width, Color: color})
	if err != nil {
		return "", err
	}
	if _, err := d.p.stdout.Write(append(printed.Content, '\n')); err != nil {
		return "", err
	}
	all, err := drawAll(groups, reportQuestion{Format: "html"})
	if err != nil {
		return "", err
	}
	file = filepath.Join(string(d.dir), "reports.html")
	return file, d.p.write(file, all.Content)
}
