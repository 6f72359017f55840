package replay

import (
	"fmt"

	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// begin starts the fleet with the first arrival. The engines are ready at once: a trace says nothing of their start.
func (p *player) begin(at int64) error {
	at = at / 1000 * 1000 // the model's clock
	n := 1
	if !p.format.Measured {
		n = p.Replicas
		p.fleet = stepmodel.NewFleet(p.startedAt(at), func(us int64, o stepmodel.Output) { p.line.Put(us*1000, o) })
	}
	for i := range n {
		p.instances = append(p.instances, p.instance(i, at))
	}
	for _, state := range []stream.Lifecycle{stream.StateStarting, stream.StateReady} {
		for i := range p.instances {
			if err := p.out.State(&p.instances[i], state, at); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *player) startedAt(at int64) stepmodel.Config {
	c := p.settings.fleet
	c.Start = at / 1000
	return c
}

// instance describes an engine. A benchmark sees one endpoint, and nothing of what is behind it: its clients'
// latencies are booked on one engine.
func (p *player) instance(i int, at int64) lifecycle.Instance {
	in := lifecycle.Instance{Name: fmt.Sprintf("replay-%d", i), Role: stream.RoleEngine, Model: p.Model, Version: p.Version, Started: at}
	if p.format.play != nil {
		in.Engine, in.GPUs = "vllm", []string{gpuName(in.Name)}
	}
	if p.format.Measured {
		return in
	}
	in.Engine, in.EngineVersion = "stepmodel", p.profile.Name
	in.Profile, in.PrefixCache = &p.profile, p.settings.fleet.CacheBlocks > 0
	if in.Model == "" {
		in.Model = p.profile.Model
	}
	return in
}

// close says the last numbers and stops the instances, at the time of the last event. A replay cut short leaves the
// numbers of those last events to what comes at their place in a whole one.
func (p *player) close(cut bool) error {
	if len(p.instances) == 0 {
		return nil
	}
	at := p.summary.To
	if err := p.out.Heartbeats(&p.instances[0], at); err != nil {
		return err
	}
	send := p.out.Send
	if cut {
		send = p.out.SendUnnumbered
	}
	for i := range p.instances {
		p.out.BeginState(&p.instances[i], stream.StateStopped, at)
		if err := send(); err != nil {
			return err
		}
	}
	return nil
}
