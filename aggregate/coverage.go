package aggregate

import (
	"slices"

	"github.com/inferlake/inferlake/stream"
)

// laneKey names one lane of one boot of a producer.
type laneKey struct {
	producer, boot string
	lane           int64
}

// run is the sequence numbers [from, to).
type run struct{ from, to int64 }

// lane is what was seen of a lane: which sequence numbers, and how many events.
type lane struct {
	laneKey
	source, instance string
	runs             []run // ascending, apart from each other
	announced        int64 // greatest number a heartbeat told, −1 for none
	received         int64
	duplicates       int64
	heartbeats       int64
	firstAt, lastAt  int64
	bridged          int64 // gaps that no longer fit: they stay counted
	touched          int64 // log clock of its last event
	stopped          bool
	evicted          bool // forgotten with its next row: what it sends again is folded again
	changed          bool // since the last cut
}

// cover notes a sequence number and reports whether it was covered before.
func (l *lane) cover(seq int64) (again bool) {
	if n := len(l.runs); n > 0 && l.runs[n-1].to == seq {
		l.runs[n-1].to++
		return false
	}
	i, found := slices.BinarySearchFunc(l.runs, seq, func(r run, seq int64) int {
		switch {
		case r.to <= seq:
			return -1
		case r.from > seq:
			return 1
		}
		return 0
	})
	if found {
		return true
	}
	l.insert(i, seq)
	return false
}

// insert adds seq before run i and joins what touches.
func (l *lane) insert(i int, seq int64) {
	before := i > 0 && l.runs[i-1].to == seq
	after := i < len(l.runs) && l.runs[i].from == seq+1
	switch {
	case before && after:
		l.runs[i-1].to = l.runs[i].to
		l.runs = slices.Delete(l.runs, i, i+1)
	case before:
		l.runs[i-1].to++
	case after:
		l.runs[i].from--
	default:
		l.runs = slices.Insert(l.runs, i, run{seq, seq + 1})
	}
}

// coverage holds the lanes of a partition.
type coverage struct {
	lanes   map[laneKey]*lane
	last    *lane // mostly the next event's too
	changed []*lane
}

// of returns the event's lane and whether it is new; nil for an event that names no producer.
func (c *coverage) of(e *stream.Event, texts *interner) (l *lane, fresh bool) {
	producer, boot, number := e.Text(stream.EventProducer), e.Text(stream.EventBoot), e.Num(stream.EventLane)
	if l := c.last; l != nil && l.lane == number && l.producer == producer && l.boot == boot {
		return l, false
	}
	if producer == "" {
		return nil, false
	}
	l = c.lanes[laneKey{producer, boot, number}]
	if fresh = l == nil; fresh {
		l = &lane{laneKey: laneKey{texts.intern(producer), texts.intern(boot), number}, announced: -1}
		c.lanes[l.laneKey] = l
	}
	c.last = l
	return l, fresh
}

// bridge joins the two oldest runs of a lane that has too many: what is missing between them counts as covered from
// then on. It returns how many gaps went.
func (l *lane) bridge() int64 {
	l.runs[1].from = l.runs[0].from
	l.runs = slices.Delete(l.runs, 0, 1)
	l.bridged++
	return 1
}

// note counts an event of the lane and reports whether it came before.
func (c *coverage) note(l *lane, e *stream.Event, time int64, texts *interner) (again bool) {
	c.change(l)
	if seq, ok := e.Int(stream.EventSeq); ok && l.cover(seq) {
		l.duplicates++
		return true
	}
	l.describe(e, texts)
	l.received++
	if time != 0 {
		if l.firstAt == 0 || time < l.firstAt {
			l.firstAt = time
		}
		l.lastAt = max(l.lastAt, time)
	}
	return false
}

// change lists the lane for the next cut.
func (c *coverage) change(l *lane) {
	if !l.changed {
		l.changed = true
		c.changed = append(c.changed, l)
	}
}

// describe keeps who the lane's last event spoke for.
func (l *lane) describe(e *stream.Event, texts *interner) {
	if s := e.Text(stream.EventSource); s != l.source {
		l.source = texts.intern(s)
	}
	if s := e.Text(stream.EventInstance); s != l.instance {
		l.instance = texts.intern(s)
	}
}
