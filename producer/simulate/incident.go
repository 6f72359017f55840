package simulate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/inferlake/inferlake/stream"
)

// incidentKind is a way in which things go wrong.
type incidentKind struct {
	name   string
	factor float64 // default of Incident.Factor
	least  float64 // that it may be
	crash  bool    // ends engines without a word
	begin  func(n *incident, s *seat, at int64) error
	end    func(n *incident, s *seat, at int64) error // nil: nothing to undo
}

// restartMicros is how long a pod is down before its container starts again.
const restartMicros = 10_000_000

// leakMiB is the memory that an engine takes before it is killed.
const leakMiB = 600_000

// incidentKinds are those that there are.
func incidentKinds() []incidentKind {
	return []incidentKind{
		// Heat lowers a GPU's clock; factor: by how much passes take longer.
		{"clock_drop", 1.5, 1, false,
			func(n *incident, s *seat, _ int64) error { s.slow(n.Factor, n.Factor); return nil },
			func(n *incident, s *seat, _ int64) error { s.recover(n.Factor, n.Factor); return nil }},
		// An engine is slower than others, and nothing says why; factor: by how much.
		{"straggler", 1.3, 1, false,
			func(n *incident, s *seat, _ int64) error { s.slow(n.Factor, 1); return nil },
			func(n *incident, s *seat, _ int64) error { s.recover(n.Factor, 1); return nil }},
		// A GPU reports an Xid and its engine dies.
		{"xid", 1, 0, true,
			func(n *incident, s *seat, at int64) error {
				s.meter.xid(n.code())
				return errors.Join(s.fault(stream.FaultKindXid, n.code(), 1, at), s.crash(at, restartMicros))
			}, nil},
		// Memory errors that are corrected; factor: how many in each sample of the GPU.
		{"ecc", 4, 1, false,
			func(n *incident, s *seat, at int64) error {
				s.failing += int64(n.Factor)
				return s.fault(stream.FaultKindECCCorrected, 0, int64(n.Factor), at)
			},
			func(n *incident, s *seat, _ int64) error { s.failing -= int64(n.Factor); return nil }},
		// An engine takes memory until, at the end, its container is killed.
		{"oom_kill", 1, 0, true,
			func(n *incident, s *seat, _ int64) error { s.on.ballast += leakMiB; return nil },
			func(n *incident, s *seat, at int64) error {
				s.on.ballast -= leakMiB
				s.killed++
				return s.crash(at, restartMicros)
			}},
		// Another program takes a node's CPU; factor: by how much tokenizing takes longer.
		{"cpu", 8, 1, false,
			func(n *incident, s *seat, _ int64) error {
				s.on.crowd(func(v *float64) { *v *= n.Factor }, crowdPPM)
				return nil
			},
			func(n *incident, s *seat, _ int64) error {
				s.on.crowd(func(v *float64) { without(v, n.Factor) }, -crowdPPM)
				return nil
			}},
		// Prefix caches are emptied, and stay so.
		{"cache_loss", 1, 0, false,
			func(n *incident, s *seat, _ int64) error { s.pool.fleet.DropCache(s.index, 0); return nil },
			func(n *incident, s *seat, _ int64) error {
				s.pool.fleet.DropCache(s.index, s.m.scenario.Cache.Blocks)
				return nil
			}},
		// More sessions begin; factor: how many times as many, of all deployments.
		{"burst", 3, 0, false, nil, nil},
	}
}

func incidentNamed(name string) *incidentKind {
	for _, k := range incidentKinds() {
		if k.name == name {
			return &k
		}
	}
	return nil
}

func incidentNames() string {
	var names []string
	for _, k := range incidentKinds() {
		names = append(names, k.name)
	}
	return strings.Join(names, ", ")
}

// incident is one on its way.
type incident struct {
	*Incident
	kind  *incidentKind
	seats []*seat // that it hit
	begun int64   // µs since 1970
	over  bool
}

