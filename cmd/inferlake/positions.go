package main

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
)

// tellEvery is how often the brokers hear how far the warehouse has come.
const tellEvery = 10 * time.Second

// positions collects the committed offsets and tells them to the brokers, for the tools that watch a group's lag. They
// are information only: where to go on is known to the warehouse alone.
type positions struct {
	group string

	mu   sync.Mutex
	next map[stream.TopicPartition]int64
}

func (p *positions) committed(c stream.Committed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next == nil {
		p.next = map[stream.TopicPartition]int64{}
	}
	p.next[c.Partition] = c.Next
}

// take returns what is new since the last call.
func (p *positions) take() map[stream.TopicPartition]int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := maps.Clone(p.next)
	clear(p.next)
	return next
}

// tell commits offsets until ctx ends. A broker that does not take them changes nothing.
func (p *positions) tell(ctx context.Context, config kafka.Config, warn func(string, ...any)) error {
	admin, err := kafka.NewAdmin(ctx, config)
	if err != nil {
		return err
	}
	defer admin.Close()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(tellEvery):
		}
		next := p.take()
		if len(next) == 0 {
			continue
		}
		if err := admin.CommitInformative(ctx, p.group, next); err != nil && ctx.Err() == nil {
			warn("cannot tell the broker the offsets; its view of the lag stays behind", "group", p.group, "err", err)
		}
	}
}
