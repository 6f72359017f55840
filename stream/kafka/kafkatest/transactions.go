// Package kafkatest sends to a Kafka in ways in which the product does not, for tests. There is one noun, Transactions.
package kafkatest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	transactionEvery = 300 * time.Millisecond
	transactionTries = 500
)

// Record is a record for a partition.
type Record struct {
	Topic       string
	Partition   int32
	Key, Value  []byte
	ContentType string
	Timestamp   time.Time
}

// Transactions send records in Kafka transactions, so that the log has commit markers, and records of aborted ones.
// One whose end is in doubt is sent again: the fold knows its events by their numbers.
type Transactions struct {
	Broker string // host:port
	Name   string // what the transactional ids begin with

	cl      *kgo.Client // nil: none that works
	last    time.Time
	clients int // that there were

	mu        sync.Mutex
	committed []time.Time
	count     int
	again     int // transactions that were sent again
}

// Due says that the last transaction was some time ago.
func (x *Transactions) Due() bool { return time.Since(x.last) > transactionEvery }

// Send returns when the records are committed.
func (x *Transactions) Send(ctx context.Context, records []Record) (err error) {
	for range transactionTries {
		if err = x.try(ctx, records); err == nil || ctx.Err() != nil {
			break
		}
		x.Close()
		x.mu.Lock()
		x.again++
		x.mu.Unlock()
		time.Sleep(50 * time.Millisecond)
	}
	x.last = time.Now()
	return err
}

func (x *Transactions) try(ctx context.Context, records []Record) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if x.cl == nil {
		x.clients++ // another id: see what package embedded says of transactions that are open at a kill
		x.cl, err = kgo.NewClient(kgo.SeedBrokers(x.Broker), kgo.TransactionalID(fmt.Sprint(x.Name, "-", x.clients)), kgo.TransactionTimeout(5*time.Second),
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
		all = append(all, &kgo.Record{Topic: r.Topic, Partition: r.Partition, Key: r.Key, Value: r.Value, Timestamp: r.Timestamp,
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

func (x *Transactions) noted() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.count++
	x.committed = append(x.committed, time.Now())
}

// Recent is how many were committed in the last second, about what is not durable in the warehouse with a state.
func (x *Transactions) Recent() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	for len(x.committed) > 0 && time.Since(x.committed[0]) > time.Second {
		x.committed = x.committed[1:]
	}
	return len(x.committed)
}

func (x *Transactions) String() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return fmt.Sprintf("%d transactions committed, %d sent again because their end was in doubt", x.count, x.again)
}

// Close ends the connection; a transaction that is open stays open.
func (x *Transactions) Close() {
	if x.cl != nil {
		x.cl.Close()
		x.cl = nil
	}
}
