package producer

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
)

// lane is a Sender's lane on one topic: the events that become its next record.
type lane struct {
	topic string
	key   []byte

	mu     sync.Mutex
	events encoder
	opened time.Time        // when the first of events came
	stamp  time.Time        // greatest stamp of events
	seqs   map[string]int64 // by boot: the next seq, where the sender counts
	told   bool             // the source counts: what comes without seq is to have none
	ended  bool
}

// lane finds or makes a lane.
func (s *Sender) lane(id laneID) (*lane, error) {
	s.mu.RLock()
	l, closed, err := s.lanes[id], s.closed, s.err
	s.mu.RUnlock()
	if closed {
		return nil, ErrClosed
	}
	if l != nil || err != nil {
		return l, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	if l = s.lanes[id]; l == nil {
		id.producer = strings.Clone(id.producer)
		l = &lane{topic: id.topic, key: keyOf(id.producer, id.lane), events: s.o.Encoding.encoder(), seqs: make(map[string]int64)}
		s.lanes[id] = l
	}
	return l, nil
}

// add counts the event in where it has no seq; e is afterwards as it was.
func (l *lane) add(e *stream.Event, stamp func(*stream.Event) time.Time) {
	if l.events.Len() == 0 {
		l.opened, l.stamp = time.Now(), time.Time{}
	}
	if stamp != nil {
		if at := stamp(e); at.After(l.stamp) {
			l.stamp = at
		}
	}
	l.told = l.told || e.Has(stream.EventSeq)
	if l.told {
		l.events.Add(e)
		return
	}
	e.SetInt(stream.EventSeq, l.next(e.Text(stream.EventBoot)))
	l.events.Add(e)
	e.Unset(stream.EventSeq)
}

func (l *lane) next(boot string) int64 {
	seq, ok := l.seqs[boot]
	if !ok {
		boot = strings.Clone(boot)
	}
	l.seqs[boot] = seq + 1
	return seq
}

// cut sends the lane's events as one record. The lane stays locked meanwhile, so that records keep their order.
func (s *Sender) cut(ctx context.Context, l *lane) error {
	at := l.stamp
	if s.o.Stamp == nil {
		at = time.Now()
	}
	err := s.w.Send(ctx, kafka.Message{
		Topic:       l.topic,
		Key:         l.key,
		Value:       l.events.AppendTo(make([]byte, 0, l.events.Size()+64)),
		ContentType: s.o.Encoding.contentType(),
		Timestamp:   at,
	})
	if err != nil {
		return err
	}
	l.events.Reset()
	return s.w.Err()
}

// cutAll sends the lanes whose oldest event has waited at least that long, and may end them. The longest wait goes
// first: of two lanes in one partition, the newer would make the older's events late.
func (s *Sender) cutAll(ctx context.Context, age time.Duration, end bool) error {
	s.mu.RLock()
	lanes, err := slices.Collect(maps.Values(s.lanes)), s.err
	s.mu.RUnlock()
	for _, l := range byWait(lanes) {
		if e := s.cutOld(ctx, l, age, end); err == nil {
			err = e
		}
	}
	return err
}

// byWait sorts lanes: first the one whose events have waited longest.
func byWait(lanes []*lane) []*lane {
	opened := make(map[*lane]time.Time, len(lanes))
	for _, l := range lanes {
		l.mu.Lock()
		opened[l] = l.opened
		l.mu.Unlock()
	}
	slices.SortFunc(lanes, func(a, b *lane) int { return opened[a].Compare(opened[b]) })
	return lanes
}

func (s *Sender) cutOld(ctx context.Context, l *lane, age time.Duration, end bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = l.ended || end
	if l.events.Len() == 0 || time.Since(l.opened) < age {
		return nil
	}
	return s.cut(ctx, l)
}
