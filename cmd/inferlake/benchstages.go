package main

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/memory/mallocator"
	"golang.org/x/sync/errgroup"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
)

// stageUsage is the CPU time of the pipeline up to and with a stage, ns an event. The stages are measured by passes
// over the same log that each do one more.
type stageUsage struct {
	Name string  `json:"stage"`
	CPU  float64 `json:"cpu_ns_per_event_up_to_here"`
}

// handler takes the records of a partition, fetch by fetch. They are valid during the call.
type handler func(records []stream.Record)

// passes are what each pass does with a partition's records, and what ends it.
var passes = []struct {
	name string
	make func(stream.TopicPartition) (do handler, end func())
}{
	{"consume", func(stream.TopicPartition) (handler, func()) { return func([]stream.Record) {}, func() {} }},
	{"decode", decodePass},
	{"fold", foldPass},
}

func decodePass(stream.TopicPartition) (handler, func()) {
	var d stream.Decoder
	refused := 0
	take := func(_ int32, _ *stream.Event, why stream.Reason) {
		if why != stream.Accepted {
			refused++
		}
	}
	return decodeEach(&d, take), func() {}
}

func decodeEach(d *stream.Decoder, take func(int32, *stream.Event, stream.Reason)) handler {
	return func(records []stream.Record) {
		for i := range records {
			d.Decode(&records[i], take)
		}
	}
}

// foldPass folds and cuts, and drops the rows. As a loop does, it lets the fold know of a few events ahead.
func foldPass(tp stream.TopicPartition) (handler, func()) {
	fold := aggregate.NewFold(tp, aggregate.Rules{}, mallocator.NewMallocator())
	ahead := foldAhead{to: fold}
	var d stream.Decoder
	var rec *stream.Record
	take := func(index int32, e *stream.Event, why stream.Reason) {
		if why == stream.Accepted {
			ahead.add(e, stream.Position{Offset: rec.Offset, Index: index}, rec.Timestamp)
		}
	}
	return func(records []stream.Record) {
		for i := range records {
			rec = &records[i]
			d.Decode(rec, take)
		}
		ahead.fold() // their bytes are gone at the next read
		if fold.Pending() > 4*122_880 {
			fold.Cut().Release()
		}
	}, func() { fold.Cut().Release(); fold.Close() }
}

// stages measures the passes over the part behind the ramp.
func (b *benchLog) stages(ctx context.Context) (all []stageUsage, err error) {
	for _, pass := range passes {
		u, err := b.pass(ctx, pass.make)
		if err != nil {
			return nil, fmt.Errorf("stage %s: %w", pass.name, err)
		}
		all = append(all, stageUsage{pass.name, u.perEvent(b.events())})
	}
	return all, nil
}

// pass reads all partitions, each in a goroutine of its own, and measures behind the ramp.
func (b *benchLog) pass(ctx context.Context, makeHandler func(stream.TopicPartition) (handler, func())) (u usage, err error) {
	var watch stopwatch
	g := newGate(b.ramp, func() { watch = startWatch() })
	group, ctx := errgroup.WithContext(ctx)
	for tp, end := range b.ends {
		group.Go(func() error {
			reader, err := kafka.NewReader(b.broker.Config, tp)
			if err != nil {
				return err
			}
			defer reader.Close()
			do, done := makeHandler(tp)
			defer done()
			return readAll(ctx, g.guard(tp, reader, func() int64 { return 0 }), end, do)
		})
	}
	err = group.Wait()
	return watch.read(), err
}

// readAll gives all records up to an offset to do.
func readAll(ctx context.Context, log stream.Log, end int64, do handler) error {
	for at := int64(0); at < end; {
		fetch, err := log.Read(ctx, at)
		if err != nil {
			return err
		}
		do(fetch.Records)
		at = fetch.Next
	}
	return nil
}
