package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/inferlake/inferlake/stream"
)

// row is a line of the truth, whatever it is of.
type row struct {
	Row, Kind, Instance, Boot, Role, Outcome string
	Deployment                               string
	Objects                                  []string
	Probe                                    bool
	GPU                                      int64 `json:"gpu_ns"`
	Prefill                                  int64 `json:"prefill_ns"`
	Decode                                   int64 `json:"decode_ns"`
	CachedNS                                 int64 `json:"cached_ns"`
	UnheardNS                                int64 `json:"unheard_ns"`
	Unheard                                  int64 `json:"unheard_tokens"`
	Recomputed                               int64 `json:"recomputed_tokens"`
	Preemptions                              int64
	Drafted                                  int64 `json:"drafted_tokens"`
	Output                                   int64 `json:"output_tokens"`
	Started                                  int64 `json:"started_ns"`
	Ended                                    int64 `json:"ended_ns"`
	Startup                                  int64 `json:"startup_ns"`
	Busy                                     int64 `json:"busy_ns"`
	Idle                                     int64 `json:"idle_ns"`
	Down                                     int64 `json:"down_ns"`
	To                                       int64 `json:"to_ns"`
}

// fleet is what a run said, to be held against its truth.
type fleet struct {
	t        *testing.T
	last     int64
	seqs     map[string]int64
	open     map[string]stream.Phase // legs that began and have no end
	ended    map[string]string       // outcome by leg
	gates    map[string]int          // attempts at gateways that ended, by join key
	said     map[string]string       // outcome by role and attempt, where there is a gateway
	steps    map[string]int64        // ns by boot
	output   map[string]int64        // tokens by boot, as sampled last
	phases   map[stream.Phase]int
	kinds    map[stream.Kind]int
	retries  int
	probes   int
	restarts int64
	faults   int
	hpa      map[int64]bool
}

func legOf(e *stream.Event) string {
	return fmt.Sprint(e.Text(stream.EventInstance), " ", e.Text(stream.EventBoot), " ", e.Text(stream.RequestRequestID), " ", e.Num(stream.RequestAttempt))
}

func (f *fleet) event(e *stream.Event) error {
	at := e.Num(stream.EventTimeUnixNano)
	if at < f.last {
		return fmt.Errorf("back in time: %d after %d: %s %v", at, f.last, e.Text(stream.EventInstance), e.Kind)
	}
	f.last = at
	lane := fmt.Sprint(e.Text(stream.EventProducer), " ", e.Text(stream.EventBoot), " ", e.Num(stream.EventLane))
	if seq, ok := e.Int(stream.EventSeq); ok {
		if seq != f.seqs[lane] {
			return fmt.Errorf("%s: %d, want %d", lane, seq, f.seqs[lane])
		}
		f.seqs[lane]++
	}
	f.kinds[e.Kind]++
	switch e.Kind {
	case stream.KindRequest:
		return f.request(e)
	case stream.KindStep:
		f.steps[e.Text(stream.EventInstance)+" "+e.Text(stream.EventBoot)] += e.Num(stream.StepWallNano)
	case stream.KindEngine:
		return f.engine(e)
	case stream.KindGPU:
		return ratios(e)
	case stream.KindFault:
		f.faults++
	case stream.KindNode:
		return nodeRatios(e)
	case stream.KindKube:
		return f.kube(e)
	}
	return nil
}

func (f *fleet) request(e *stream.Event) error {
	leg, phase := legOf(e), stream.Phase(e.Num(stream.RequestPhase))
	f.phases[phase]++
	_, open := f.open[leg]
	if (phase == stream.PhaseReceived) == open {
		return fmt.Errorf("%s: %v while open is %v", leg, phase, open)
	}
	f.open[leg] = phase
	if phase != stream.PhaseFinished {
		return nil
	}
	delete(f.open, leg)
	f.ended[leg] = stream.Outcome(e.Num(stream.RequestOutcome)).String()
	f.retries += int(e.Num(stream.RequestRetry))
	f.probes += int(e.Num(stream.RequestProbe))
	key, role := e.Text(stream.RequestJoinKey), stream.Role(e.Num(stream.EventRole))
	if role == stream.RoleGateway {
		f.gates[key]++
	}
	if key != "" {
		f.said[fmt.Sprint(role, " ", key, " ", e.Num(stream.RequestAttempt))] = f.ended[leg]
	}
	return nil
}

