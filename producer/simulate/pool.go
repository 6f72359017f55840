package simulate

import (
	"math"

	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// service is a deployment at work: its generations, one a version, in order of time.
type service struct {
	deployment *Deployment
	gens       []*generation
	scaler     scaler
	open       int64 // requests under way, of its gateway
}

// generation is the engines of one deployment at one version: one pool, or two where prompts are computed apart.
type generation struct {
	service *service
	index   int
	version *Version
	from    int64 // µs: it takes requests from here on
	pools   []*pool
}

// pool is the engines of one role.
type pool struct {
	gen     *generation
	role    stream.Role
	profile stepmodel.Profile
	fleet   *stepmodel.Fleet
	seats   []*seat
}

// serving is the generation that takes requests at a time.
func (v *service) serving(at int64) *generation {
	g := v.gens[0]
	for _, later := range v.gens[1:] {
		if later.from <= at {
			g = later
		}
	}
	return g
}

// decoding is the pool that gives answers, the only one or the last of two.
func (g *generation) decoding() *pool { return g.pools[len(g.pools)-1] }

func (m *simulation) newService(d *Deployment, w window) *service {
	v := &service{deployment: d}
	v.scaler = newScaler(v)
	n := m.engines(d, w)
	for i := range d.Rollout {
		g := &generation{service: v, index: m.generations, version: &d.Rollout[i], from: w.at(d.Rollout[i].From)}
		m.generations++
		v.gens = append(v.gens, g)
		if d.PrefillEngines > 0 {
			m.newPool(g, stream.RolePrefill, d.PrefillEngines)
			m.newPool(g, stream.RoleDecode, n)
			continue
		}
		m.newPool(g, stream.RoleEngine, max(n, d.Autoscale.Max))
	}
	v.scaler.size = n
	return v
}

func (m *simulation) newPool(g *generation, role stream.Role, engines int) {
	sc := m.scenario
	p := &pool{gen: g, role: role, profile: profileOf(g)}
	d := g.service.deployment
	c := stepmodel.Config{
		Profile: p.profile, Replicas: engines, Dispatch: stepmodel.LeastLoaded, CacheBlocks: sc.Cache.Blocks,
		Quadratic: sc.Physics.Quadratic, LiveKV: !sc.Physics.Reserve, Attribute: m.truth.on(),
		Jitter:   stepmodel.Jitter{Seed: mix(m.seed, uint64(m.pools)), Noise: sc.Physics.Noise, Drift: sc.Physics.Drift, Period: sc.Physics.Period.Microseconds()},
		Interval: sc.Samples.Engine.Microseconds(), Start: g.from, Closed: true,
	}
	if role != stream.RolePrefill {
		c.Speculation = stepmodel.Speculation{Tokens: d.Speculation.Tokens, AcceptPPM: int64(d.Speculation.Accept * 1e6), Micros: d.Speculation.Time.Microseconds()}
	}
	if role == stream.RoleDecode {
		c.CacheBlocks = 0
	}
	p.fleet = stepmodel.NewFleet(c, func(at int64, o stepmodel.Output) { m.line.Put(at, happening{Output: o, of: p}) })
	dice := newDice(m.seed, 1000+uint64(m.pools))
	m.pools++
	for i := range engines {
		p.seats = append(p.seats, p.newSeat(m, i, dice))
	}
	g.pools = append(g.pools, p)
}

// profileOf is the profile at a version's speed.
func profileOf(g *generation) stepmodel.Profile {
	d := g.service.deployment
	p, _ := stepmodel.ProfileNamed(d.Profile)
	for _, v := range []*int64{&p.A, &p.B, &p.N, &p.D, &p.E} {
		*v = int64(math.Round(float64(*v) * g.version.Speed))
	}
	if d.KVTokens > 0 {
		p.KVTokens = d.KVTokens
	}
	return p
}

// engines is how many a deployment begins with: what it says, or what the top of the load needs.
func (m *simulation) engines(d *Deployment, w window) int {
	switch {
	case d.Autoscale.Max > 0:
		return min(max(d.Engines, d.Autoscale.Min), d.Autoscale.Max)
	case d.Engines > 0:
		return d.Engines
	}
	var shares int64
	for i := range m.scenario.Deployments {
		shares += m.scenario.Deployments[i].Share
	}
	mean, top := newShape(&Scenario{Traffic: Traffic{Swing: m.scenario.Traffic.Swing, PeakHour: m.scenario.Traffic.PeakHour, Weekend: m.scenario.Traffic.Weekend}}, w).over(w.begin, w.quiet)
	peak := float64(m.scenario.Requests) / (m.scenario.Hours * 3600) * top / mean * float64(d.Share) / float64(shares)
	return max(2, int(math.Ceil(peak/d.PerEngine)))
}

// schedule plans the lives of a service's engines: the first generation is ready when the time begins, a later one when
// its version begins to serve; then the one before drains.
func (m *simulation) schedule(v *service) {
	startup := v.deployment.Startup.Microseconds()
	for i, g := range v.gens {
		m.plans.Put(g.from-startup, func(at int64) error { return g.start(at) })
		if i > 0 {
			before := v.gens[i-1]
			m.plans.Put(g.from, func(at int64) error { return before.drain(at) })
		}
	}
	v.scaler.schedule(m)
}

// start boots the engines that are wanted.
func (g *generation) start(at int64) error {
	return g.each(func(s *seat) error {
		if s.pool.role == stream.RoleEngine && s.index >= g.service.scaler.size {
			return nil
		}
		return s.start(at)
	})
}

func (g *generation) drain(at int64) error {
	return g.each(func(s *seat) error {
		if !s.held() {
			return nil
		}
		return s.drain(at, at+drainMicros)
	})
}

func (g *generation) each(do func(*seat) error) error {
	for _, p := range g.pools {
		for _, s := range p.seats {
			if err := do(s); err != nil {
				return err
			}
		}
	}
	return nil
}
