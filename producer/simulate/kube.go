package simulate

import (
	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/stream"
)

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
	e := s.m.beginKube(at, every)
	e.SetText(stream.KubePod, s.in.Pod)
	e.SetText(stream.KubeNode, s.in.Node)
	e.SetInt(stream.KubeStartedUnixNano, s.created*1000)
	e.SetInt(stream.KubeReadyRatio, 0)
	if s.state == stream.StateReady {
		e.SetInt(stream.KubeReadyRatio, 1_000_000)
	}
	e.SetInt(stream.KubeGPUsRequested, s.pool.profile.GPUs)
	e.SetInt(stream.KubeCPUThrottledRatio, min(1_000_000, s.on.busyPPM/2))
	e.SetInt(stream.KubeRestartsTotal, s.restarts)
	e.SetInt(stream.KubeOOMKilledTotal, s.killed)
	return s.m.voices.rest.Send()
}
