package simulate

import "github.com/inferlake/inferlake/stream"

// scheduleSamples plans what is sampled beside engines and GPUs, and the probes of engines.
func (m *simulation) scheduleSamples() {
	s := &m.scenario.Samples
	if every := s.Node.Microseconds(); every > 0 {
		m.every(m.window.begin+every, every, func(at int64) error {
			for _, n := range m.nodes {
				if err := n.sample(m, at, every); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if every := s.Kube.Microseconds(); every > 0 {
		m.every(m.window.begin, every, func(at int64) error { return m.kube(at, every) })
	}
	if every := s.Probe.Microseconds(); every > 0 {
		m.every(m.window.begin+every/2, every, m.probe)
	}
}

// probe asks each engine that is ready for one token.
func (m *simulation) probe(at int64) error {
	for _, v := range m.services {
		for _, p := range v.serving(at).pools {
			for _, s := range p.seats {
				if s.state == stream.StateReady && p.role != stream.RoleDecode {
					m.ping(v, s, at)
				}
			}
		}
	}
	return nil
}

// ping sends a health probe, 8 tokens in and one out, to the engine itself.
func (m *simulation) ping(v *service, s *seat, at int64) {
	m.probes++
	m.open++
	t := &turn{session: &session{class: &Class{Name: "probe", MaxOutput: 1}}, at: at, prompt: 8, output: 1}
	c := &call{id: "probe-" + itoa(m.probes), turn: t, service: v, began: at, probe: s, fate: fate{outcome: stream.OutcomeOK, output: 1}}
	s.pool.fleet.Send(s.index, m.ask(m.newLeg(c, s.pool), at))
}
