package simulate

import (
	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// soon does something in line with what engines say, at a time that is not before what is being told.
func (m *simulation) soon(at int64, do func(at int64) error) {
	m.line.Put(at, happening{do: do})
}

// tell writes what happened.
func (m *simulation) tell(at int64, h *happening) error {
	if h.do != nil {
		return h.do(at)
	}
	switch s := h.of.seats[h.Replica]; h.Kind {
	case stepmodel.Sampled:
		return s.sampled(h.Sample, at)
	case stepmodel.Ran:
		if !m.scenario.Samples.Steps || !s.held() {
			return nil
		}
		return s.voice.Run(&s.in, h.Run, at*1000)
	}
	return m.moment(h, m.live[h.Request], at)
}

// moment writes a moment of a leg.
func (m *simulation) moment(h *happening, l *leg, at int64) error {
	switch h.Kind {
	case stepmodel.Arrived:
		return m.arrived(h, l, at)
	case stepmodel.Queued:
		if l.moving > 0 && m.scenario.Samples.Moments {
			if err := l.seat.voice.Transferred(&l.seat.in, &l.Request, at*1000, l.moving*1000, l.moved); err != nil {
				return err
			}
		}
	case stepmodel.Scheduled:
		if h.Stay == 1 {
			l.end.Cached = h.Cached
		}
	case stepmodel.FirstToken:
		if g := l.call.gate; g != nil && l.pool.role != stream.RolePrefill {
			m.soon(at+m.hop(), g.firstByte)
		}
	case stepmodel.Reached:
		return m.clientLeft(l, at)
	case stepmodel.LastToken:
		l.end.LastToken = at * 1000
		return nil
	case stepmodel.Finished, stepmodel.Rejected, stepmodel.Aborted, stepmodel.Lost:
		return m.over(h, l, at)
	}
	if !m.scenario.Samples.Moments {
		l.note(h.Kind, at*1000)
		return nil
	}
	return l.seat.voice.Phase(&l.seat.in, &l.Request, &h.Output, at*1000)
}

// note keeps a moment for the last event.
func (l *leg) note(k stepmodel.Kind, at int64) {
	switch k {
	case stepmodel.Queued:
		l.end.Queued = at
	case stepmodel.Scheduled:
		if l.end.Scheduled == 0 {
			l.end.Scheduled = at
		}
	case stepmodel.FirstToken:
		l.end.FirstToken = at
	}
}

func (m *simulation) arrived(h *happening, l *leg, at int64) error {
	s := h.of.seats[h.Replica]
	s.open++
	l.seat = s
	l.Lane, l.Ordinal = s.voice.lane(l.ID), s.voice.ordinal()
	if !m.scenario.Samples.Moments {
		l.end.Received = at * 1000
		return nil
	}
	return s.voice.Received(&s.in, &l.Request, at*1000, h.Running, h.Waiting)
}

// clientLeft is the moment at which a client closes its connection. Its engine hears of it, or not.
func (m *simulation) clientLeft(l *leg, at int64) error {
	c := l.call
	if c.gate != nil {
		m.soon(at+m.hop(), func(at int64) error { return c.gate.left(at, c.fate.leaves) })
		if c.fate.unnoticed {
			return nil
		}
		at += 2 * m.hop()
	}
	l.end.ClientGone = at * 1000
	if !m.scenario.Samples.Moments {
		return nil
	}
	m.soon(at, func(at int64) error {
		if m.live[l.id] == nil {
			return nil // it was over by then, which its last event told
		}
		return l.seat.voice.Mark(&l.seat.in, &l.Request, stream.PhaseClientGone, at*1000)
	})
	return nil
}
