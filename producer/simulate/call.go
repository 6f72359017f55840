package simulate

import (
	"strconv"

	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// call is a user's request: attempts until one ends well or the client gives up.
type call struct {
	id      string
	turn    *turn
	service *service
	attempt int64
	fate    fate  // of the attempt
	began   int64 // µs since 1970: the attempt
	gate    *gate // its leg at the gateway, nil: none
	probe   *seat // the engine that it asks for its health, nil: a user's request
}

// fate is how an attempt will end if nothing else happens, drawn when it begins.
type fate struct {
	outcome   stream.Outcome
	output    int64 // tokens that the engine will give
	leaves    int64 // tokens after which the client leaves; 0: it stays
	unnoticed bool  // the engine is not told that it left
	impatient bool  // it leaves when there is no token for long
}

// handoffMicros is the time from the end of a prompt on one engine to the arrival of its request on another.
const handoffMicros = 5_000

func (m *simulation) newCall(t *turn, n int64) *call {
	return &call{id: "sim-" + strconv.FormatInt(n, 10), turn: t, service: m.services[t.session.deployment]}
}

// fateOf draws it. A client that leaves and a request that fails do so somewhere in the answer.
func (m *simulation) fateOf(t *turn) fate {
	c, d := &m.scenario.Clients, m.dice
	f := fate{outcome: stream.OutcomeOK, output: t.output}
	at := d.Float64()
	switch {
	case at < c.Cancelled+c.Disconnected:
		f.outcome, f.leaves = stream.OutcomeCancelled, 1+d.Int64N(t.output)
		if f.unnoticed = at >= c.Cancelled; !f.unnoticed {
			f.output = min(t.output, f.leaves+int64(d.ExpFloat64()*c.UnheardTokens))
		}
	case at < c.Cancelled+c.Disconnected+c.Failed:
		f.outcome, f.output = stream.OutcomeError, 1+d.Int64N(t.output)
	}
	f.impatient = c.Impatient > 0 && d.chance(c.Impatient)
	return f
}

// attempt begins a call's next attempt.
func (m *simulation) attempt(c *call, at int64) error {
	m.open++
	c.fate, c.began, c.gate = m.fateOf(c.turn), at, nil
	if len(m.gateways) > 0 && c.probe == nil {
		return m.enter(c, at)
	}
	return m.dispatch(c, at)
}

// dispatch brings an attempt to the engines that serve its deployment.
func (m *simulation) dispatch(c *call, at int64) error {
	p := c.service.serving(at).pools[0]
	if p.fleet.Available() == 0 {
		return m.refuse(c, at, 503)
	}
	q := m.ask(m.newLeg(c, p), at)
	if p.role == stream.RolePrefill {
		q.Output, q.Tell = 1, 0
	}
	q.Blocks, q.BlockTokens = c.turn.blocks, m.scenario.Cache.BlockTokens
	p.fleet.Arrive(q)
	return nil
}

// handOver brings a request whose prompt was computed to the engines that decode, with its KV cache.
func (m *simulation) handOver(c *call, at int64) error {
	p := c.service.serving(c.began).decoding()
	if p.fleet.Available() == 0 {
		return m.refuse(c, at, 503)
	}
	l := m.newLeg(c, p)
	l.moved = c.turn.prompt * kvBytes(&p.profile)
	l.moving = max(1, l.moved*8/int64(c.service.deployment.Network*1000)) // Gbit/s are 1000 bits a µs
	q := m.ask(l, at)
	q.Transferred, q.Ready = q.Prompt-1, at+l.moving
	p.fleet.Arrive(q)
	return nil
}

// leg is a call's attempt as an engine sees it.
type leg struct {
	lifecycle.Request
	id   int64
	call *call
	pool *pool
	seat *seat // once it arrived
	end  lifecycle.End

	moved, moving int64 // bytes and µs of its KV cache's way here
	firstBy       int64 // µs since 1970, 0: no such time
}

func (m *simulation) newLeg(c *call, p *pool) *leg {
	m.legs++
	t := c.turn
	l := &leg{id: m.legs, call: c, pool: p, Request: m.request(c)}
	l.end = lifecycle.End{
		Outcome: stream.OutcomeOK, Reason: stream.ReasonStop, HTTPStatus: 200,
		Prompt: t.prompt, Cached: lifecycle.Unknown, E2E: lifecycle.Unknown, TTFT: lifecycle.Unknown,
	}
	if len(m.gateways) > 0 {
		l.JoinKey = c.id
	}
	l.Version = p.gen.version.Name
	m.live[l.id] = l
	return l
}

// request is what all legs of a call have in common.
func (m *simulation) request(c *call) lifecycle.Request {
	t := c.turn
	return lifecycle.Request{
		ID: c.id, Attempt: c.attempt, Retry: c.attempt > 0, Probe: c.probe != nil, Images: lifecycle.Unknown,
		Model: c.service.gens[0].decoding().profile.Model, Class: t.session.class.Name,
		Tenant: int64(mix(uint64(t.session.tenant), 5)), Session: int64(mix(t.session.id, 13)),
	}
}

// ask is what a leg asks of the step model.
func (m *simulation) ask(l *leg, at int64) stepmodel.Request {
	c := l.call
	q := stepmodel.Request{ID: l.id, Arrival: at, Prompt: c.turn.prompt, Output: c.fate.output, Tell: c.fate.leaves}
	if c.fate.impatient {
		l.firstBy = c.began + m.scenario.Clients.Patience.Microseconds()
		q.FirstBy = l.firstBy
	}
	if t := m.scenario.Gateway.Timeout.Microseconds(); t > 0 && c.gate != nil {
		q.EndBy = c.began + t
	}
	return q
}
