package simulate

import (
	"fmt"

	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// seat is a place for one engine on its GPUs: what runs there, boot after boot. Its pool's replica of the same index is
// the engine. Its state is 0 while it is empty, stateDown between a crash and the next start.
type seat struct {
	m     *simulation
	pool  *pool
	index int

	in      lifecycle.Instance // of the boot
	voice   *voice             // of the boot
	state   stream.Lifecycle
	life    life            // of the boot
	stats   stepmodel.Stats // of the boot, once it ended
	boots   int64
	created int64 // µs since 1970: the pod
	open    int64 // requests here
	meter   *meter
	last    stepmodel.Sample // counters as sampled last

	spread   float64 // of its passes' time, for good
	slowness float64 // of now, by incidents
	tokenize float64 // of the tokenizer's time, by incidents
	clock    float64 // by which its GPUs' clock is lower
	failing  int64   // memory errors a GPU sample, corrected ones

	restarts, killed int64 // of the pod
}

const stateDown stream.Lifecycle = 100

// life is a boot's time, µs since 1970; 0: not reached. Until next the seat is down.
type life struct{ started, ready, ended, next int64 }

func (s *seat) enter(state stream.Lifecycle, at int64) error {
	s.state = state
	return s.voice.State(&s.in, state, at*1000)
}

// start boots an engine, which is ready after the deployment's startup.
func (s *seat) start(at int64) error {
	d := s.pool.gen.service.deployment
	s.boots++
	if s.state == 0 {
		s.created, s.restarts, s.killed = at, 0, 0
	}
	s.voice = s.m.voices.of(s.in.Name, s.boots, 1)
	s.in.Started = at * 1000
	s.life = life{started: at}
	s.last = stepmodel.Sample{}
	s.meter.boot()
	s.m.plans.Put(at+d.Startup.Microseconds(), s.readyIf(s.boots))
	if err := s.enter(stream.StateStarting, at); err != nil || s.boots == 1 || s.m.voices.one != nil {
		return err
	}
	return s.voice.Beat(&s.in, 0, at*1000)
}

// readyIf makes the boot of that number ready, if it is still starting then.
func (s *seat) readyIf(boot int64) func(int64) error {
	return func(at int64) error {
		if s.state != stream.StateStarting || s.boots != boot {
			return nil
		}
		s.life.ready = at
		s.pool.fleet.Restart(s.index, at)
		s.pool.fleet.Open(s.index, true)
		s.tune()
		return s.enter(stream.StateReady, at)
	}
}

// tune sets the replica to what holds now.
func (s *seat) tune() {
	s.pool.fleet.Speed(s.index, s.spread*s.slowness)
	s.pool.fleet.Tokenize(s.index, int64(float64(s.pool.profile.Pre)*s.tokenize))
}

// drain takes no more requests, and stops once it has none, at that time or as much later as it takes.
func (s *seat) drain(at, stop int64) error {
	s.pool.fleet.Open(s.index, false)
	if s.state != stream.StateReady {
		return s.stop(at) // it was still starting, or down
	}
	s.stopOnceIdle(stop)
	return s.enter(stream.StateDraining, at)
}

func (s *seat) stopOnceIdle(at int64) {
	s.m.plans.Put(at, func(at int64) error {
		switch {
		case s.state != stream.StateDraining:
			return nil
		case s.open > 0:
			s.stopOnceIdle(at + drainMicros/4)
			return nil
		}
		return s.stop(at)
	})
}

// stop ends the boot in order. A seat that is down has none: it is empty from then on.
func (s *seat) stop(at int64) error {
	s.pool.fleet.Open(s.index, false)
	switch s.state {
	case 0:
		return nil
	case stateDown:
		s.state, s.life.next = 0, at
		return s.m.truth.instance(s)
	}
	s.stats, _ = s.pool.fleet.Restart(s.index, at)
	s.life.ended, s.life.next = at, at
	if err := s.m.truth.instance(s); err != nil {
		return err
	}
	err := s.enter(stream.StateStopped, at)
	s.state = 0
	if err != nil || s.m.voices.one != nil {
		return err
	}
	return s.voice.Heartbeats(&s.in, at*1000)
}

// crash ends the boot without a word, loses its requests, and starts another one after a while.
func (s *seat) crash(at, restart int64) error {
	if s.state == 0 || s.state == stateDown {
		return nil
	}
	s.pool.fleet.Open(s.index, false)
	s.stats, at = s.pool.fleet.Restart(s.index, at)
	s.state, s.life.ended = stateDown, at
	s.meter.boot()
	s.restarts++
	s.m.plans.Put(at+restart, func(at int64) error {
		if s.state != stateDown {
			return nil
		}
		s.life.next = at
		if err := s.m.truth.instance(s); err != nil {
			return err
		}
		return s.start(at)
	})
	return nil
}

// held says whether the seat holds its GPUs.
func (s *seat) held() bool { return s.state != 0 }

// up says whether an engine answers there.
func (s *seat) up() bool { return s.state == stream.StateReady || s.state == stream.StateDraining }

func (p *pool) newSeat(m *simulation, index int, dice dice) *seat {
	g, sc := p.gen, m.scenario
	d := g.service.deployment
	s := &seat{m: m, pool: p, index: index, slowness: 1, tokenize: 1, clock: 1, spread: dice.factor(sc.Physics.Spread)}
	role := ""
	if p.role == stream.RolePrefill {
		role = "prefill-"
	}
	s.in = lifecycle.Instance{
		Name: fmt.Sprintf("%s-%s-%s%d", d.Name, g.version.Name, role, index), Role: p.role,
		Engine: "stepmodel", EngineVersion: p.profile.Name, Model: p.profile.Model, Version: g.version.Name,
		Profile: &p.profile, PrefixCache: sc.Cache.Blocks > 0 && p.role != stream.RoleDecode,
		Deployment: d.Name, Namespace: sc.Placement.Namespace, Cluster: sc.Placement.Cluster, Region: sc.Placement.Region,
	}
	s.in.Pod = fmt.Sprintf("%s-%08x-%s%d", d.Name, uint32(mix(uint64(g.index), 3)), role, index)
	const perNode = 8
	s.in.Node = fmt.Sprintf("%s-%d-%s%d", d.Name, g.index, role, int64(index)*p.profile.GPUs/perNode)
	for i := range p.profile.GPUs {
		s.in.GPUs = append(s.in.GPUs, fmt.Sprintf("GPU-%016x-%s%d", mix(uint64(g.index), uint64(index)+101), role, i))
	}
	s.meter = newMeter(s, m)
	m.nodeOf(s)
	return s
}
