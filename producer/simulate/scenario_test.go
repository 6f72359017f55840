package simulate

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/inferlake/inferlake/stream"
)

const plain = `
deployments: [{name: a, profile: h100-llama3-8b-tp1, engines: 2}]
classes: [{name: chat, prompt: 100, output: 50}]
`

// What cannot be is refused, and the key is named.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "deployments: 0: must be one at least"},
		{"hour: 3", "field hour not found"},
		{"hours: x", "cannot unmarshal !!str `x` into float64"},
		{plain + "hours: 0.01", "hours: 0.01: must be 0.1 to 8784"},
		{plain + "producers: each", "producers: each: must be collector or instances"},
		{plain + "samples: {engine: 10s, gpu: 15s}", "samples.gpu: 15s: must be a multiple of samples.engine, 10s"},
		{plain + "samples: {node: 1ms}", "samples.node: 1ms: must be 0 or 1s to 1h"},
		{plain + "clients: {cancelled: 0.6, failed: 0.6}", "clients: 1.2: must be at most 1"},
		{plain + "clients: {retries: 1, retry_after: 1ms}", "clients.retry_after: 1ms: must be 100ms to 1h0m0s"},
		{plain + "traffic: {bursts: [{at: 2, for: 1m, factor: 2}]}", "traffic.bursts[0].at: 2: must be 0 to 1"},
		{plain + "physics: {noise: 0.5}", "physics.noise: 0.5: must be 0 to 0.2"},
		{plain + "incidents: [{kind: fire, deployment: a}]", "incidents[0].kind: fire: must be one of clock_drop, straggler, xid, ecc, oom_kill, cpu, cache_loss, burst"},
		{plain + "incidents: [{kind: xid, deployment: b}]", "incidents[0].deployment: b: must be the name of one"},
		{plain + "producers: collector\nincidents: [{kind: xid, deployment: a}]", "must be left out where producers is collector"},
		{plain + "incidents: [{kind: straggler, deployment: a, factor: 0.5}]", "incidents[0].factor: 0.5: must be 1 or more"},
		{"deployments: [{name: a, profile: z, engines: 1}]\nclasses: [{name: c, prompt: 1, output: 1}]", "deployments[0].profile: z: must be one of h100-llama3-8b-tp1, a100"},
		{"deployments: [{name: a, profile: h100-llama3-8b-tp1}]\nclasses: [{name: c, prompt: 1, output: 1}]", "deployments[0].per_engine: 0: must be above 0"},
		{"deployments: [{name: a, profile: h100-llama3-8b-tp1, engines: 1, rollout: [{name: x}, {name: y}]}]\nclasses: [{name: c, prompt: 1, output: 1}]", "deployments[0].rollout[1].from: 0: must be 0 for the first version, and later for each one"},
		{"deployments: [{name: a, profile: h100-llama3-8b-tp1, autoscale: {min: 3, max: 2, target: 1}}]\nclasses: [{name: c, prompt: 1, output: 1}]", "deployments[0].autoscale.min: 3: must be 1 to autoscale.max"},
		{"deployments: [{name: a, profile: h100-llama3-8b-tp1, engines: 1}]\nclasses: [{name: c, output: 1}]", "classes[0].prompt: 0: must be 1 to 16384"},
	} {
		if _, err := Parse([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q:\n got %v\nwant …%s…", c.text, err, c.want)
		}
	}
}

