package producer

import (
	"sync"
	"time"

	"github.com/inferlake/inferlake/stream"
)

// line is a Client's lane on one topic.
type line struct {
	c     *Client
	topic string
	key   []byte
	lane  int64

	mu     sync.Mutex
	event  stream.Event // the event at hand
	seq    int64        // the next one's
	events *stream.ColumnsWriter
	opened time.Time // when the first of events came
	ended  bool
}

func (c *Client) line(topic string, lane int64) *line {
	l := &line{c: c, topic: topic, key: keyOf(c.o.Producer, lane), lane: lane}
	c.lines = append(c.lines, l)
	return l
}

// open locks the line and begins an event that happened now. The caller fills it in and calls commit.
func (l *line) open(kind stream.Kind, now time.Time) *stream.Event {
	l.mu.Lock()
	o, e := &l.c.o, &l.event
	e.Reset(kind)
	e.SetText(stream.EventProducer, o.Producer)
	e.SetText(stream.EventBoot, o.Boot)
	e.SetInt(stream.EventLane, l.lane)
	e.SetInt(stream.EventSeq, l.seq)
	e.SetText(stream.EventSource, o.Source)
	e.SetInt(stream.EventRank, rank)
	e.SetText(stream.EventInstance, o.Instance)
	o.DPIndex.set(e, stream.EventDPIndex)
	e.SetInt(stream.EventRole, int64(o.Role))
	e.SetInt(stream.EventTimeUnixNano, now.UnixNano())
	e.SetInt(stream.EventMonoNano, l.c.mono(now))
	e.SetText(stream.EventClockDomain, o.Boot)
	return e
}

// commit puts the event at hand among those to be sent and unlocks the line.
func (l *line) commit(now time.Time) {
	l.put(now)
	l.mu.Unlock()
}

// put takes the event at hand, or drops it when there is no room; its seq is used either way.
func (l *line) put(now time.Time) {
	l.seq++
	if l.events == nil && !l.ended {
		l.events, l.opened = l.c.parcels.empty(), now
	}
	if l.events == nil {
		l.c.dropped.Add(1)
		return
	}
	l.events.Add(&l.event)
	if full(l.events, batchEvents, batchBytes) {
		l.pass()
	}
}

// pass hands the events to the goroutine that sends them. The line is locked.
func (l *line) pass() {
	l.c.parcels.put(parcel{l, l.events})
	l.events = nil
}

// passOld passes events that have waited long enough.
func (l *line) passOld(now time.Time, age time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.events != nil && now.Sub(l.opened) >= age {
		l.pass()
	}
}

// end says stopped where anything was said, and passes what is left; nothing more is taken.
func (l *line) end() {
	now := time.Now()
	e := l.open(stream.KindInstance, now)
	defer l.mu.Unlock()
	if l.seq > 0 {
		if l.events == nil {
			l.events = new(stream.ColumnsWriter) // the last word finds room in a full buffer
		}
		l.tell(e, stream.StateStopped)
		l.put(now)
	}
	if l.events != nil {
		l.pass()
	}
	l.ended = true
}

// beat sends a heartbeat on a line that is in use.
func (l *line) beat(now time.Time) {
	e := l.open(stream.KindInstance, now)
	defer l.mu.Unlock()
	if l.ended || l.seq == 0 && l.topic != stream.TopicRequests {
		return
	}
	l.tell(e, stream.StateHeartbeat)
	l.put(now)
}

// tell says how far the line has come: its last seq is that of the event itself.
func (l *line) tell(e *stream.Event, state stream.Lifecycle) {
	e.SetInt(stream.InstanceState, int64(state))
	e.SetInt(stream.InstanceLastSeq, l.seq)
	e.SetInt(stream.InstanceBootStartedUnixNano, l.c.start.UnixNano())
}
