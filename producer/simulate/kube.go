package simulate

import (
	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/stream"
)

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

// kube writes what Kubernetes says of each deployment and pod.
func (m *simulation) kube(at, every int64) error {
	for _, v := range m.services {
		var n replicas
		for _, g := range v.gens {
			err := g.each(func(s *seat) error {
				n.add(s)
				return s.kube(at, every)
			})
			if err != nil {
				return err
			}
		}
		if err := m.kubeDeployment(v, n, at, every); err != nil {
			return err
		}
	}
	return nil
}

// replicas counts a deployment's pods by their state.
type replicas struct{ desired, ready, pending, gpus int64 }

func (n *replicas) add(s *seat) {
	if !s.held() || s.state == stream.StateDraining {
		return
	}
	n.desired++
	n.gpus += s.pool.profile.GPUs
	switch s.state {
	case stream.StateReady:
		n.ready++
	case stream.StateStarting:
		n.pending++
	}
}

func (m *simulation) kubeDeployment(v *service, n replicas, at, every int64) error {
	d := v.deployment
	e := m.beginKube(at, every)
	e.SetText(stream.KubeDeployment, d.Name)
	e.SetInt(stream.KubeDesiredReplicas, n.desired)
	e.SetInt(stream.KubeReadyReplicas, n.ready)
	e.SetInt(stream.KubeAvailableReplicas, n.ready)
	e.SetInt(stream.KubeUnavailableReplicas, n.desired-n.ready)
	e.SetInt(stream.KubePendingPods, n.pending)
	e.SetInt(stream.KubeGPUsRequested, n.gpus)
	if v.scaler.on() {
		e.SetInt(stream.KubeHPAMinReplicas, int64(d.Autoscale.Min))
		e.SetInt(stream.KubeHPAMaxReplicas, int64(d.Autoscale.Max))
		e.SetInt(stream.KubeHPADesiredReplicas, int64(v.scaler.wish))
	}
	return m.voices.rest.Send()
}

func (m *simulation) beginKube(at, every int64) *stream.Event {
	e := m.voices.rest.Begin(stream.KindKube, lifecycle.LaneInfra, m.observer(), at*1000)
	e.SetText(stream.KubeNamespace, m.scenario.Placement.Namespace)
	e.SetInt(stream.KubeDtNano, every*1000)
	return e
}

// kube writes what Kubernetes says of a seat's pod.
func (s *seat) kube(at, every int64) error {
	if !s.held() {
		return nil
	}
	n := s.m.nodeNamed(s.in.Node)
	e := s.m.beginKube(at, every)
	e.SetText(stream.KubePod, s.in.Pod)
	e.SetText(stream.KubeNode, s.in.Node)
	e.SetInt(stream.KubeStartedUnixNano, s.created*1000)
	e.SetInt(stream.KubeReadyRatio, 0)
	if s.state == stream.StateReady {
		e.SetInt(stream.KubeReadyRatio, 1_000_000)
	}
	e.SetInt(stream.KubeGPUsRequested, s.pool.profile.GPUs)
	e.SetInt(stream.KubeCPUThrottledRatio, min(1_000_000, n.busyPPM/2))
	e.SetInt(stream.KubeRestartsTotal, s.restarts)
	e.SetInt(stream.KubeOOMKilledTotal, s.killed)
	return s.m.voices.rest.Send()
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

// probing is the session of health probes: 8 tokens in, one out.
var probing = session{class: &Class{Name: "probe", MaxOutput: 1}}

func (m *simulation) ping(v *service, s *seat, at int64) {
	m.probes++
	m.open++
	t := &turn{session: &probing, at: at, prompt: 8, output: 1}
	c := &call{id: "probe-" + itoa(m.probes), turn: t, service: v, began: at, probe: s, fate: fate{outcome: stream.OutcomeOK, output: 1}}
	s.pool.fleet.Send(s.index, m.ask(m.newLeg(c, s.pool), at))
}
