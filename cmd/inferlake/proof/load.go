package proof

import (
	"container/heap"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/inferlake/inferlake/stream"
)

const (
	millisecond = int64(1e6)
	second      = int64(1e9)
	minute      = 60 * second

	// Start is the first moment of a load's time, ns: 2025-01-01. It is fixed, so that a seed says everything.
	Start = 1_735_689_600 * second
	// Broken is the send time of records whose producer's clock is broken, ns: the year 2090.
	Broken = 3_786_912_000 * second

	step = 100 * millisecond // load moves its time on by
)

// Partitions is the number of partitions that a load's ledger counts with.
const Partitions = 4

// Options say how much there is. The zero value is a load with more than a thousand requests open at any time.
type Options struct {
	Seed    uint64
	Engines int     // default 6
	Rate    float64 // requests a second of load time; default 60
	Life    float64 // seconds that a request lives on average; default 40
	Classes int     // request classes; default a few
	Repeats float64 // share of events that are sent again when their request has long been closed; default none
	Memory  float64 // seconds that a closed request is remembered, with Repeats
}

func (o Options) withDefaults() Options {
	if o.Engines == 0 {
		o.Engines = 6
	}
	if o.Rate == 0 {
		o.Rate = 60
	}
	if o.Life == 0 {
		o.Life = 40
	}
	return o
}

// Load is a fleet at work. Each Step moves its time on and returns what is sent meanwhile.
//
// Everything passes two queues: what happens, by its time, where it gets its sequence number; and what was said, by
// the time at which it is sent. So a lane's numbers are in order when given and out of order when they arrive.
type Load struct {
	o       Options
	rng     *rand.Rand
	now     int64
	engines []*engine
	happen  queue
	send    queue
	seqs    map[lane]int64
	ledger  ledger
	watch   watch
	stopped bool
	planned int
}

// lane is where sequence numbers are contiguous.
type lane struct {
	topic, producer, boot string
	lane                  int64
}

// NewLoad returns the load at its start. The ledger gets a line for every event that is sent, in the order of sending.
func NewLoad(o Options, to io.Writer) *Load {
	o = o.withDefaults()
	l := &Load{o: o, rng: rand.New(rand.NewPCG(o.Seed, 2)), now: Start, seqs: map[lane]int64{}, ledger: ledger{w: to}, watch: newWatch()}
	for i := range o.Engines {
		l.engines = append(l.engines, newEngine(l, i))
	}
	return l
}

// Now is the load's time, ns.
func (l *Load) Now() int64 { return l.now }

// Err is the first error in writing the ledger.
func (l *Load) Err() error { return l.ledger.err }

// Step moves time on and returns the records sent in it, in order.
func (l *Load) Step() []Record {
	l.now += step
	if !l.stopped {
		for _, e := range l.engines {
			e.live()
		}
	}
	for l.happen.due(l.now) {
		l.say(l.happen.next())
	}
	return l.ship()
}

// Finish ends the load: nothing begins any more, and what was said is sent. What would have happened later never does.
func (l *Load) Finish() (records []Record) {
	l.stopped, l.happen = true, nil
	for len(l.send) > 0 {
		records = append(records, l.Step()...)
	}
	return records
}

// at plans an event: it happens at its time, or at another one for events that lie about it.
func (l *Load) at(t int64, e *stream.Event) { heap.Push(&l.happen, item{t, l.order(), said{event: e}}) }

// order keeps what happens at the same time in the order in which it was planned.
func (l *Load) order() int {
	l.planned++
	return l.planned
}

// say gives an event its number and decides on its way: most take a moment, some come late, twice, or never.
func (l *Load) say(s said) {
	e := s.event
	key := lane{topicOf(e), e.Text(stream.EventProducer), e.Text(stream.EventBoot), e.Num(stream.EventLane)}
	if heartbeat(e) {
		if n := l.seqs[key]; n > 0 {
			e.SetInt(stream.InstanceLastSeq, n-1)
		}
	} else {
		e.SetInt(stream.EventSeq, l.seqs[key])
		l.seqs[key]++
	}
	if l.chance(0.001) {
		return // lost on its way: a gap
	}
	l.transmit(s, l.delay())
	s.again = true
	for l.chance(0.02) {
		l.transmit(s, l.rng.Int64N(60*second))
	}
	if l.o.Repeats > 0 && l.chance(l.o.Repeats) {
		l.transmit(s, l.between(60*second, 180*second)+int64(l.o.Memory)*second)
	}
}

// delay is disorder within seconds, and for one in a hundred up to a minute: behind the watermark.
func (l *Load) delay() int64 {
	if l.chance(0.01) {
		return 15*second + l.rng.Int64N(45*second)
	}
	return l.rng.Int64N(4 * second)
}

func (l *Load) transmit(s said, delay int64) {
	heap.Push(&l.send, item{l.now + delay, l.order(), s})
}

func (l *Load) chance(p float64) bool { return l.rng.Float64() < p }

// between is a random number of [a, b).
func (l *Load) between(a, b int64) int64 { return a + l.rng.Int64N(b-a) }

func topicOf(e *stream.Event) string {
	switch e.Kind {
	case stream.KindEngine, stream.KindStep:
		return stream.TopicEngines
	case stream.KindGPU, stream.KindFault:
		return stream.TopicGPUs
	case stream.KindNode, stream.KindKube:
		return stream.TopicInfra
	case stream.KindInstance:
		if !heartbeat(e) {
			return stream.TopicInfra
		}
	}
	return stream.TopicRequests
}

func heartbeat(e *stream.Event) bool {
	return e.Kind == stream.KindInstance && stream.Lifecycle(e.Num(stream.InstanceState)) == stream.StateHeartbeat
}

func keyOf(e *stream.Event) string {
	return fmt.Sprintf("%s/%d", e.Text(stream.EventProducer), e.Num(stream.EventLane))
}
