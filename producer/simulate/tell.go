package simulate

import (
	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// plan puts the states that the engines of a deployment go through. A generation drains when the next one serves,
// and stops a while after.
func (m *simulation) plan(all []*generation) {
	for i, g := range all {
		m.enter(g, stream.StateStarting, g.from-startup)
		m.enter(g, stream.StateReady, g.from)
		if i+1 < len(all) {
			m.enter(g, stream.StateDraining, all[i+1].from)
			m.stopOnceIdle(g, all[i+1].from+drainMicros)
		}
	}
}

func (m *simulation) enter(g *generation, state stream.Lifecycle, at int64) {
	m.line.Put(at, happening{do: func(at int64) error { return m.states(g, state, at) }})
}

// stopOnceIdle stops a generation at the time, and as long as it has requests looks again later.
func (m *simulation) stopOnceIdle(g *generation, at int64) {
	m.line.Put(at, happening{do: func(at int64) error {
		if g.open > 0 {
			m.stopOnceIdle(g, at+drainMicros)
			return nil
		}
		g.stopped = true
		return m.states(g, stream.StateStopped, at)
	}})
}

func (m *simulation) states(g *generation, state stream.Lifecycle, at int64) error {
	for i := range g.instances {
		if err := m.out.State(&g.instances[i], state, at*1000); err != nil {
			return err
		}
	}
	return nil
}

// tell writes what happened.
func (m *simulation) tell(at int64, h *happening) error {
	if h.do != nil {
		return h.do(at)
	}
	in := &h.of.instances[h.Replica]
	switch h.Kind {
	case stepmodel.Sampled:
		return m.sampled(h, in, at)
	case stepmodel.Ran:
		return m.out.Run(in, h.Run, at*1000)
	}
	return m.moment(h, in, m.live[h.Request], at)
}

// sampled writes the state of an engine, and that of its GPUs when it is their time too. A stopped engine is silent.
func (m *simulation) sampled(h *happening, in *lifecycle.Instance, at int64) error {
	if h.of.stopped {
		return nil
	}
	if err := m.out.Sample(in, h.Sample, at*1000); err != nil {
		return err
	}
	meter := &h.of.meters[h.Replica]
	if !meter.due(at) {
		return nil
	}
	return meter.gpus(m.out, in, meter.read(h.Sample), at*1000)
}

func (m *simulation) moment(h *happening, in *lifecycle.Instance, l *live, at int64) error {
	switch h.Kind {
	case stepmodel.Arrived:
		h.of.open++
		return m.out.Received(in, &l.Request, at*1000, h.Running, h.Waiting)
	case stepmodel.Scheduled:
		l.end.Cached = h.Cached
	case stepmodel.LastToken:
		l.end.LastToken = at * 1000
		if l.end.Outcome == stream.OutcomeCancelled {
			l.end.ClientGone = at * 1000
		}
		return nil
	case stepmodel.Rejected:
		l.end.Outcome, l.end.Reason, l.end.HTTPStatus, l.end.Output = stream.OutcomeRejected, 0, 503, 0
		return m.finished(h, in, l, at)
	case stepmodel.Finished:
		l.end.Pass = h.Pass
		return m.finished(h, in, l, at)
	}
	return m.out.Phase(in, &l.Request, &h.Output, at*1000)
}

func (m *simulation) finished(h *happening, in *lifecycle.Instance, l *live, at int64) error {
	h.of.open--
	delete(m.live, h.Request)
	s := &m.summary
	s.Outcomes[l.end.Outcome]++
	s.PromptTokens += l.end.Prompt
	s.CachedTokens += max(0, l.end.Cached)
	s.OutputTokens += l.end.Output
	return m.out.Finished(in, &l.Request, &l.end, at*1000)
}