// differ says whether a gateway may say the one of an attempt whose engine says the other; "" is an engine that said nothing.
func differ(gateway, engine string) bool {
	switch gateway + " " + engine {
	case "error ", "rejected ", "cancelled ", "cancelled ok", "cancelled timeout", "cancelled error":
		return true
	}
	return false
}

// agree holds the gateways' legs against the engines'.
func (f *fleet) agree() {
	for leg, outcome := range f.said {
		attempt, ok := strings.CutPrefix(leg, "gateway ")
		if !ok {
			continue
		}
		engine := f.said["engine "+attempt]
		if decode, split := f.said["decode "+attempt]; split {
			engine = decode
		} else if prefill := f.said["prefill "+attempt]; prefill != "" && prefill != "ok" {
			engine = prefill
		}
		if engine != outcome && !differ(outcome, engine) {
			f.t.Errorf("%s: the gateway says %s, the engine %q", attempt, outcome, engine)
		}
	}
}

func (f *fleet) engine(e *stream.Event) error {
	used, free, total, evictable := e.Num(stream.EngineKVUsedBlocks), e.Num(stream.EngineKVFreeBlocks), e.Num(stream.EngineKVTotalBlocks), e.Num(stream.EngineKVEvictableBlocks)
	if used+free != total || evictable > free || used < 0 {
		return fmt.Errorf("%s: %d blocks used, %d free, %d evictable of %d", e.Text(stream.EventInstance), used, free, evictable, total)
	}
	boot, total := e.Text(stream.EventInstance)+" "+e.Text(stream.EventBoot), e.Num(stream.EngineOutputTokensTotal)
	if total < f.output[boot] {
		return fmt.Errorf("%s: %d output tokens after %d", boot, total, f.output[boot])
	}
	f.output[boot] = total
	return nil
}

func nodeRatios(e *stream.Event) error {
	for _, field := range []stream.Field{stream.NodeCPUUsageRatio, stream.NodeCPUThrottledRatio} {
		if v := e.Num(field); v < 0 || v > 1_000_000 {
			return fmt.Errorf("%s = %d", stream.Fields[field].Name, v)
		}
	}
	return nil
}

func (f *fleet) kube(e *stream.Event) error {
	f.restarts = max(f.restarts, e.Num(stream.KubeRestartsTotal))
	if want, ok := e.Int(stream.KubeHPADesiredReplicas); ok {
		f.hpa[want] = true
	}
	if e.Num(stream.KubeReadyReplicas)+e.Num(stream.KubeUnavailableReplicas) != e.Num(stream.KubeDesiredReplicas) {
		return fmt.Errorf("%s: %d ready and %d unavailable of %d", e.Text(stream.KubeDeployment), e.Num(stream.KubeReadyReplicas), e.Num(stream.KubeUnavailableReplicas), e.Num(stream.KubeDesiredReplicas))
	}
	return nil
}

