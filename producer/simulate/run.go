package simulate

import (
	"context"
	"errors"

	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// Summary says what a simulation came to. Outcomes are of the attempts as the client saw them.
type Summary struct {
	Producer, Boot string
	Requests       int64
	Events         int64
	Outcomes       map[stream.Outcome]int64
	PromptTokens   int64
	CachedTokens   int64
	OutputTokens   int64
}

// Day simulates the shipped scenario day. Emit gets events in order of time; the event passed is reused: keep a copy,
// not the pointer. An error of emit ends the simulation, and so does the end of ctx.
func Day(ctx context.Context, o Options, emit func(*stream.Event) error) (Summary, error) {
	s, err := Load("day")
	if err != nil {
		return Summary{}, err
	}
	return Run(ctx, s, o, emit)
}

// Run simulates a scenario.
func Run(ctx context.Context, s Scenario, o Options, emit func(*stream.Event) error) (Summary, error) {
	w, err := o.apply(&s)
	if err != nil {
		return Summary{}, err
	}
	boot := o.boot(&s)
	m := &simulation{ctx: ctx, scenario: &s, seed: o.Seed, window: w, dice: newDice(o.Seed, 2), live: map[int64]*leg{}, lookahead: lookahead(&s)}
	m.summary = Summary{Producer: "simulate", Boot: boot, Outcomes: map[stream.Outcome]int64{}}
	m.voices = newVoices(&s, boot, emit)
	m.truth = newLedger(o.Truth)
	if err := m.build(); err != nil {
		return m.summary, err
	}
	if err := newTraffic(&s, o.Seed, w).each(m.arrive); err != nil {
		return m.summary, err
	}
	err = errors.Join(m.finish(), m.truth.close())
	m.summary.Events = m.voices.events()
	return m.summary, err
}

// simulation is a run under way. What engines say waits in line until every engine has come to that time; what is done
// to engines waits in plans. Engines run ahead of each other by the lookahead at most, the shortest time in which what
// one says can reach another.
type simulation struct {
	ctx       context.Context // of the one call that it lives for
	scenario  *Scenario
	seed      uint64
	window    window
	dice      dice
	voices    *voices
	truth     *ledger
	services  []*service
	gateways  []*gateway
	nodes     []*node
	incidents []*incident
	line      stepmodel.Timeline[happening]
	plans     stepmodel.Timeline[func(at int64) error]
	now       int64 // µs since 1970
	lookahead int64 // µs

	generations, pools int
	legs, probes       int64          // ids given
	live               map[int64]*leg // by id
	open               int64          // attempts under way
	summary            Summary
}

// happening is an output of a pool's engines, or something else to do in line with them.
type happening struct {
	stepmodel.Output
	of *pool
	do func(at int64) error
}

// lookahead is the shortest time from the end of a leg to the next one of its request.
func lookahead(s *Scenario) int64 {
	ahead := int64(3600e6)
	if s.Clients.Retries > 0 {
		ahead = s.Clients.RetryAfter.Microseconds()
	}
	for i := range s.Deployments {
		if s.Deployments[i].PrefillEngines > 0 {
			ahead = min(ahead, handoffMicros)
		}
	}
	return ahead
}

func (m *simulation) build() error {
	for i := range m.scenario.Deployments {
		v := m.newService(&m.scenario.Deployments[i], m.window)
		m.services = append(m.services, v)
		m.schedule(v)
	}
	m.now = m.firstStart() - 1
	m.openGateways()
	m.scheduleIncidents()
	m.scheduleSamples()
	var err error
	m.fleets(func(p *pool) { err = errors.Join(err, m.truth.physics(p, m.scenario.Physics.Quadratic)) })
	return err
}

// firstStart is when the first engine starts.
func (m *simulation) firstStart() int64 {
	at := m.window.begin
	for _, v := range m.services {
		at = min(at, m.window.begin-v.deployment.Startup.Microseconds())
	}
	return at
}

// every plans something for every so many µs of the simulated time, from a time on.
func (m *simulation) every(at, period int64, do func(at int64) error) {
	if at > m.window.end {
		return
	}
	m.plans.Put(at, func(at int64) error {
		m.every(at+period, period, do)
		return do(at)
	})
}

// advance plays everything up to a time.
func (m *simulation) advance(at int64) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	for m.now < at {
		next := min(at, m.now+m.lookahead)
		if plan, ok := m.plans.Next(); ok {
			next = min(next, max(plan, m.now))
		}
		m.fleets(func(p *pool) { p.fleet.Advance(next) })
		if err := m.line.Before(next, m.tell); err != nil {
			return err
		}
		m.now = next
		if err := m.plans.Before(next+1, func(at int64, do *func(int64) error) error { return (*do)(at) }); err != nil {
			return err
		}
	}
	return nil
}

func (m *simulation) fleets(do func(*pool)) {
	for _, v := range m.services {
		for _, g := range v.gens {
			for _, p := range g.pools {
				do(p)
			}
		}
	}
}

// arrive plays everything up to a turn's arrival, then brings it in.
func (m *simulation) arrive(t *turn) error {
	if err := m.advance(t.at); err != nil {
		return err
	}
	m.summary.Requests++
	return m.attempt(m.newCall(t, m.summary.Requests), t.at)
}

// finish lets everything end, then stops what still runs.
func (m *simulation) finish() error {
	end := m.window.end
	if err := m.advance(end); err != nil {
		return err
	}
	for m.open > 0 {
		end += 1_000_000
		if err := m.advance(end); err != nil {
			return err
		}
	}
	if err := m.line.Before(end+1, m.tell); err != nil {
		return err
	}
	if err := m.voices.rest.Heartbeats(m.observer(), end*1000); err != nil {
		return err
	}
	for _, v := range m.services {
		for _, g := range v.gens {
			if err := g.each(func(s *seat) error { return s.stop(end) }); err != nil {
				return err
			}
		}
	}
	return m.closeGateways(end)
}

// observer is who samples what is no engine.
func (m *simulation) observer() *lifecycle.Instance {
	if m.voices.one != nil {
		g := m.services[0].gens[len(m.services[0].gens)-1]
		return &g.pools[0].seats[0].in
	}
	return &lifecycle.Instance{Name: "simulate"}
}
