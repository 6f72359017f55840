package simulate

import (
	"fmt"

	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/stream"
)

// gateway stands between clients and engines, for all deployments.
type gateway struct {
	in    lifecycle.Instance
	voice *voice
}

// gate is an attempt as a gateway sees it.
type gate struct {
	lifecycle.Request
	gateway *gateway
	service *service
	end     lifecycle.End
	closed  bool // its client has the answer, or left
	silent  bool // tells all in its last event

	received, first int64 // ns since 1970
}

func (m *simulation) hop() int64 { return m.scenario.Gateway.Hop.Microseconds() }

func (m *simulation) openGateways() {
	p := &m.scenario.Placement
	for i := range m.scenario.Gateway.Instances {
		g := &gateway{in: lifecycle.Instance{
			Name: fmt.Sprintf("gateway-%d", i), Role: stream.RoleGateway, Engine: "gateway", Pod: fmt.Sprintf("gateway-%d", i),
			Namespace: p.Namespace, Cluster: p.Cluster, Region: p.Region, Started: (m.now + 1) * 1000,
		}}
		g.voice = m.voices.of(g.in.Name, 1, lifecycle.RequestLanes)
		m.gateways = append(m.gateways, g)
		for _, state := range []stream.Lifecycle{stream.StateStarting, stream.StateReady} {
			m.plans.Put(m.now+1, func(at int64) error { return g.voice.State(&g.in, state, at*1000) })
		}
	}
}

func (m *simulation) closeGateways(at int64) error {
	for _, g := range m.gateways {
		if err := g.voice.State(&g.in, stream.StateStopped, at*1000); err != nil {
			return err
		}
		if m.voices.one != nil {
			continue
		}
		if err := g.voice.Heartbeats(&g.in, at*1000); err != nil {
			return err
		}
	}
	return nil
}

// enter brings an attempt to a gateway, which sends it on, or refuses it.
func (m *simulation) enter(c *call, at int64) error {
	gw := m.gateways[mix(c.turn.session.id, 17)%uint64(len(m.gateways))]
	g := &gate{gateway: gw, service: c.service, Request: m.request(c), silent: !m.scenario.Samples.Moments, received: at * 1000}
	g.JoinKey, g.Deployment, g.Namespace = c.id, c.service.deployment.Name, m.scenario.Placement.Namespace
	g.Version = c.service.serving(at).version.Name
	g.Lane, g.Ordinal = gw.voice.lane(g.ID), gw.voice.ordinal()
	c.gate = g
	c.service.open++
	if !g.silent {
		if err := gw.voice.Received(&gw.in, &g.Request, at*1000, lifecycle.Unknown, lifecycle.Unknown); err != nil {
			return err
		}
	}
	ready := int64(c.service.serving(at).pools[0].fleet.Available())
	limit := m.scenario.Gateway.Limit
	switch {
	case ready == 0:
		return m.refuse(c, at+m.hop(), 503)
	case limit > 0 && c.service.open > limit*ready:
		return m.refuse(c, at+m.hop(), 429)
	}
	m.plans.Put(at+m.hop(), func(at int64) error { return m.dispatch(c, at) })
	return nil
}

// firstByte is told when the first token left the gateway. The gateway reads the stream: its first byte is its first token.
func (g *gate) firstByte(at int64) error {
	if g.closed {
		return nil
	}
	if g.first = at * 1000; g.silent {
		return nil
	}
	w := g.gateway.voice
	e := w.Moment(&g.gateway.in, &g.Request, stream.PhaseFirstByte, at*1000)
	e.SetInt(stream.RequestFirstTokenUnixNano, at*1000)
	return w.Send()
}

// left ends the leg of a client that closed its connection after so many tokens.
func (g *gate) left(at, tokens int64) error {
	if g.closed {
		return nil
	}
	if !g.silent {
		if err := g.gateway.voice.Mark(&g.gateway.in, &g.Request, stream.PhaseClientGone, at*1000); err != nil {
			return err
		}
	}
	return g.finish(at, lifecycle.End{
		Outcome: stream.OutcomeCancelled, Reason: stream.ReasonAbort, HTTPStatus: 499, ClientGone: at * 1000,
		Prompt: lifecycle.Unknown, Cached: lifecycle.Unknown, Output: tokens, E2E: lifecycle.Unknown, TTFT: lifecycle.Unknown,
	})
}

func (g *gate) finish(at int64, end lifecycle.End) error {
	g.closed, g.end = true, end
	g.service.open--
	if g.silent {
		g.end.Received, g.end.FirstByte, g.end.FirstToken = g.received, g.first, g.first
	}
	return g.gateway.voice.Finished(&g.gateway.in, &g.Request, &g.end, at*1000)
}

// answerOf is what a client hears of how an engine's leg ended: that an engine died is an error of the gateway.
func answerOf(e *lifecycle.End) lifecycle.End {
	a := lifecycle.End{Outcome: e.Outcome, Reason: e.Reason, HTTPStatus: e.HTTPStatus, Prompt: e.Prompt, Cached: lifecycle.Unknown,
		Output: e.Output, ClientGone: e.ClientGone, E2E: lifecycle.Unknown, TTFT: lifecycle.Unknown}
	if e.Outcome == stream.OutcomeLost {
		a.Outcome, a.Reason, a.HTTPStatus = stream.OutcomeError, stream.ReasonError, 502
	}
	return a
}
