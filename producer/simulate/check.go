package simulate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/inferlake/inferlake/producer/stepmodel"
)

// rule is a key and what its value must be.
type rule struct {
	key   string
	value any
	holds bool
	must  string
}

// broken is the first rule that does not hold, as an error.
func broken(at string, rules []rule) error {
	for _, r := range rules {
		if !r.holds {
			return fmt.Errorf("%s%s: %v: must be %s", at, r.key, r.value, r.must)
		}
	}
	return nil
}

// between makes the rule that a number lies in a range.
func between[T int | int64 | float64 | time.Duration](key string, v, low, high T) rule {
	return rule{key, v, v >= low && v <= high, fmt.Sprintf("%v to %v", low, high)}
}

const day = 24 * time.Hour

// check refuses values that cannot be.
func (s *Scenario) check() error {
	if err := broken("", s.rules()); err != nil {
		return err
	}
	for i, b := range s.Traffic.Bursts {
		if err := broken(fmt.Sprintf("traffic.bursts[%d].", i), []rule{between("at", b.At, 0, 1), between("for", b.For, time.Second, 31*day), between("factor", b.Factor, 0, 100)}); err != nil {
			return err
		}
	}
	names := map[string]bool{}
	for i := range s.Deployments {
		at := fmt.Sprintf("deployments[%d].", i)
		if err := s.Deployments[i].check(at); err != nil {
			return err
		}
		if names[s.Deployments[i].Name] {
			return fmt.Errorf("%sname: %s: must be given once", at, s.Deployments[i].Name)
		}
		names[s.Deployments[i].Name] = true
	}
	for i := range s.Classes {
		if err := broken(fmt.Sprintf("classes[%d].", i), s.Classes[i].rules()); err != nil {
			return err
		}
	}
	for i := range s.Incidents {
		if err := broken(fmt.Sprintf("incidents[%d].", i), s.Incidents[i].rules(s, names)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Scenario) rules() []rule {
	c, p := &s.Clients, &s.Physics
	scales := slices.ContainsFunc(s.Deployments, func(d Deployment) bool { return d.Autoscale.Max > 0 })
	return []rule{
		between("hours", s.Hours, 0.1, 8784),
		between("requests", s.Requests, 0, 1e12),
		{"producers", s.Producers, s.Producers == "collector" || s.Producers == "instances", "collector or instances"},
		between("tenants", s.Tenants, 1, 100_000),
		between("samples.engine", s.Samples.Engine, time.Millisecond, time.Hour),
		{"samples.gpu", s.Samples.GPU, s.Samples.GPU >= 0 && s.Samples.GPU%s.Samples.Engine == 0, fmt.Sprintf("a multiple of samples.engine, %s", s.Samples.Engine)},
		{"samples.node", s.Samples.Node, s.Samples.Node == 0 || s.Samples.Node >= time.Second && s.Samples.Node <= time.Hour, "0 or 1s to 1h"},
		{"samples.kube", s.Samples.Kube, s.Samples.Kube == 0 || s.Samples.Kube >= time.Second && s.Samples.Kube <= time.Hour, "0 or 1s to 1h"},
		{"samples.probe", s.Samples.Probe, s.Samples.Probe == 0 || s.Samples.Probe >= time.Second, "0 or 1s and more"},
		between("traffic.swing", s.Traffic.Swing, 0, 1),
		between("traffic.peak_hour", s.Traffic.PeakHour, 0, 24),
		between("traffic.weekend", s.Traffic.Weekend, 0, 10),
		between("clients.cancelled", c.Cancelled, 0, 1),
		between("clients.unheard_tokens", c.UnheardTokens, 0, 10_000),
		between("clients.disconnected", c.Disconnected, 0, 1),
		between("clients.impatient", c.Impatient, 0, 1),
		between("clients.patience", c.Patience, 10*time.Millisecond, day),
		between("clients.failed", c.Failed, 0, 1),
		{"clients", c.Cancelled + c.Disconnected + c.Failed, c.Cancelled+c.Disconnected+c.Failed <= 1, "at most 1: cancelled, disconnected and failed together"},
		between("clients.retries", c.Retries, 0, 10),
		between("clients.retry_after", c.RetryAfter, 100*time.Millisecond, time.Hour),
		between("gateway.instances", s.Gateway.Instances, 0, 100),
		between("gateway.hop", s.Gateway.Hop, 0, time.Second),
		{"gateway.timeout", s.Gateway.Timeout, s.Gateway.Timeout == 0 || s.Gateway.Timeout >= time.Second, "0 or 1s and more"},
		between("gateway.limit", s.Gateway.Limit, 0, 1e9),
		between("physics.noise", p.Noise, 0, 0.2),
		between("physics.drift", p.Drift, 0, 0.5),
		between("physics.period", p.Period, time.Minute, 31*day),
		between("physics.spread", p.Spread, 0, 0.5),
		between("cache.blocks", s.Cache.Blocks, 0, 1e9),
		between("cache.block_tokens", s.Cache.BlockTokens, 1, 1<<20),
		{"deployments", len(s.Deployments), len(s.Deployments) > 0, "one at least"},
		{"producers", s.Producers, !scales || s.Producers == "instances", "instances where a deployment scales: each boot of an engine speaks for itself"},
		{"classes", len(s.Classes), len(s.Classes) > 0, "one at least"},
	}
}

func (d *Deployment) check(at string) error {
	_, known := stepmodel.ProfileNamed(d.Profile)
	a := &d.Autoscale
	err := broken(at, []rule{
		{"name", d.Name, d.Name != "", "given"},
		{"profile", d.Profile, known, "one of " + profiles()},
		between("share", d.Share, 1, 1e9),
		between("engines", d.Engines, 0, 10_000),
		{"per_engine", d.PerEngine, d.Engines > 0 || a.Max > 0 || d.PerEngine > 0, "above 0 where neither engines nor autoscale is given"},
		between("startup", d.Startup, time.Second, day),
		between("prefill_engines", d.PrefillEngines, 0, 10_000),
		{"autoscale", a.Max, a.Max == 0 || d.PrefillEngines == 0, "left out with prefill_engines"},
		between("network", d.Network, 0.001, 100_000),
		between("kv_tokens", d.KVTokens, 0, 1e9),
		between("speculation.tokens", d.Speculation.Tokens, 0, 16),
		between("speculation.accept", d.Speculation.Accept, 0, 1),
		between("speculation.time", d.Speculation.Time, 0, time.Second),
		{"autoscale.min", a.Min, a.Max == 0 || a.Min >= 1 && a.Min <= a.Max, "1 to autoscale.max"},
		between("autoscale.max", a.Max, 0, 10_000),
		{"autoscale.target", a.Target, a.Max == 0 || a.Target > 0, "above 0"},
		between("autoscale.every", a.Every, time.Second, time.Hour),
		between("autoscale.down_after", a.DownAfter, 0, day),
	})
	for i, v := range d.Rollout {
		if err != nil {
			break
		}
		err = broken(fmt.Sprintf("%srollout[%d].", at, i), []rule{
			{"name", v.Name, v.Name != "", "given"},
			{"from", v.From, i > 0 && v.From > d.Rollout[i-1].From && v.From <= 1 || i == 0 && v.From == 0, "0 for the first version, and later for each one, 1 at most"},
			between("speed", v.Speed, 0.01, 100),
		})
	}
	return err
}

func (c *Class) rules() []rule {
	return []rule{
		{"name", c.Name, c.Name != "", "given"},
		between("share", c.Share, 1, 1e9),
		between("turns", c.Turns, 1, 1000),
		between("shared", c.Shared, 0, maxContext),
		between("prompt", c.Prompt, 1, maxContext),
		between("output", c.Output, 1, 1e6),
		between("prompt_spread", c.PromptSpread, 0, 5),
		between("output_spread", c.OutputSpread, 0, 5),
		between("max_output", c.MaxOutput, 1, 1e6),
		between("think", c.Think, time.Second, 31*day),
	}
}

func (n *Incident) rules(s *Scenario, deployments map[string]bool) []rule {
	k := incidentNamed(n.Kind)
	if k == nil {
		return []rule{{"kind", n.Kind, false, "one of " + incidentNames()}}
	}
	return []rule{
		between("at", n.At, 0, 1),
		between("for", n.For, 0, 31*day),
		{"deployment", n.Deployment, deployments[n.Deployment], "the name of one"},
		between("engine", n.Engine, -1, 10_000),
		{"factor", n.Factor, n.Factor >= k.least, fmt.Sprintf("%v or more", k.least)},
		{"kind", n.Kind, !k.crash || s.Producers == "instances", "left out where producers is collector: an engine that dies must speak for itself"},
	}
}

func profiles() string {
	var names []string
	for _, p := range stepmodel.Profiles() {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}
