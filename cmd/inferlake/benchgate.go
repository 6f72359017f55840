package main

import (
	"context"
	"sync"

	"github.com/inferlake/inferlake/stream"
)

// gate holds the partitions back where the measured part of a log begins, until all have come there: so the clock
// starts with the state that the ramp has built.
type gate struct {
	ramp map[stream.TopicPartition]int64
	open func() // called once, when all have come

	mu      sync.Mutex
	waiting int
	passed  chan struct{}
	least   map[stream.TopicPartition]int64 // requests open, at least
}

func newGate(ramp map[stream.TopicPartition]int64, open func()) *gate {
	return &gate{ramp: ramp, open: open, passed: make(chan struct{}), least: map[stream.TopicPartition]int64{}}
}

// guard puts the gate before a partition's log; it also watches how many requests are open at each read.
func (g *gate) guard(tp stream.TopicPartition, log stream.Log, open func() int64) stream.Log {
	if _, measured := g.ramp[tp]; !measured {
		return log
	}
	return &guarded{Log: log, gate: g, tp: tp, open: open}
}

type guarded struct {
	stream.Log
	gate  *gate
	tp    stream.TopicPartition
	open  func() int64
	begun bool
	least int64
}

func (l *guarded) Read(ctx context.Context, from int64) (stream.Fetch, error) {
	ramp := l.gate.ramp[l.tp]
	if !l.begun && from >= ramp {
		l.begun, l.least = true, l.open()
		if err := l.gate.wait(ctx); err != nil {
			return stream.Fetch{}, err
		}
	}
	if l.begun {
		l.note(l.open())
	}
	fetch, err := l.Log.Read(ctx, from)
	if !l.begun && err == nil {
		fetch = before(fetch, ramp)
	}
	return fetch, err
}

func (l *guarded) note(open int64) {
	l.least = min(l.least, open)
	l.gate.mu.Lock()
	l.gate.least[l.tp] = l.least
	l.gate.mu.Unlock()
}

// before is the part of a fetch below an offset; the reader is asked for the rest again.
func before(f stream.Fetch, end int64) stream.Fetch {
	for i, r := range f.Records {
		if r.Offset >= end {
			f.Records, f.Next = f.Records[:i], end
			break
		}
	}
	f.Next = min(f.Next, end)
	return f
}

func (g *gate) wait(ctx context.Context) error {
	g.mu.Lock()
	if g.waiting++; g.waiting == len(g.ramp) {
		g.open()
		close(g.passed)
	}
	g.mu.Unlock()
	select {
	case <-g.passed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leastOpen is a lower bound of how many requests were open at any time behind the gate.
func (g *gate) leastOpen() (sum int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, n := range g.least {
		sum += n
	}
	return sum
}