// code is the Xid of an xid: that the GPU fell off the bus, where nothing else is said.
func (n *incident) code() int64 { return cmp.Or(n.Code, 79) }

// slow makes an engine's passes take so many times as long, and its GPUs' clock so many times as low.
func (s *seat) slow(factor, clock float64) {
	s.slowness *= factor
	s.clock *= clock
	s.tune()
}

// recover undoes slow.
func (s *seat) recover(factor, clock float64) {
	without(&s.slowness, factor)
	without(&s.clock, clock)
	s.tune()
}

// without takes a factor out of a product, which is 1 again after the last one.
func without(product *float64, factor float64) {
	if *product /= factor; math.Abs(*product-1) < 1e-9 {
		*product = 1
	}
}

// crowdPPM is the share of a node's CPU that another program takes.
const crowdPPM = 950_000

// crowd changes who else uses the node's CPU, and so how long its engines take to tokenize.
func (n *node) crowd(change func(tokenize *float64), ppm int64) {
	n.busyPPM += ppm
	for _, s := range n.seats {
		change(&s.tokenize)
		s.tune()
	}
}

func (m *simulation) scheduleIncidents() {
	for i := range m.scenario.Incidents {
		n := &incident{Incident: &m.scenario.Incidents[i]}
		n.kind = incidentNamed(n.Kind)
		m.plans.Put(m.window.at(n.At), func(at int64) error { return m.begin(n, at) })
	}
}

// begin lets an incident happen to the engines that serve then.
func (m *simulation) begin(n *incident, at int64) error {
	n.begun = at
	m.incidents = append(m.incidents, n)
	if n.kind.begin != nil {
		n.seats = m.hit(n, at)
	}
	for _, s := range n.seats {
		if err := n.kind.begin(n, s, at); err != nil {
			return err
		}
	}
	m.plans.Put(at+n.For.Microseconds(), func(at int64) error { return m.end(n, at) })
	return nil
}

func (m *simulation) end(n *incident, at int64) error {
	if n.kind.end != nil {
		for _, s := range n.seats {
			if err := n.kind.end(n, s, at); err != nil {
				return err
			}
		}
	}
	n.over = true
	return m.truth.incident(n, at)
}

// closeIncidents notes those that outlast the simulated time.
func (m *simulation) closeIncidents(at int64) error {
	for _, n := range m.incidents {
		if n.over {
			continue
		}
		if err := m.truth.incident(n, at); err != nil {
			return err
		}
	}
	return nil
}

// hit is the seats that an incident is about: those of its deployment that are up, or one of them. A node's CPU is taken
// once.
func (m *simulation) hit(n *incident, at int64) (hit []*seat) {
	for _, v := range m.services {
		if v.deployment.Name != n.Deployment {
			continue
		}
		var up []*seat
		for _, p := range v.serving(at).pools {
			for _, s := range p.seats {
				if s.up() {
					up = append(up, s)
				}
			}
		}
		if n.Engine >= 0 && len(up) > 0 {
			i := n.Engine % len(up)
			up = up[i : i+1]
		}
		hit = up
	}
	if n.Kind == "cpu" {
		hit = onePerNode(hit)
	}
	return hit
}

func onePerNode(seats []*seat) (some []*seat) {
	seen := map[string]bool{}
	for _, s := range seats {
		if !seen[s.in.Node] {
			some = append(some, s)
		}
		seen[s.in.Node] = true
	}
	return some
}

// objects names what an incident hit.
func (n *incident) objects() []string {
	var names []string
	for _, s := range n.seats {
		switch n.Kind {
		case "cpu":
			names = append(names, s.in.Node)
		case "xid", "ecc":
			names = append(names, s.in.GPUs[0])
		default:
			names = append(names, s.in.Name)
		}
	}
	if n.Kind == "burst" {
		names = append(names, fmt.Sprintf("sessions of all deployments ×%g", n.Factor))
	}
	return names
}