// play runs a scenario and returns what it said, and the truth.
func play(t *testing.T, s Scenario, o Options) (*fleet, []row) {
	t.Helper()
	f := &fleet{t: t, seqs: map[string]int64{}, open: map[string]stream.Phase{}, ended: map[string]string{}, gates: map[string]int{}, said: map[string]string{},
		steps: map[string]int64{}, output: map[string]int64{}, phases: map[stream.Phase]int{}, kinds: map[stream.Kind]int{}, hpa: map[int64]bool{}}
	var truth bytes.Buffer
	o.End, o.Truth = end(), &truth
	if _, err := Run(context.Background(), s, o, f.event); err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, line := range strings.Split(strings.TrimSpace(truth.String()), "\n") {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return f, rows
}

func shippedScenario(t testing.TB, name string) Scenario {
	t.Helper()
	s, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What the truth says adds up, and what was said adds up to it: GPU time to the nanosecond, for each boot of each engine;
// the four parts of a boot's time; and each leg has one end, or was lost with its engine.
func (f *fleet) hold(rows []row) {
	spent, output, lost := map[string]int64{}, map[string]int64{}, map[string]bool{}
	for _, r := range rows {
		switch r.Row {
		case "request":
			spent[r.Instance+" "+r.Boot] += r.GPU
			output[r.Instance+" "+r.Boot] += r.Output
			if r.GPU != r.Prefill+r.Decode+r.CachedNS {
				f.t.Errorf("%+v: the parts are not the whole", r)
			}
			if r.Outcome == "lost" {
				lost[r.Instance+" "+r.Boot] = true
			}
		case "instance":
			boot := r.Instance + " " + r.Boot
			if spent[boot] != r.Busy || f.steps[boot] != r.Busy || r.Startup+r.Busy+r.Idle != r.Ended-r.Started || min(r.Startup, r.Idle, r.Down) < 0 {
				f.t.Errorf("%s: spent %d, in passes %d, busy %d, startup %d, idle %d, down %d of %d ns", boot, spent[boot], f.steps[boot], r.Busy, r.Startup, r.Idle, r.Down, r.Ended-r.Started)
			}
			if f.output[boot] > output[boot] {
				f.t.Errorf("%s: sampled %d output tokens, gave %d", boot, f.output[boot], output[boot])
			}
			delete(spent, boot)
		}
	}
	f.agree()
	if len(spent) > 0 {
		f.t.Errorf("no such boots: %v", spent)
	}
	for leg := range f.open {
		if !lost[strings.Join(strings.Fields(leg)[:2], " ")] {
			f.t.Errorf("%s has no end, and its engine did not die", leg)
		}
	}
}

// An incident that outlasts the simulated time is in the truth, up to its end; one that is over leaves nothing behind.
func TestIncidentsEnd(t *testing.T) {
	s := shippedScenario(t, "chaos")
	d := s.Deployments[0].Name
	s.Incidents = []Incident{
		{Kind: "clock_drop", At: 0.1, For: time.Minute, Deployment: d, Engine: 0, Factor: 1.1},
		{Kind: "clock_drop", At: 0.11, For: time.Minute, Deployment: d, Engine: 0, Factor: 1.7},
		{Kind: "cpu", At: 0.9, For: time.Hour, Deployment: d, Engine: 0, Factor: 3},
	}
	s.Samples.GPU = s.Samples.Engine
	throttled, last := int64(0), map[string]int64{}
	gpus := func(e *stream.Event) error {
		if e.Kind == stream.KindGPU {
			last[e.Text(stream.GPUGPU)] = e.Num(stream.GPUThrottleReasons)
			throttled |= e.Num(stream.GPUThrottleReasons)
		}
		return nil
	}
	_, rows := play(t, s, Options{Seed: 1, Hours: 0.5, Requests: 100})
	var to []int64
	for _, r := range rows {
		if r.Row == "incident" {
			to = append(to, (r.To-end().UnixNano())/int64(time.Minute))
		}
	}
	if len(to) != 3 || to[2] < 0 {
		t.Errorf("ends, minutes from that of the time: %v", to)
	}
	if _, err := Run(context.Background(), s, Options{End: end(), Seed: 1, Hours: 0.5, Requests: 100}, gpus); err != nil || throttled == 0 {
		t.Errorf("throttled %d: %v", throttled, err)
	}
	for gpu, reasons := range last {
		if reasons != 0 {
			t.Errorf("%s is throttled in the end: %d", gpu, reasons)
		}
	}
}

func TestChaos(t *testing.T) {
	f, rows := play(t, shippedScenario(t, "chaos"), Options{Seed: 1})
	f.hold(rows)
	var sum row
	seen, hit := map[string]int{}, map[string]int{}
	for _, r := range rows {
		seen[r.Row+" "+r.Outcome]++
		if r.Row == "incident" {
			hit[r.Kind] += len(r.Objects)
		}
		sum.Unheard, sum.UnheardNS, sum.Recomputed = sum.Unheard+r.Unheard, sum.UnheardNS+r.UnheardNS, sum.Recomputed+r.Recomputed
		sum.Preemptions, sum.Drafted, sum.Down = sum.Preemptions+r.Preemptions, sum.Drafted+r.Drafted, sum.Down+r.Down
	}
	t.Logf("%v %v %v\nphases %v, kinds %v, %d retries, %d probes, hpa %v; %+v", seen, hit, f.restarts, f.phases, f.kinds, f.retries, f.probes, f.hpa, sum)
	for _, what := range []string{"request ok", "request cancelled", "request error", "request timeout", "request lost"} {
		if seen[what] == 0 {
			t.Errorf("no %s", what)
		}
	}
	for _, k := range incidentKinds() {
		if hit[k.name] == 0 {
			t.Errorf("%s hit nothing", k.name)
		}
	}
	for phase := stream.PhaseReceived; phase <= stream.PhaseFinished; phase++ {
		if f.phases[phase] == 0 && phase != stream.PhaseFirstAnswerToken && phase != stream.PhaseTokens {
			t.Errorf("no event says %v", phase)
		}
	}
	if min(sum.Unheard, sum.UnheardNS, sum.Recomputed, sum.Preemptions, sum.Drafted, sum.Down, f.restarts, int64(f.retries), int64(f.probes), int64(f.faults)) == 0 || len(f.hpa) < 2 {
		t.Error("something that should happen did not")
	}
	for key, n := range f.gates {
		if n > 3 {
			t.Errorf("%s: %d attempts", key, n)
		}
	}
}

// The same holds whatever is switched on.
func TestConservation(t *testing.T) {
	for seed := range uint64(12) {
		s := shippedScenario(t, "chaos")
		d := newDice(seed, 99)
		s.Requests = 200 + d.Int64N(800)
		s.Hours = 0.3
		s.Physics.Noise, s.Physics.Drift, s.Physics.Spread = d.Float64()*0.05, d.Float64()*0.1, d.Float64()*0.1
		s.Physics.Quadratic, s.Physics.Reserve = d.chance(0.5), d.chance(0.3)
		s.Gateway.Instances = d.IntN(3)
		s.Clients.Retries = d.Int64N(3)
		s.Cache.Blocks = d.Int64N(3) * 100
		s.Deployments = s.Deployments[d.IntN(3):]
		s.Incidents = nil
		for range d.IntN(6) {
			kinds := incidentKinds()
			k := &kinds[d.IntN(len(kinds))]
			s.Incidents = append(s.Incidents, Incident{Kind: k.name, At: d.Float64(), For: 60e9, Deployment: s.Deployments[0].Name, Engine: d.IntN(4) - 1, Factor: k.factor})
		}
		f, rows := play(t, s, Options{Seed: seed})
		f.hold(rows)
		if t.Failed() {
			t.Fatalf("seed %d: %+v", seed, s)
		}
	}
}

// The truth is kept or not: the events are the same.
func TestTruthChangesNothing(t *testing.T) {
	run := func(truth *bytes.Buffer) string {
		h := newHash()
		o := Options{End: end(), Seed: 3, Hours: 0.5, Requests: 600}
		if truth != nil {
			o.Truth = truth
		}
		if _, err := Run(context.Background(), shippedScenario(t, "chaos"), o, func(e *stream.Event) error { digest(h, e); return nil }); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%x", h.Sum(nil))
	}
	if run(nil) != run(new(bytes.Buffer)) {
		t.Error("they are not")
	}
}
