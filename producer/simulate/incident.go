package simulate

import (
	"fmt"
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

// incidentKinds are those that there are.
func incidentKinds() []incidentKind {
	return []incidentKind{
		// Heat lowers a GPU's clock; factor: by how much passes take longer.
		{"clock_drop", 1.5, 1, false,
			func(n *incident, s *seat, _ int64) error { s.slow(n.Factor, n.Factor); return nil },
			func(n *incident, s *seat, _ int64) error { s.slow(1/n.Factor, 1/n.Factor); return nil }},
		// An engine is slower than others, and nothing says why; factor: by how much.
		{"straggler", 1.3, 1, false,
			func(n *incident, s *seat, _ int64) error { s.slow(n.Factor, 1); return nil },
			func(n *incident, s *seat, _ int64) error { s.slow(1/n.Factor, 1); return nil }},
		// A GPU reports an Xid and its engine dies.
		{"xid", 1, 0, true,
			func(n *incident, s *seat, at int64) error {
				return first(s.fault(stream.FaultKindXid, n.code(79), 1, at), func() error { return s.crash(at, restartMicros) })
			}, nil},
		// Memory errors that are corrected; factor: how many in each sample of the GPU.
		{"ecc", 4, 1, false,
			func(n *incident, s *seat, at int64) error {
				s.failing += int64(n.Factor)
				return s.fault(stream.FaultKindECCCorrected, 0, int64(n.Factor), at)
			},
			func(n *incident, s *seat, _ int64) error { s.failing -= int64(n.Factor); return nil }},
		// An engine leaks memory until its container is killed.
		{"oom_kill", 1, 0, true,
			func(n *incident, s *seat, at int64) error {
				s.killed++
				return s.crash(at, restartMicros)
			}, nil},
		// Another program takes a node's CPU; factor: by how much tokenizing takes longer.
		{"cpu", 8, 1, false,
			func(n *incident, s *seat, _ int64) error { s.crowd(n.Factor, 950_000); return nil },
			func(n *incident, s *seat, _ int64) error { s.crowd(1/n.Factor, -950_000); return nil }},
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

func first(err error, then func() error) error {
	if err != nil {
		return err
	}
	return then()
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
}

func (n *incident) code(def int64) int64 {
	if n.Code > 0 {
		return n.Code
	}
	return def
}

// slow makes an engine's passes take so many times as long, and its GPUs' clock so many times as low.
func (s *seat) slow(factor, clock float64) {
	s.slowness *= factor
	s.clock *= clock
	s.tune()
}

// crowd takes CPU from the node, so that all its engines tokenize more slowly.
func (s *seat) crowd(factor float64, ppm int64) {
	n := s.m.nodeNamed(s.in.Node)
	n.busyPPM += ppm
	for _, other := range n.seats {
		other.tokenize *= factor
		other.tune()
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
	return m.truth.incident(n, at)
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
