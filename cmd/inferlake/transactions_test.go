package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/inferlake/inferlake/cmd/inferlake/proof"
)

const (
	transactionEvery = 300 * time.Millisecond
	transactionTries = 500
)

// transactions send records in Kafka transactions, so that the log has commit markers, and records of aborted ones.
// One whose end is in doubt is sent again: the fold knows its events by their numbers.
type transactions struct {
	brokers string
	cl      *kgo.Client // nil: none that works
	last    time.Time

	mu        sync.Mutex
	committed []time.Time
	count     int
	again     int // transactions that were sent again
}

func (x *transactions) due() bool { return time.Since(x.last) > transactionEvery }

// send returns when the records are committed.
func (x *transactions) send(ctx context.Context, records []proof.Record) (err error) {
	for range transactionTries {
		if err = x.try(ctx, records); err == nil || ctx.Err() != nil {
			break
		}
		x.close()
		x.mu.Lock()
		x.again++
		x.mu.Unlock()
		time.Sleep(50 * time.Millisecond)
	}
	x.last = time.Now()
	return err
}

func (x *transactions) try(ctx context.Context, records []proof.Record) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if x.cl == nil {
		x.cl, err = kgo.NewClient(kgo.SeedBrokers(x.brokers), kgo.TransactionalID("load"), kgo.TransactionTimeout(5*time.Second),
			kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.RetryTimeout(3*time.Second), kgo.RecordRetries(3), kgo.DisableClientMetrics())
		if err != nil {
			return err
		}
	}
	if err := x.cl.BeginTransaction(); err != nil {
		return err
	}
	var all []*kgo.Record
	for i := range records {
		r := &records[i]
		all = append(all, &kgo.Record{Topic: r.Topic, Partition: r.Partition, Key: []byte(r.Key), Value: r.Value, Timestamp: time.Unix(0, r.Timestamp),
			Headers: []kgo.RecordHeader{{Key: "content-type", Value: []byte(r.ContentType)}}})
	}
	if err := x.cl.ProduceSync(ctx, all...).FirstErr(); err != nil {
		return err
	}
	if err := x.cl.EndTransaction(ctx, kgo.TryCommit); err != nil {
		return err
	}
	x.noted()
	return nil
}

func (x *transactions) noted() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.count++
	x.committed = append(x.committed, time.Now())
}

// recent is how many were committed in the last second, about what is not durable in the warehouse with a state.
func (x *transactions) recent() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	for len(x.committed) > 0 && time.Since(x.committed[0]) > time.Second {
		x.committed = x.committed[1:]
	}
	return len(x.committed)
}

func (x *transactions) String() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return fmt.Sprintf("%d transactions committed, %d sent again because their end was in doubt", x.count, x.again)
}

func (x *transactions) close() {
	if x.cl != nil {
		x.cl.Close()
		x.cl = nil
	}
}
