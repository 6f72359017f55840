package proof

import (
	"fmt"

	"github.com/inferlake/inferlake/stream"
)

// recent is how far back a condition looks: what was sent since then is hardly durable yet, or not at all.
const recent = 5 * second

// Conditions are what makes a moment a hard one to die at. They are told by who sends, of what was sent.
type Conditions struct {
	MidInterval int // series of counters and gauges between two samples
	Names       int // request classes that one partition has seen
	Old         int // repeats in the last 5 s of requests that closed longer ago than the closed memory
	Quiet       int // partitions that had records, and none in the last 5 s
	Expiries    int // requests whose silence became too long in the last 5 s
	Revisions   int // corrections of closed requests in the last 5 s
}

func (c Conditions) String() string {
	return fmt.Sprintf("%d series mid-interval, %d names, %d old repeats, %d quiet partitions, %d expiries, %d revisions",
		c.MidInterval, c.Names, c.Old, c.Quiet, c.Expiries, c.Revisions)
}

// watch follows what was sent.
type watch struct {
	sampled       map[string]int64          // by series: when
	names         map[int32]map[string]bool // by partition
	heard         map[string]int64          // by partition: when
	open, closed  map[string]int64          // requests: when they were last told of, when their end was told
	old, revision []int64                   // when
}

func newWatch() watch {
	return watch{sampled: map[string]int64{}, names: map[int32]map[string]bool{}, heard: map[string]int64{},
		open: map[string]int64{}, closed: map[string]int64{}}
}

// sent sees an event on its way into a partition.
func (w *watch) sent(now int64, topic string, partition int32, s said, memory int64) {
	e := s.event
	w.heard[fmt.Sprint(topic, partition)] = now
	switch e.Kind {
	case stream.KindEngine, stream.KindGPU, stream.KindNode, stream.KindKube:
		w.sampled[fmt.Sprint(e.Kind, e.Text(stream.EventInstance), e.Text(stream.GPUGPU))] = now
	case stream.KindRequest:
		w.request(now, partition, e, s.again, memory)
	}
}

func (w *watch) request(now int64, partition int32, e *stream.Event, again bool, memory int64) {
	key := fmt.Sprint(e.Text(stream.EventInstance), e.Text(stream.EventBoot), e.Text(stream.RequestRequestID), e.Num(stream.RequestAttempt), e.Num(stream.RequestChoice), e.Num(stream.RequestOrdinal))
	ended, closed := w.closed[key]
	switch {
	case again && closed && now-ended > memory:
		w.old = append(w.old, now)
	case again:
	case closed && now-ended <= memory:
		w.revision = append(w.revision, now)
	default:
		w.open[key] = now
	}
	if stream.Phase(e.Num(stream.RequestPhase)) == stream.PhaseFinished && !closed {
		w.closed[key] = now
		delete(w.open, key)
	}
	if class := e.Text(stream.RequestRequestClass); class != "" {
		if w.names[partition] == nil {
			w.names[partition] = map[string]bool{}
		}
		w.names[partition][class] = true
	}
}

// Conditions are those of this moment. expiry is in ns.
func (l *Load) Conditions(expiry int64) (c Conditions) {
	w := &l.watch
	c.MidInterval = within(w.sampled, l.now-15*second, l.now)
	c.Quiet = within(w.heard, 0, l.now-recent)
	c.Expiries = within(w.open, l.now-expiry-recent, l.now-expiry)
	for _, names := range w.names {
		c.Names = max(c.Names, len(names))
	}
	w.old, w.revision = since(w.old, l.now-recent), since(w.revision, l.now-recent)
	c.Old, c.Revisions = len(w.old), len(w.revision)
	return c
}

// within counts the times after one moment until another.
func within(times map[string]int64, after, until int64) (n int) {
	for _, t := range times {
		if t > after && t <= until {
			n++
		}
	}
	return n
}

// since drops the times before a moment; they are in order.
func since(times []int64, moment int64) []int64 {
	for len(times) > 0 && times[0] < moment {
		times = times[1:]
	}
	return times
}