// Shipped scenarios are valid, and run; a file is read where no scenario has the name.
func TestShipped(t *testing.T) {
	for _, name := range Shipped() {
		if _, err := Run(context.Background(), shippedScenario(t, name), Options{End: end(), Hours: 0.2, Requests: 50}, func(*stream.Event) error { return nil }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(file, []byte(plain), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Load(file); err != nil || s.Deployments[0].Name != "a" || s.Classes[0].Turns != 1 {
		t.Errorf("%+v %v", s, err)
	}
	if _, err := Load("nothing"); err == nil || !strings.Contains(err.Error(), "neither a file nor one of chaos, day, fleet-day, month") {
		t.Error(err)
	}
}

// figures are what a few incidents should move.
type figures struct {
	received, prompt, cached, outputs   int64
	queueNS, decodeNS                   int64
	clockMHz, throttled, corrected, cpu int64
}

// measure runs a scenario of one deployment with two engines, and measures its middle third.
func measure(t *testing.T, extra string) (f figures) {
	t.Helper()
	s, err := Parse([]byte(strings.Replace(plain, "chat,", "chat, turns: 3, shared: 1024, think: 20s,", 1) + "hours: 0.5\nrequests: 2000\ntraffic: {swing: 0}\n" + extra))
	if err != nil {
		t.Fatal(err)
	}
	from, to := end().Add(-20*time.Minute).UnixNano(), end().Add(-10*time.Minute).UnixNano()
	first, received := map[string]int64{}, map[string]int64{}
	f.clockMHz = math.MaxInt64
	_, err = Run(context.Background(), s, Options{End: end()}, func(e *stream.Event) error {
		at, id := e.Num(stream.EventTimeUnixNano), e.Text(stream.RequestRequestID)
		if at < from || at >= to {
			return nil
		}
		switch e.Kind {
		case stream.KindGPU:
			f.clockMHz, f.throttled = min(f.clockMHz, e.Num(stream.GPUSMClockMHz)), max(f.throttled, e.Num(stream.GPUThermalViolationNanoTotal))
			f.corrected = max(f.corrected, e.Num(stream.GPUECCSBETotal))
		case stream.KindNode:
			f.cpu = max(f.cpu, e.Num(stream.NodeCPUUsageRatio))
		case stream.KindRequest:
			switch stream.Phase(e.Num(stream.RequestPhase)) {
			case stream.PhaseReceived:
				f.received++
				received[id] = at
			case stream.PhaseQueued:
				f.queueNS += at - received[id]
			case stream.PhaseFirstToken:
				first[id] = at
			case stream.PhaseFinished:
				f.prompt, f.cached = f.prompt+e.Num(stream.RequestPromptTokens), f.cached+e.Num(stream.RequestCachedLocalTokens)
				if n := e.Num(stream.RequestOutputTokens); n > 1 && first[id] > 0 {
					f.decodeNS, f.outputs = f.decodeNS+e.Num(stream.RequestLastTokenUnixNano)-first[id], f.outputs+n-1
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Incidents move what they should, against the same time without them.
func TestIncidents(t *testing.T) {
	calm := measure(t, "")
	tpot := func(f figures) float64 { return float64(f.decodeNS) / float64(f.outputs) }
	for _, c := range []struct {
		kind  string
		moved func(f figures) bool
	}{
		{"clock_drop, factor: 2, engine: -1", func(f figures) bool {
			return tpot(f) > 1.8*tpot(calm) && f.clockMHz == 990 && f.throttled > 0 && calm.clockMHz == 1980 && calm.throttled == 0
		}},
		{"straggler, factor: 2, engine: -1", func(f figures) bool { return tpot(f) > 1.8*tpot(calm) && f.clockMHz == 1980 }},
		{"ecc, factor: 7, engine: 0", func(f figures) bool { return f.corrected > 0 && f.corrected%7 == 0 && calm.corrected == 0 }},
		{"cpu, factor: 10, engine: 0", func(f figures) bool {
			return f.cpu > 900_000 && calm.cpu < 200_000 && f.queueNS/f.received > 9*(calm.queueNS/calm.received)
		}},
		{"cache_loss, engine: -1", func(f figures) bool { return f.cached == 0 && calm.cached*10 > calm.prompt*4 }},
		{"burst, factor: 4, engine: -1", func(f figures) bool { return float64(f.received) > 2*float64(calm.received) }},
	} {
		// From before the middle third to its end.
		f := measure(t, "incidents: [{at: 0.3, for: 11m, deployment: a, kind: "+c.kind+"}]")
		if !c.moved(f) {
			t.Errorf("%s:\ncalm %+v\n  it %+v", c.kind, calm, f)
		}
	}
}

// The load has its days, weekends and bursts.
func TestTraffic(t *testing.T) {
	w := window{begin: time.Date(2024, 9, 2, 0, 0, 0, 0, time.UTC).UnixMicro(), end: time.Date(2024, 9, 12, 0, 0, 0, 0, time.UTC).UnixMicro()}
	s := &Scenario{Traffic: Traffic{Swing: 0.5, PeakHour: 14, Weekend: 0.4, Bursts: []Burst{{At: 0.5, For: time.Hour, Factor: 3}}}}
	p := newShape(s, w)
	for _, c := range []struct {
		at   string
		want float64
	}{
		{"2024-09-03T14:00:00Z", 1.5},
		{"2024-09-03T02:00:00Z", 0.5},
		{"2024-09-03T08:00:00Z", 1},
		{"2024-09-08T14:00:00Z", 0.6}, // a Sunday
		{"2024-09-07T00:59:59Z", 0.4 * 3 * 0.5},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.at(at.UnixMicro()); math.Abs(got-c.want) > 0.03 || got > p.peak {
			t.Errorf("%s: %.3f, want %.3f", c.at, got, c.want)
		}
	}
}

// A deployment scales up under load after a cold start, and down after.
func TestAutoscale(t *testing.T) {
	s, err := Parse([]byte(strings.Replace(plain, "engines: 2", "startup: 60s, autoscale: {min: 1, max: 4, target: 1, every: 15s, down_after: 1m}", 1) +
		"hours: 1\nrequests: 2000\ntraffic: {swing: 0, bursts: [{at: 0.3, for: 10m, factor: 10}]}\nsamples: {kube: 10s}"))
	if err != nil {
		t.Fatal(err)
	}
	var most, last, cold int64
	starting := map[string]int64{}
	_, err = Run(context.Background(), s, Options{End: end()}, func(e *stream.Event) error {
		at, in := e.Num(stream.EventTimeUnixNano), e.Text(stream.EventInstance)
		switch state := stream.Lifecycle(e.Num(stream.InstanceState)); {
		case e.Kind == stream.KindKube && e.Text(stream.KubeDeployment) != "":
			last = e.Num(stream.KubeReadyReplicas)
			most = max(most, last)
		case e.Kind == stream.KindInstance && state == stream.StateStarting:
			starting[in] = at
		case e.Kind == stream.KindInstance && state == stream.StateReady:
			cold = at - starting[in]
		}
		return nil
	})
	if err != nil || most < 3 || last != 1 || cold != time.Minute.Nanoseconds() {
		t.Errorf("at most %d ready, %d at the end, ready after %d ns: %v", most, last, cold, err)
	}
}

// The page explains a scenario whose every key is there, and every kind of incident.
func TestDocumented(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(raw), "```yaml\nhours:")
	text, _, ok := strings.Cut("hours:"+text, "```")
	if _, err := Parse([]byte(text)); err != nil || !ok {
		t.Fatalf("%v in\n%s", err, text)
	}
	keys(reflect.TypeFor[Scenario](), func(key string) {
		if !strings.Contains(text, key+":") {
			t.Errorf("no word of %s", key)
		}
	})
	for _, k := range incidentKinds() {
		if !strings.Contains(string(raw), "| `"+k.name+"` |") {
			t.Errorf("no word of incidents of kind %s", k.name)
		}
	}
}

// keys gives the YAML keys of a type.
func keys(of reflect.Type, give func(string)) {
	for of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		return
	}
	for i := range of.NumField() {
		f := of.Field(i)
		key := f.Tag.Get("yaml")
		if key == "" {
			key = strings.ToLower(f.Name)
		}
		give(key)
		keys(f.Type, give)
	}
}
