package simulate

import (
	"github.com/inferlake/inferlake/producer/lifecycle"
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

// over ends a leg.
func (m *simulation) over(h *happening, l *leg, at int64) error {
	delete(m.live, l.id)
	l.seat.open--
	l.ending(h)
	if err := m.truth.leg(l, h.Use); err != nil {
		return err
	}
	if l.pool.role != stream.RoleDecode {
		m.summary.PromptTokens += l.end.Prompt
		m.summary.CachedTokens += max(0, l.end.Cached)
	}
	if l.pool.role != stream.RolePrefill {
		m.summary.OutputTokens += l.end.Output
	}
	if h.Kind != stepmodel.Lost {
		if err := l.seat.voice.Finished(&l.seat.in, &l.Request, &l.end, at*1000); err != nil {
			return err
		}
	}
	return m.after(l, at)
}

// ending works out how a leg ended.
func (l *leg) ending(h *happening) {
	e, f, u := &l.end, &l.call.fate, h.Use
	if u == nil {
		u = &stepmodel.Use{}
	}
	e.Output, e.Pass = u.Output, h.Pass
	e.Recomputed, e.Drafted, e.Accepted = u.Recomputed, u.Drafted, u.Accepted
	e.Preemptions, e.Preempted = u.Preemptions, u.Preempted*1000
	switch {
	case h.Kind == stepmodel.Rejected:
		e.Pass = 0
		e.Set(stream.OutcomeRejected, 0, 503)
	case h.Kind == stepmodel.Lost:
		e.Set(stream.OutcomeLost, 0, 0)
	case h.Kind == stepmodel.Aborted && u.Output == 0 && l.firstBy > 0:
		e.ClientGone = l.firstBy * 1000
		e.Set(stream.OutcomeCancelled, stream.ReasonAbort, 499)
	case h.Kind == stepmodel.Aborted:
		e.Set(stream.OutcomeTimeout, stream.ReasonAbort, 504)
	case l.pool.role == stream.RolePrefill:
		e.Reason = stream.ReasonLength // it was asked for one token
	case f.outcome == stream.OutcomeCancelled && !(f.unnoticed && l.call.gate != nil):
		e.Set(stream.OutcomeCancelled, stream.ReasonAbort, 499)
	case f.outcome == stream.OutcomeError:
		e.Set(stream.OutcomeError, stream.ReasonError, 500)
	case u.Output >= l.call.turn.session.class.MaxOutput:
		e.Reason = stream.ReasonLength
	}
}

// after goes on with a call when one of its legs is over.
func (m *simulation) after(l *leg, at int64) error {
	c, e := l.call, &l.end
	if l.pool.role == stream.RolePrefill && e.Outcome == stream.OutcomeOK {
		m.plans.Put(at+handoffMicros, func(at int64) error { return m.handOver(c, at) })
		return nil
	}
	if c.gate == nil {
		m.settle(c, e.Outcome, at)
		return nil
	}
	m.soon(at+m.hop(), func(at int64) error {
		if !c.gate.closed {
			if err := c.gate.finish(at, answerOf(e)); err != nil {
				return err
			}
		}
		m.settle(c, c.gate.end.Outcome, at)
		return nil
	})
	return nil
}

// refuse ends an attempt for which there is no engine.
func (m *simulation) refuse(c *call, at, status int64) error {
	if c.gate == nil {
		m.settle(c, stream.OutcomeRejected, at)
		return nil
	}
	m.soon(at, func(at int64) error {
		end := lifecycle.End{Outcome: stream.OutcomeRejected, HTTPStatus: status, Prompt: c.turn.prompt, Cached: lifecycle.Unknown, E2E: lifecycle.Unknown, TTFT: lifecycle.Unknown}
		if err := c.gate.finish(at, end); err != nil {
			return err
		}
		m.settle(c, stream.OutcomeRejected, at)
		return nil
	})
	return nil
}

// settle ends an attempt, and plans the next one if the client tries again.
func (m *simulation) settle(c *call, outcome stream.Outcome, at int64) {
	m.open--
	if c.probe != nil {
		return
	}
	m.summary.Outcomes[outcome]++
	again := outcome == stream.OutcomeRejected || outcome == stream.OutcomeError || outcome == stream.OutcomeLost
	if !again || c.attempt >= m.scenario.Clients.Retries {
		return
	}
	c.attempt++
	m.open++
	wait := float64(m.scenario.Clients.RetryAfter.Microseconds()<<(c.attempt-1)) * (1 + m.dice.Float64())
	m.plans.Put(at+int64(wait), func(at int64) error {
		m.open--
		return m.attempt(c, at)
	})
}
