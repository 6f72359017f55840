package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory/mallocator"
	"golang.org/x/sync/errgroup"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/warehouse"
)

// pipeline is the way from the log into the warehouse: one loop a partition, each with its own reader.
type pipeline struct {
	house   *warehouse.Warehouse
	sink    stream.Sink[aggregate.Delta] // where batches go; nil: the house
	kafka   kafka.Config
	rules   aggregate.Rules
	options stream.LoopOptions
	observe func(stream.Committed)
	guard   guard // nil: none
	log     *slog.Logger
}

// guard stands before a partition's log; open is how many requests its fold has open.
type guard func(tp stream.TopicPartition, log stream.Log, open func() int64) stream.Log

// until returns where each partition ends now.
func (p *pipeline) until(ctx context.Context) (map[stream.TopicPartition]int64, error) {
	admin, err := kafka.NewAdmin(ctx, p.kafka)
	if err != nil {
		return nil, err
	}
	defer admin.Close()
	return admin.EndOffsets(ctx, stream.Topics...)
}

// lookEvery is how often a running pipeline looks for partitions that were added.
const lookEvery = 30 * time.Second

// run folds every partition: until ctx ends, or with once up to where the partitions end now.
func (p *pipeline) run(ctx context.Context, once bool) error {
	group, ctx := errgroup.WithContext(ctx)
	started := map[stream.TopicPartition]bool{}
	ends, err := p.until(ctx)
	if err != nil {
		return fmt.Errorf("cannot ask the broker where the topics end: %w", err)
	}
	p.start(ctx, group, started, ends, once)
	for !once && wait(ctx, lookEvery) {
		if ends, err = p.until(ctx); err != nil {
			p.log.Warn("cannot look for new partitions; trying again", "err", err)
			continue
		}
		p.start(ctx, group, started, ends, once)
	}
	return group.Wait()
}

// start starts the loops of the partitions that have none yet.
func (p *pipeline) start(ctx context.Context, group *errgroup.Group, started map[stream.TopicPartition]bool, ends map[stream.TopicPartition]int64, once bool) {
	for tp, end := range ends {
		if started[tp] {
			continue
		}
		options := p.options
		options.Once, options.Until, options.Logger = once, end, p.log
		started[tp] = true
		group.Go(func() error { return p.fold(ctx, tp, options) })
	}
}

// share folds the partitions that a consumer group gives to this pipeline, until ctx ends.
func (p *pipeline) share(ctx context.Context, group kafka.Group) error {
	group.Config = p.kafka
	options := p.options
	options.Logger = p.log
	return group.Run(ctx, func(ctx context.Context, tp stream.TopicPartition) error { return p.fold(ctx, tp, options) })
}

// wait reports whether the time went by before ctx ended.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// fold runs a partition's loop, again whenever another owner took its lease.
func (p *pipeline) fold(ctx context.Context, tp stream.TopicPartition, options stream.LoopOptions) error {
	for {
		err := p.loop(ctx, tp, options)
		if !errors.Is(err, stream.ErrSuperseded) {
			return err
		}
		if ctx.Err() != nil {
			return nil // it is another's now
		}
		p.log.Warn("the lease was taken; acquiring it again", "topic", tp.Topic, "partition", tp.Partition)
	}
}

func (p *pipeline) loop(ctx context.Context, tp stream.TopicPartition, options stream.LoopOptions) error {
	reader, err := kafka.NewReader(p.kafka, tp)
	if err != nil {
		return err
	}
	defer reader.Close()
	fold := aggregate.NewFold(tp, p.rules, mallocator.NewMallocator())
	defer fold.Close()
	var log stream.Log = reader
	if p.guard != nil {
		log = p.guard(tp, reader, func() int64 { return fold.Status().Open })
	}
	loop := stream.Loop[aggregate.Delta]{Partition: tp, Log: log, Fold: fold, Sink: p.house,
		Release: aggregate.Delta.Release, Options: options, Observe: p.observe}
	if p.sink != nil {
		loop.Sink = p.sink
	}
	return loop.Run(ctx)
}
