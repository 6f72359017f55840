package simulate

import (
	"fmt"
	"math"

	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// startup is how long an engine takes from its start until it is ready, µs.
const startup = 90 * 1_000_000

// generation is the engines of one deployment at one version.
type generation struct {
	index     int
	version   *Version
	profile   stepmodel.Profile
	fleet     *stepmodel.Fleet
	instances []lifecycle.Instance
	meters    []meter // of the GPUs of each instance
	from      int64   // µs: it takes requests from here on
	open      int64   // requests that arrived and did not finish, as told so far
	stopped   bool
}

// generations makes those of a deployment, in order of time.
func generations(s *Scenario, d *Deployment, o *Options, w window, first int, emit func(*generation, int64, stepmodel.Output)) ([]*generation, error) {
	base, ok := stepmodel.ProfileNamed(d.Profile)
	if !ok {
		return nil, fmt.Errorf("simulate: deployment %s: no profile %q", d.Name, d.Profile)
	}
	var all []*generation
	for i := range d.Rollout {
		v := &d.Rollout[i]
		g := &generation{index: first + i, version: v, profile: speed(base, v.Speed)}
		g.from = w.begin + int64(v.From*float64(w.end-w.begin))
		n := engines(s, d, o)
		g.fleet = stepmodel.NewFleet(stepmodel.Config{
			Profile: g.profile, Replicas: n, Dispatch: stepmodel.LeastLoaded, CacheBlocks: s.CacheBlocks,
			Interval: o.SampleInterval.Microseconds(), Start: g.from,
		}, func(at int64, out stepmodel.Output) { emit(g, at, out) })
		for r := range n {
			g.instances = append(g.instances, g.instance(s, d, r))
			g.meters = append(g.meters, newMeter(g, o))
		}
		all = append(all, g)
	}
	return all, nil
}

// speed scales the times of a profile, in per cent.
func speed(p stepmodel.Profile, percent int64) stepmodel.Profile {
	for _, v := range []*int64{&p.A, &p.B, &p.N, &p.D, &p.E} {
		*v = *v * percent / 100
	}
	return p
}

// engines is how many a deployment needs at the peak of the day.
func engines(s *Scenario, d *Deployment, o *Options) int {
	var shares int64
	for i := range s.Deployments {
		shares += s.Deployments[i].Share
	}
	peak := float64(o.Requests) / (o.Hours * 3600) * peakShape * float64(d.Share) / float64(shares)
	return max(2, int(math.Ceil(peak/d.PerSec)))
}

func (g *generation) instance(s *Scenario, d *Deployment, n int) lifecycle.Instance {
	in := lifecycle.Instance{
		Name: fmt.Sprintf("%s-%s-%d", d.Name, g.version.Name, n), Role: stream.RoleEngine,
		Engine: "stepmodel", EngineVersion: g.profile.Name, Model: g.profile.Model, Version: g.version.Name,
		Profile: &g.profile, PrefixCache: s.CacheBlocks > 0,
		Deployment: d.Name, Namespace: s.Namespace, Cluster: s.Cluster, Region: s.Region,
		Started: (g.from - startup) * 1000,
	}
	in.Pod = fmt.Sprintf("%s-%08x-%d", d.Name, uint32(mix(uint64(g.index), 3)), n)
	const perNode = 8
	in.Node = fmt.Sprintf("%s-%d-%d", d.Name, g.index, int64(n)*g.profile.GPUs/perNode)
	for i := range g.profile.GPUs {
		in.GPUs = append(in.GPUs, fmt.Sprintf("GPU-%016x-%d", mix(uint64(g.index), uint64(n)+101), i))
	}
	return in
}
