package replay

import (
	"fmt"

	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// request makes what the events of a row have in common.
func (p *player) request(r *Row) *live {
	id := fmt.Sprintf("%s-%d", p.format.Name, r.Line)
	l := &live{
		Request: lifecycle.Request{ID: id, Lane: lifecycle.RequestLane(id), Ordinal: r.Line, Model: p.Model,
			Version: p.Version, Class: r.Class, Session: r.Session, Images: r.Images},
		end: lifecycle.End{Outcome: stream.OutcomeOK, Prompt: r.Prompt, Cached: lifecycle.Unknown, Output: r.Output,
			E2E: lifecycle.Unknown, TTFT: lifecycle.Unknown},
		beyond: p.MaxRows > 0 && r.index > p.MaxRows,
		blocks: int64(len(r.Blocks)),
	}
	if l.Model == "" {
		l.Model = r.Model
	}
	if l.Model == "" {
		l.Model = p.instances[0].Model
	}
	if m := r.Measured; m != nil {
		l.end.Outcome, l.end.HTTPStatus, l.end.E2E, l.end.TTFT = m.Outcome, m.HTTPStatus, m.E2E, m.TTFT
	} else {
		l.end.Reason = stream.ReasonStop
	}
	return l
}

// moments puts the moments that a row tells itself. Without its whole time only the end is told, at the arrival,
// and no moment of arrival: there is nothing to take a duration from.
func (p *player) moments(r *Row, at int64, put func(int64, stepmodel.Output)) {
	m := r.Measured
	if m.E2E == lifecycle.Unknown {
		put(at, stepmodel.Output{Kind: stepmodel.Finished, Request: r.index})
		return
	}
	put(at, stepmodel.Output{Kind: stepmodel.Arrived, Request: r.index, Running: lifecycle.Unknown, Waiting: lifecycle.Unknown})
	if m.TTFT != lifecycle.Unknown && m.TTFT <= m.E2E {
		put(at+m.TTFT, stepmodel.Output{Kind: stepmodel.FirstToken, Request: r.index})
		put(at+m.E2E, stepmodel.Output{Kind: stepmodel.LastToken, Request: r.index})
	}
	put(at+m.E2E, stepmodel.Output{Kind: stepmodel.Finished, Request: r.index})
}

// tell writes what happened.
func (p *player) tell(at int64, o *stepmodel.Output) error {
	in := &p.instances[o.Replica]
	switch o.Kind {
	case stepmodel.Sampled:
		return p.out.Sample(in, o.Sample, at)
	case stepmodel.Ran:
		return p.out.Run(in, o.Run, at)
	}
	l := p.requests[o.Request]
	p.out.Mute = l.beyond
	err := p.moment(in, l, o, at)
	p.out.Mute = false
	return err
}

func (p *player) moment(in *lifecycle.Instance, l *live, o *stepmodel.Output, at int64) error {
	switch o.Kind {
	case stepmodel.Arrived:
		return p.out.Received(in, &l.Request, at, o.Running, o.Waiting)
	case stepmodel.LastToken:
		l.end.LastToken = at
		return nil
	case stepmodel.Rejected:
		l.end.Outcome, l.end.Reason, l.end.Output = stream.OutcomeRejected, 0, 0
		return p.finish(in, l, o, at)
	case stepmodel.Finished:
		l.end.Pass = o.Pass
		return p.finish(in, l, o, at)
	case stepmodel.Scheduled:
		l.hits = o.Hits
		if in.PrefixCache {
			l.end.Cached = o.Cached
		}
	}
	return p.out.Phase(in, &l.Request, o, at)
}

// finish writes the end of a request; the last one asked for ends the replay.
func (p *player) finish(in *lifecycle.Instance, l *live, o *stepmodel.Output, at int64) error {
	if err := p.out.Finished(in, &l.Request, &l.end, at); err != nil {
		return err
	}
	delete(p.requests, o.Request)
	if l.beyond {
		return nil
	}
	p.summary.book(l)
	if p.summary.Rows == p.MaxRows && p.order.read > p.MaxRows {
		return errEnough
	}
	return nil
}
