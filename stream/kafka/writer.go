package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/semaphore"

	"github.com/inferlake/inferlake/stream"
)

const (
	defaultBuffer = 64 << 20
	linger        = 5 * time.Millisecond
	maxBatch      = 1_000_000 // bytes before compression; brokers refuse more by default
	unknownTopic  = 60        // tries, half a second apart, of a topic that is not there
	settleTime    = 5 * time.Second
)

// WriterOptions are a Writer's settings; the zero value is usable.
type WriterOptions struct {
	// Topics that will be written; their partition counts are fixed at the start. None means stream.Topics.
	Topics []string
	// BufferBytes is how much may wait for the brokers, 0 means 64 MiB.
	BufferBytes int64
}

// Writer sends records: idempotent, acknowledged by all in-sync replicas, lz4, in order per partition. It tries
// again as long as the brokers do not refuse; what waits is bounded. It is safe for concurrent use.
type Writer struct {
	cl     *kgo.Client
	counts map[string]int
	room   *semaphore.Weighted
	limit  int64

	mu     sync.Mutex
	failed int64
	first  error
}

// NewWriter connects and fixes the partition counts. A topic that does not exist is an error.
func NewWriter(ctx context.Context, conf Config, o WriterOptions) (*Writer, error) {
	if len(o.Topics) == 0 {
		o.Topics = stream.Topics
	}
	if o.BufferBytes <= 0 {
		o.BufferBytes = defaultBuffer
	}
	counts, err := partitionCounts(ctx, conf, o.Topics)
	if err != nil {
		return nil, err
	}
	cl, err := conf.dial(
		kgo.RecordPartitioner(pinned{kgo.StickyKeyPartitioner(nil), counts}),
		kgo.ProducerBatchCompression(kgo.Lz4Compression(), kgo.NoCompression()),
		kgo.ProducerBatchMaxBytes(maxBatch),
		kgo.ProducerLinger(linger),
		kgo.MaxBufferedRecords(1<<30), // the writer's own bound is in bytes
		kgo.UnknownTopicRetries(unknownTopic),
		kgo.AlwaysRetryEOF(), // a broker that dies on a new connection's first request: the settings have just been tried
	)
	if err != nil {
		return nil, err
	}
	return &Writer{cl: cl, counts: counts, room: semaphore.NewWeighted(o.BufferBytes), limit: o.BufferBytes}, nil
}

func partitionCounts(ctx context.Context, conf Config, topics []string) (map[string]int, error) {
	adm, err := NewAdmin(ctx, conf)
	if err != nil {
		return nil, err
	}
	defer adm.Close()
	counts := make(map[string]int, len(topics))
	for _, t := range topics {
		if counts[t], err = adm.Partitions(ctx, t); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// Send hands a record over, waiting for room. A later failure to deliver it is told by Flush and Err.
func (w *Writer) Send(ctx context.Context, m Message) error {
	if err := w.check(&m); err != nil {
		return err
	}
	if err := w.room.Acquire(ctx, m.size()); err != nil {
		return fmt.Errorf("no room for a record of %s, the brokers do not keep up: %w", m.Topic, err)
	}
	w.produce(&m)
	return nil
}

// TrySend is Send without waiting. It reports false, and does nothing, when there is no room.
func (w *Writer) TrySend(m Message) bool {
	if w.check(&m) != nil || !w.room.TryAcquire(m.size()) {
		return false
	}
	w.produce(&m)
	return true
}

func (w *Writer) check(m *Message) error {
	if _, ok := w.counts[m.Topic]; !ok {
		return fmt.Errorf("topic %q is not among the topics of this writer", m.Topic)
	}
	if m.size() > min(w.limit, maxBatch) {
		return fmt.Errorf("record of %d bytes for %s is too large: at most %d", len(m.Value), m.Topic, min(w.limit, maxBatch))
	}
	return nil
}

// produce does not wait: room was taken, and the context of a Send ends no record that was accepted.
func (w *Writer) produce(m *Message) {
	n, topic, done := m.size(), m.Topic, m.Done
	w.cl.Produce(context.Background(), m.record(), func(_ *kgo.Record, err error) {
		if err != nil {
			w.fail(topic, err)
		}
		if done != nil {
			done(err)
		}
		w.room.Release(n)
	})
}

func (w *Writer) fail(topic string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed++
	if w.first == nil {
		w.first = fmt.Errorf("record for %s: %w", topic, err)
	}
}

// Failed is how many records were given up.
func (w *Writer) Failed() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

// Err says that records were given up, and why the first one was; nil when none was.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first == nil {
		return nil
	}
	return fmt.Errorf("%d records were not delivered, the first: %w", w.failed, w.first)
}

// Flush waits until every record sent before was acknowledged or given up.
func (w *Writer) Flush(ctx context.Context) error {
	if err := w.cl.Flush(ctx); err != nil {
		return fmt.Errorf("%d records still wait for the brokers: %w", w.cl.BufferedProduceRecords(), err)
	}
	return w.Err()
}

// Close flushes and ends the connection. What is not acknowledged when ctx ends is given up, which its Done has been
// told when Close returns.
func (w *Writer) Close(ctx context.Context) error {
	err := w.Flush(ctx)
	w.cl.Close()
	settled, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	if late := w.room.Acquire(settled, w.limit); late != nil { // the whole room is free when nothing is left
		return errors.Join(err, fmt.Errorf("records are in doubt: %w", late))
	}
	w.room.Release(w.limit)
	return err
}
