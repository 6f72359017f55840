package producer

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
)

// ErrClosed is returned by a Sender that was closed.
var ErrClosed = errors.New("the sender is closed")

const (
	batchEvents  = 512
	batchBytes   = 64 << 10
	senderLinger = 50 * time.Millisecond
)

// SenderOptions are a Sender's settings; the zero value is usable.
type SenderOptions struct {
	Kafka    kafka.Config
	Encoding Encoding
	// BatchEvents and BatchBytes end a record of Columns; 0 means 512 and 64 KiB.
	BatchEvents int
	BatchBytes  int
	// Linger is how long an event may wait for others; 0 means 50 ms.
	Linger time.Duration
	// Stamp gives the time of sending that an event pretends to have: a record carries the greatest of its events.
	// Nil means the true time of sending.
	Stamp func(*stream.Event) time.Time
	// StampLinger is Linger in pretended time: when so much of it has passed, all lanes send what waits, so that a slow lane
	// is not behind the others. 0 means never. Events then come in order of time.
	StampLinger time.Duration
	// Topic says where an event goes; nil goes by its kind. A producer with lanes for samples needs it for heartbeats.
	Topic func(*stream.Event) string
	// BufferBytes is how much may wait for the brokers before Emit waits; 0 means 64 MiB.
	BufferBytes int64
}

func (o SenderOptions) withDefaults() SenderOptions {
	if o.BatchEvents <= 0 {
		o.BatchEvents = batchEvents
	}
	if o.BatchBytes <= 0 {
		o.BatchBytes = batchBytes
	}
	if o.Linger <= 0 {
		o.Linger = senderLinger
	}
	if o.Topic == nil {
		o.Topic = topicOf
	}
	if o.Encoding != Columns {
		o.BatchEvents = 1
	}
	return o
}

// Sender sends events and loses none: Emit waits when the brokers do not keep up. The order of a lane's events is
// kept on each topic. It is safe for concurrent use.
type Sender struct {
	o    SenderOptions
	w    *kafka.Writer
	stop context.CancelFunc
	done chan struct{}

	passed atomic.Int64 // ns since 1970: pretended time at which all lanes sent last

	mu     sync.RWMutex
	lanes  map[laneID]*lane
	closed bool
	err    error // of sending in the background
}

// laneID names a lane on one topic.
type laneID struct {
	topic, producer string
	lane            int64
}

// NewSender connects. Topics that do not exist are an error.
func NewSender(ctx context.Context, o SenderOptions) (*Sender, error) {
	o = o.withDefaults()
	w, err := kafka.NewWriter(ctx, o.Kafka, kafka.WriterOptions{BufferBytes: o.BufferBytes})
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.Background())
	s := &Sender{o: o, w: w, stop: stop, done: make(chan struct{}), lanes: make(map[laneID]*lane)}
	go s.linger(running)
	return s, nil
}

// Emit sends one event; it may wait, and keeps nothing of e. On a lane and topic whose events come without seq, each
// gets the next one of its boot. An error says that events could not be sent in time or were given up; e itself was
// taken (but by a closed sender), and goes with a later Emit or Flush.
func (s *Sender) Emit(ctx context.Context, e *stream.Event) error {
	if err := s.keepInStep(ctx, e); err != nil {
		return err
	}
	l, err := s.lane(laneID{s.o.Topic(e), e.Text(stream.EventProducer), e.Num(stream.EventLane)})
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return ErrClosed
	}
	l.add(e, s.o.Stamp)
	if !full(l.events, s.o.BatchEvents, s.o.BatchBytes) {
		return nil
	}
	return s.cut(ctx, l)
}

// keepInStep sends what waits on all lanes when the pretended time says so.
func (s *Sender) keepInStep(ctx context.Context, e *stream.Event) error {
	if s.o.Stamp == nil || s.o.StampLinger <= 0 {
		return nil
	}
	now, last := s.o.Stamp(e).UnixNano(), s.passed.Load()
	if now < last+s.o.StampLinger.Nanoseconds() || !s.passed.CompareAndSwap(last, now) || last == 0 {
		return nil
	}
	return s.cutAll(ctx, 0, false)
}

// Flush sends what was emitted and waits until the brokers have it.
func (s *Sender) Flush(ctx context.Context) error {
	if err := s.cutAll(ctx, 0, false); err != nil {
		return err
	}
	return s.w.Flush(ctx)
}

// Close flushes and ends the connection. What the brokers do not have when ctx ends is lost, and Close says so.
func (s *Sender) Close(ctx context.Context) error {
	s.mu.Lock()
	already := s.closed
	s.closed = true
	s.mu.Unlock()
	if already {
		return ErrClosed
	}
	s.stop()
	<-s.done
	return errors.Join(s.cutAll(ctx, 0, true), s.w.Close(ctx))
}

// linger sends what has waited long enough.
func (s *Sender) linger(ctx context.Context) {
	defer close(s.done)
	t := time.NewTicker(s.o.Linger)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := s.cutAll(ctx, s.o.Linger, false); err != nil && ctx.Err() == nil {
				s.fail(err)
			}
		}
	}
}

func (s *Sender) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}
