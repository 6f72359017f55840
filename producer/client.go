package producer

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inferlake/inferlake/stream"
)

// rank is that of a process that speaks for itself: the highest.
const rank = 3

// Client sends what happens in one serving process. Its methods are safe for concurrent use, and none but Close
// waits for anything.
//
// C1. Every event of a lane takes the lane's next seq, also one that is dropped: loss is a gap.
// C2. A lane's events leave in the order of their seq.
// C3. Every lane heartbeats with its last seq, and says stopped when the client is closed.
type Client struct {
	o       Options
	start   time.Time // origin of the monotonic clock
	ordinal atomic.Int64
	parcels parcels

	requests []*line
	engines  *line
	gpus     *line
	infra    *line
	lines    []*line // all of them

	sketches sync.Pool
	dropped  atomic.Int64
	sent     atomic.Int64
	trouble  atomic.Pointer[string]

	stop  context.CancelFunc
	close sync.Once
	done  chan struct{}
	final chan context.Context
	err   error // of closing; valid after done
}

// New starts a client. It does not wait for the brokers: until they are reachable events gather in the buffer.
// An error is one of the options.
func New(o Options) (*Client, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	c := &Client{o: o, start: time.Now(), done: make(chan struct{}), final: make(chan context.Context, 1)}
	c.sketches.New = func() any { return new(sketch) }
	for i := range o.Lanes {
		c.requests = append(c.requests, c.line(stream.TopicRequests, int64(i)))
	}
	c.engines, c.gpus, c.infra = c.line(stream.TopicEngines, 0), c.line(stream.TopicGPUs, 0), c.line(stream.TopicInfra, 0)
	c.parcels.limit(max(o.BufferEvents/batchEvents, 8), len(c.lines))
	for _, l := range c.requests {
		l.beat(c.start)
	}
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	go c.run(ctx)
	return c, nil
}

// Boot is the id of this run of the process.
func (c *Client) Boot() string { return c.o.Boot }

// Stats is what became of a client's events.
type Stats struct {
	Sent    int64  // acknowledged by the brokers
	Dropped int64  // no room, or given up
	Trouble string // why events could not be sent lately; "" when they could
}

// Stats counts the client's events so far.
func (c *Client) Stats() Stats {
	s := Stats{Sent: c.sent.Load(), Dropped: c.dropped.Load()}
	if t := c.trouble.Load(); t != nil {
		s.Trouble = *t
	}
	return s
}

// Close says stopped on every lane, sends what waits and ends the connection. When ctx ends first, the rest is
// dropped and Close says how much; a ctx without an end waits for the brokers however long. Events after Close are
// dropped.
func (c *Client) Close(ctx context.Context) error {
	c.close.Do(func() {
		for _, l := range c.lines {
			l.end()
		}
		c.parcels.end()
		c.final <- ctx
		defer context.AfterFunc(ctx, c.stop)()
		<-c.done
		c.stop()
	})
	<-c.done
	return c.err
}

// mono is the time since the client started, ns.
func (c *Client) mono(now time.Time) int64 { return int64(now.Sub(c.start)) }

// laneOf derives the lane from the request id (FNV-1a).
func (c *Client) laneOf(id string) *line {
	h := uint64(14695981039346656037)
	for i := 0; i < len(id); i++ {
		h = (h ^ uint64(id[i])) * 1099511628211
	}
	return c.requests[h%uint64(len(c.requests))]
}
