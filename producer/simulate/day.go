package simulate

import (
	"context"
	"math"
	"strconv"

	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// Summary says what a simulation came to.
type Summary struct {
	Producer, Boot string
	Requests       int64
	Events         int64
	Outcomes       map[stream.Outcome]int64
	PromptTokens   int64
	CachedTokens   int64
	OutputTokens   int64
}

// Day simulates the default scenario. Emit gets events in order of time; the event passed is reused: keep a copy,
// not the pointer. An error of emit ends the simulation, and so does the end of ctx.
func Day(ctx context.Context, o Options, emit func(*stream.Event) error) (Summary, error) {
	return Run(ctx, Default(), o, emit)
}

// Run simulates a scenario.
func Run(ctx context.Context, s Scenario, o Options, emit func(*stream.Event) error) (Summary, error) {
	w, err := o.defaults()
	if err != nil {
		return Summary{}, err
	}
	m := &simulation{ctx: ctx, scenario: &s, dice: newDice(o.Seed, 2), live: map[int64]*live{}}
	m.summary = Summary{Producer: "simulate", Boot: o.boot(&s), Outcomes: map[stream.Outcome]int64{}}
	m.out = lifecycle.NewWriter(m.summary.Producer, m.summary.Boot, "simulate", emit)
	if err := m.build(&o, w); err != nil {
		return Summary{}, err
	}
	if err := newTraffic(&s, &o, w).each(m.arrive); err != nil {
		return m.summary, err
	}
	err = m.finish(w)
	m.summary.Events = m.out.Events
	return m.summary, err
}

// simulation is a run under way.
type simulation struct {
	ctx         context.Context // of the one call that it lives for
	scenario    *Scenario
	dice        dice
	out         *lifecycle.Writer
	deployments [][]*generation
	line        stepmodel.Timeline[happening]
	live        map[int64]*live
	summary     Summary
}

// happening is an output of a generation's engines, or something else to do at a time.
type happening struct {
	stepmodel.Output
	of *generation
	do func(at int64) error
}

// live is a request under way.
type live struct {
	lifecycle.Request
	fate
}

func (m *simulation) build(o *Options, w window) error {
	put := func(g *generation, at int64, out stepmodel.Output) { m.line.Put(at, happening{Output: out, of: g}) }
	n := 0
	for i := range m.scenario.Deployments {
		all, err := generations(m.scenario, &m.scenario.Deployments[i], o, w, n, put)
		if err != nil {
			return err
		}
		n += len(all)
		m.deployments = append(m.deployments, all)
		m.plan(all)
	}
	return nil
}

// arrive plays everything up to a turn's arrival, then brings it in.
func (m *simulation) arrive(t *turn) error {
	if err := m.advance(t.at); err != nil {
		return err
	}
	m.summary.Requests++
	n := m.summary.Requests
	g := m.serving(t.session.deployment, t.at)
	l := &live{Request: m.request(n, t, g), fate: fateOf(m.dice, m.scenario, t)}
	m.live[n] = l
	g.fleet.Arrive(stepmodel.Request{ID: n, Arrival: t.at, Prompt: t.prompt, Output: l.output, Blocks: t.blocks, BlockTokens: m.scenario.BlockTokens})
	return nil
}

func (m *simulation) request(n int64, t *turn, g *generation) lifecycle.Request {
	id := "sim-" + strconv.FormatInt(n, 10)
	return lifecycle.Request{
		ID: id, Lane: lifecycle.RequestLane(id), Ordinal: n,
		Model: g.profile.Model, Version: g.version.Name, Class: t.session.class.Name,
		Tenant: int64(mix(uint64(t.session.tenant), 5)), Session: int64(mix(t.session.id, 13)), Images: lifecycle.Unknown,
	}
}

// serving is the generation of a deployment that takes requests at a time.
func (m *simulation) serving(deployment int, at int64) *generation {
	all := m.deployments[deployment]
	g := all[0]
	for _, later := range all[1:] {
		if later.from <= at {
			g = later
		}
	}
	return g
}

func (m *simulation) advance(at int64) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	m.fleets(func(g *generation) { g.fleet.Advance(at) })
	return m.line.Before(at, m.tell)
}

func (m *simulation) fleets(do func(*generation)) {
	for _, all := range m.deployments {
		for _, g := range all {
			do(g)
		}
	}
}

// finish lets everything end, then stops what still runs.
func (m *simulation) finish(w window) error {
	end := w.end
	m.fleets(func(g *generation) { end = max(end, g.fleet.Drain()) })
	if err := m.advance(end); err != nil {
		return err
	}
	if err := m.line.Before(math.MaxInt64, m.tell); err != nil {
		return err
	}
	first := m.deployments[0]
	if err := m.out.Heartbeats(&first[len(first)-1].instances[0], end*1000); err != nil {
		return err
	}
	for _, all := range m.deployments {
		if err := m.states(all[len(all)-1], stream.StateStopped, end); err != nil {
			return err
		}
	}
	return nil
}
