package main

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow/memory/mallocator"
	"golang.org/x/sync/errgroup"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
)

// refold folds the topics again from nothing into the pipeline's warehouse, which must be a fresh one, under the ledger
// that another warehouse recorded. By I1 the two then hold the same rows.
func (p *pipeline) refold(ctx context.Context, recorded map[stream.TopicPartition]stream.Lease) error {
	group, ctx := errgroup.WithContext(ctx)
	for tp, lease := range recorded {
		group.Go(func() error { return p.refoldOne(ctx, tp, lease) })
	}
	return group.Wait()
}

func (p *pipeline) refoldOne(ctx context.Context, tp stream.TopicPartition, recorded stream.Lease) error {
	reader, err := kafka.NewReader(p.kafka, tp)
	if err != nil {
		return err
	}
	defer reader.Close()
	fold := aggregate.NewFold(tp, p.rules, mallocator.NewMallocator())
	defer fold.Close()
	loop := stream.Loop[aggregate.Delta]{Partition: tp, Log: reader, Fold: fold, Sink: p.house,
		Release: aggregate.Delta.Release, Options: p.options, Observe: p.observe}
	return loop.Refold(ctx, recorded)
}
