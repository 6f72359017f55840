package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"time"

	"github.com/inferlake/inferlake/cmd/inferlake/workload"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
)

// benchWorkload are the flags of the benchmarks that read a log.
type benchWorkload struct {
	Events   int64  `help:"Events that are measured." default:"6000000"`
	Open     int64  `help:"Requests that are open at any time, about." default:"112000"`
	Encoding string `help:"columns, protobuf or json." enum:"columns,protobuf,json" default:"protobuf"`
	Batch    int    `help:"Events a record, with columns." default:"512"`
}

func (o benchWorkload) options() workload.Options {
	return workload.Options{Open: o.Open, Batch: o.Batch, Encoding: o.Encoding}
}

// benchLog is a workload on an embedded broker, in a folder of its own.
type benchLog struct {
	folder folder
	broker *broker
	ramp   map[stream.TopicPartition]int64 // where the measured part begins
	ends   map[stream.TopicPartition]int64
	warm   int64 // events before it
	answer workload.Answer
}

// openLog fills a log.
func (o benchWorkload) openLog(ctx context.Context) (*benchLog, error) {
	dir, err := os.MkdirTemp("", "inferlake-bench-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a place for the benchmark: %w", err)
	}
	b := &benchLog{folder: folder(dir)}
	b.broker, err = kafkaSettings{Partitions: 4, Retention: 50 * 365 * 24 * time.Hour}.open(ctx, b.folder, embedded.Options{NoSync: true})
	if err == nil {
		err = b.fill(ctx, o)
	}
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (b *benchLog) Close() (err error) {
	if b.broker != nil {
		err = b.broker.Close()
	}
	return errors.Join(err, os.RemoveAll(string(b.folder)))
}

// fill writes the ramp, then what is measured.
func (b *benchLog) fill(ctx context.Context, o benchWorkload) error {
	load := workload.New(o.options())
	if err := b.write(ctx, load.Ramp); err != nil {
		return err
	}
	b.warm = load.Answer().Events
	var err error
	if b.ramp, err = b.now(ctx); err != nil {
		return err
	}
	if err := b.write(ctx, func(send func(stream.Record) error) error { return load.Steady(o.Events, send) }); err != nil {
		return err
	}
	b.answer = load.Answer()
	b.ends, err = b.now(ctx)
	return err
}

// events is how many are measured.
func (b *benchLog) events() int64 { return b.answer.Events - b.warm }

// write sends records and waits until the broker has them.
func (b *benchLog) write(ctx context.Context, records func(func(stream.Record) error) error) error {
	w, err := kafka.NewWriter(ctx, b.broker.Config, kafka.WriterOptions{})
	if err != nil {
		return err
	}
	err = records(func(r stream.Record) error {
		return w.Send(ctx, kafka.Message{Topic: stream.TopicRequests, Key: r.Key, Value: r.Value,
			ContentType: r.ContentType, Timestamp: time.Unix(0, r.Timestamp)})
	})
	return errors.Join(err, w.Close(ctx))
}

// now is where the topic's partitions end.
func (b *benchLog) now(ctx context.Context) (map[stream.TopicPartition]int64, error) {
	ends, err := (&pipeline{kafka: b.broker.Config}).until(ctx)
	maps.DeleteFunc(ends, func(tp stream.TopicPartition, _ int64) bool { return tp.Topic != stream.TopicRequests })
	return ends, err
}
