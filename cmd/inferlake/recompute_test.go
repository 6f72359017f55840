//go:build !race

package main

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/producer"
	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/simulate"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
	"github.com/inferlake/inferlake/warehouse"
)

// Each figure of the reports about requests, of a simulated hour, is what a plain program computes from the raw events:
// testdata/recompute.py. So it is when one tenant's answers are twice as long, and then nothing moves but what must;
// when the engines send no samples and no step runs, and then what they alone know is unknown, not 0 (W20); and, read from windows, when the
// facts are gone: percentiles within 1 %, sums and concurrency exactly.
func TestReportsRecomputed(t *testing.T) {
	events := simulatedHour(t)
	want := recomputed(t, events)
	loaded(t, events).recompare(want)

	t.Run("twice the output tokens of a tenant", func(t *testing.T) {
		tenant, doubled := doubleOutput(events)
		again := recomputed(t, doubled)
		loaded(t, doubled).recompare(again)
		checkMoves(t, want, again, tenant)
	})
	t.Run("no engine samples", func(t *testing.T) {
		left := without(events, stream.KindEngine, stream.KindStep)
		house := loaded(t, left)
		house.recompare(recomputed(t, left))
		for report, columns := range onlyEngines {
			house.unknown(report, strings.Fields(columns))
		}
	})
	t.Run("no facts", func(t *testing.T) {
		left := loadedThrough(t, events, func(s stream.Sink[aggregate.Delta]) stream.Sink[aggregate.Delta] { return factless{s} })
		if rows := left.rows("SELECT count(*) FROM v1.requests"); rows[0] != "0" {
			t.Errorf("there are %s facts", rows[0])
		}
		for _, q := range want {
			if !q.needsFacts() {
				left.compare(q)
			}
		}
	})
}

// onlyEngines are the columns of what is known from engine samples and step runs alone, by report.
var onlyEngines = map[string]string{
	"queue_batch": `engines waiting_mean waiting_max running_mean running_max batch_sequences batch_max max_sequences batch_ratio
		batch_tokens max_batched_tokens token_ratio queued_ratio with_room at_sequences at_kv at_tokens`,
	"llm":            "waiting_mean batch_mean batch_max kv_mean kv_max",
	"reconciliation": "counter difference difference_ratio",
	"prefill_decode": "chunks",
}

// simulatedHour is what a simulated fleet tells of an hour in 2026.
func simulatedHour(t *testing.T) (events []*stream.Event) {
	t.Helper()
	options := simulate.Options{End: time.Date(2026, 1, 2, 1, 0, 0, 0, time.UTC), Hours: 1, Requests: 8000, Seed: 1}
	_, err := simulate.Day(t.Context(), options, func(e *stream.Event) error {
		events = append(events, copied(e))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func copied(e *stream.Event) *stream.Event {
	c := new(stream.Event)
	e.CopyTo(c)
	return c
}

// doubleOutput makes the answers of the tenant of the first request twice as long.
func doubleOutput(events []*stream.Event) (tenant int64, doubled []*stream.Event) {
	for _, e := range events {
		e = copied(e)
		if t, ok := e.Int(stream.RequestTenant); ok && e.Kind == stream.KindRequest {
			if tenant == 0 {
				tenant = t
			}
			if n, ok := e.Int(stream.RequestOutputTokens); ok && t == tenant {
				e.SetInt(stream.RequestOutputTokens, 2*n)
			}
		}
		doubled = append(doubled, e)
	}
	return tenant, doubled
}

func without(events []*stream.Event, kinds ...stream.Kind) (left []*stream.Event) {
	for _, e := range events {
		if e.Kind != kinds[0] && e.Kind != kinds[1] {
			left = append(left, e)
		}
	}
	return left
}

// loaded sends events through Kafka and the fold into a fresh warehouse.
func loaded(t *testing.T, events []*stream.Event) openedHouse {
	t.Helper()
	return loadedThrough(t, events, func(s stream.Sink[aggregate.Delta]) stream.Sink[aggregate.Delta] { return s })
}

func loadedThrough(t *testing.T, events []*stream.Event, way func(stream.Sink[aggregate.Delta]) stream.Sink[aggregate.Delta]) openedHouse {
	t.Helper()
	dir := folder(t.TempDir())
	if err := dir.make(); err != nil {
		t.Fatal(err)
	}
	house := openHouse(t, dir.warehouse())
	err := errors.Join(house.SetPrices(t.Context(), demoPrices), send(t.Context(), dir, house.Warehouse, way(house.Warehouse), events))
	if err != nil {
		t.Fatal(err)
	}
	return house
}

// factless passes everything on but the rows of requests, as if they had expired.
type factless struct{ stream.Sink[aggregate.Delta] }

func (s factless) Commit(ctx context.Context, b stream.Batch[aggregate.Delta]) (stream.Answer, error) {
	var kept []aggregate.TableRows
	for _, rows := range b.Delta.Rows {
		if rows.Table != aggregate.Requests {
			kept = append(kept, rows)
		}
	}
	b.Delta.Rows = kept
	return s.Sink.Commit(ctx, b)
}

func send(ctx context.Context, dir folder, house *warehouse.Warehouse, sink stream.Sink[aggregate.Delta], events []*stream.Event) (err error) {
	broker, err := kafkaSettings{Partitions: 4, Retention: 1e5 * time.Hour}.open(ctx, dir, embedded.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, broker.Close()) }()
	sender, err := producer.NewSender(ctx, producer.SenderOptions{Kafka: broker.Config, Topic: lifecycle.Topic,
		Stamp: func(e *stream.Event) time.Time { return time.Unix(0, e.Num(stream.EventTimeUnixNano)) }})
	if err != nil {
		return err
	}
	for _, e := range events {
		err = errors.Join(err, sender.Emit(ctx, e))
	}
	if err := errors.Join(err, sender.Close(ctx)); err != nil {
		return err
	}
	pipe := &pipeline{house: house, sink: sink, kafka: broker.Config, log: slog.New(slog.DiscardHandler), observe: func(stream.Committed) {},
		options: stream.LoopOptions{SnapshotEvery: time.Hour, SnapshotEvents: 1 << 40, CommitEvery: time.Second}}
	if err := pipe.run(ctx, true); err != nil {
		return err
	}
	return house.Rollup(ctx)
}
