package producer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
)

// run is the goroutine that talks to the brokers. ctx ends when waiting has no more point.
func (c *Client) run(ctx context.Context) {
	defer close(c.done)
	w := c.connect(ctx)
	if w != nil {
		c.serve(ctx, w)
	}
	before := c.dropped.Load()
	c.abandon()
	last := <-c.final
	if w != nil {
		c.err = w.Close(last)
	}
	if lost := c.dropped.Load() - before; lost > 0 {
		c.err = errors.Join(fmt.Errorf("%d events were dropped at the close: the brokers did not take them in time", lost), c.err)
	}
}

// connect tries until the brokers are there; nil when ctx ended first.
func (c *Client) connect(ctx context.Context) *kafka.Writer {
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		w, err := kafka.NewWriter(ctx, c.o.Kafka, kafka.WriterOptions{BufferBytes: c.o.BufferBytes})
		c.note(err)
		if err == nil {
			return w
		}
		t := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			t.Stop()
			return nil
		case <-t.C:
		}
	}
}

// serve sends parcels and keeps the times until the client is closed.
func (c *Client) serve(ctx context.Context, w *kafka.Writer) {
	linger, heart := time.NewTicker(c.o.Linger), time.NewTicker(c.o.Heartbeat)
	defer linger.Stop()
	defer heart.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case p, more := <-c.parcels.full:
			if !more {
				return
			}
			c.send(ctx, w, p)
		case now := <-linger.C:
			c.passOld(now)
		case now := <-heart.C:
			c.beat(now)
		}
	}
}

func (c *Client) passOld(now time.Time) {
	for _, l := range c.lines {
		l.passOld(now, c.o.Linger)
	}
}

func (c *Client) beat(now time.Time) {
	for _, l := range c.lines {
		l.beat(now)
	}
}

// send hands a parcel to the writer, waiting for room.
func (c *Client) send(ctx context.Context, w *kafka.Writer, p parcel) {
	n := int64(p.events.Len())
	err := w.Send(ctx, kafka.Message{
		Topic:       p.line.topic,
		Key:         p.line.key,
		Value:       p.events.AppendTo(make([]byte, 0, p.events.Size())),
		ContentType: stream.ContentColumns,
		Timestamp:   time.Now(),
		Done:        func(err error) { c.settle(n, err) },
	})
	c.parcels.back(p.events)
	if err != nil {
		c.settle(n, err)
	}
}

// settle counts n events as sent or dropped.
func (c *Client) settle(n int64, err error) {
	c.note(err)
	if err != nil {
		c.dropped.Add(n)
		return
	}
	c.sent.Add(n)
}

// abandon counts the parcels that are left as dropped.
func (c *Client) abandon() {
	for p := range c.parcels.full {
		c.dropped.Add(int64(p.events.Len()))
	}
}

func (c *Client) note(err error) {
	if err == nil {
		c.trouble.Store(nil)
		return
	}
	text := err.Error()
	c.trouble.Store(&text)
}
