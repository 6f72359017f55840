package producer_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/inferlake/inferlake/producer"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
)

func newClient(t testing.TB, o producer.Options) *producer.Client {
	t.Helper()
	o.Instance = "engine-1"
	c, err := producer.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ofRequests keeps the request events.
func ofRequests(events []got) (out []got) {
	for _, e := range events {
		if e.Kind == stream.KindRequest {
			out = append(out, e)
		}
	}
	return out
}

func TestALifeOfARequest(t *testing.T) {
	conf := startBroker(t)
	c := newClient(t, producer.Options{Kafka: conf, Model: "llama", ModelVersion: "v1", TenantKey: []byte("k")})
	k := c.Begin(producer.Request{ID: "r1", Tenant: "acme", PromptTokens: producer.N(10), Stream: true})
	k.Queued()
	k.Scheduled()
	k.FirstToken()
	k.Tokens(2)
	k.Preempted()
	k.Scheduled()
	time.Sleep(2 * time.Millisecond)
	k.Tokens(6)
	k.ClientGone()
	k.Finish(producer.Outcome{Reason: stream.ReasonStop, Status: producer.N(200), PromptTokens: producer.N(10), CachedTokens: producer.N(0)})
	k.Finish(producer.Outcome{Outcome: stream.OutcomeError})
	k.Tokens(9)
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	events := ofRequests(readAll(t, conf, stream.TopicRequests))
	var phases []string
	for _, e := range events {
		phases = append(phases, stream.Phase(e.Num(stream.RequestPhase)).String())
		if e.Text(stream.RequestRequestID) != "r1" || e.Num(stream.RequestOrdinal) != 1 || e.Text(stream.EventClockDomain) != c.Boot() {
			t.Errorf("identity of %s is wrong", phases[len(phases)-1])
		}
	}
	if want := "[received queued scheduled first_token preempted scheduled client_gone finished]"; fmt.Sprint(phases) != want {
		t.Fatalf("phases %v", phases)
	}
	checkReceived(t, &events[0])
	checkFinished(t, &events[7])
}

func checkReceived(t *testing.T, e *got) {
	t.Helper()
	if e.Text(stream.RequestModel) != "llama" || e.Text(stream.RequestModelVersion) != "v1" || e.Num(stream.RequestStream) != 1 {
		t.Error("the received event lacks its description")
	}
	if e.Num(stream.RequestTenant) == 0 || e.Num(stream.RequestPromptTokens) != 10 || e.Has(stream.RequestMaxTokens) {
		t.Error("tenant, prompt tokens or max tokens are wrong")
	}
}

// Case W11: six tokens have five times between them; the time to the first is none of them.
func checkFinished(t *testing.T, e *got) {
	t.Helper()
	for f, want := range map[stream.Field]int64{
		stream.RequestOutcome: int64(stream.OutcomeOK), stream.RequestFinishReason: int64(stream.ReasonStop),
		stream.RequestHTTPStatus: 200, stream.RequestOutputTokens: 6, stream.RequestPreemptions: 1,
		stream.RequestCachedLocalTokens: 0,
	} {
		if v, ok := e.Int(f); !ok || v != want {
			t.Errorf("%s is %d (%v), want %d", stream.Fields[f].Name, v, ok, want)
		}
	}
	for _, f := range []stream.Field{stream.RequestQueueNano, stream.RequestPrefillNano, stream.RequestDecodeNano, stream.RequestE2ENano,
		stream.RequestTTFTEngineNano, stream.RequestTTFTScheduledNano, stream.RequestPreemptedNano} {
		if v, ok := e.Int(f); !ok || v < 0 || v > int64(time.Minute) {
			t.Errorf("%s is %d (%v)", stream.Fields[f].Name, v, ok)
		}
	}
	buckets, counts := e.Ints(stream.RequestITLBucket), e.Ints(stream.RequestITLCount)
	var n int64
	for _, c := range counts {
		n += c
	}
	if n != 5 || !slices.IsSorted(buckets) || len(buckets) != 2 || counts[1] != 4 {
		t.Errorf("inter-token latencies: buckets %v counts %v", buckets, counts)
	}
	if low := stream.LatencyBucket(int64(400 * time.Microsecond)); buckets[1] < low {
		t.Errorf("four tokens shared 2 ms or more, but their bucket is %d", buckets[1])
	}
}

func TestManyGoroutinesOneClient(t *testing.T) {
	conf := startBroker(t)
	c := newClient(t, producer.Options{Kafka: conf, Lanes: 3, Linger: time.Millisecond, Heartbeat: 5 * time.Millisecond})
	const goroutines, each = 8, 200
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range each {
				k := c.Begin(producer.Request{})
				k.Scheduled()
				k.FirstToken()
				k.Tokens(5)
				k.Finish(producer.Outcome{})
			}
		})
	}
	wg.Wait()
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	events := readAll(t, conf, stream.TopicRequests)
	if n := len(ofRequests(events)); n != goroutines*each*4 {
		t.Errorf("%d request events, want %d", n, goroutines*each*4)
	}
	if s := c.Stats(); s.Dropped != 0 || s.Sent != int64(len(events)) {
		t.Errorf("stats %+v, events %d", s, len(events))
	}
	checkLanes(t, events, 3)
}

// checkLanes holds each lane to a contiguous seq, its heartbeats to their own seq, and its end to stopped.
func checkLanes(t *testing.T, events []got, lanes int) {
	t.Helper()
	next, stopped := map[int64]int64{}, map[int64]bool{}
	where := map[string]int64{}
	for i := range events {
		e := &events[i]
		lane, seq := e.Num(stream.EventLane), e.Num(stream.EventSeq)
		if seq != next[lane] {
			t.Fatalf("lane %d: seq %d, want %d", lane, seq, next[lane])
		}
		next[lane]++
		switch e.Kind {
		case stream.KindInstance:
			if e.Num(stream.InstanceLastSeq) != seq || !e.Has(stream.InstanceBootStartedUnixNano) {
				t.Fatalf("lane %d: heartbeat %d says %d", lane, seq, e.Num(stream.InstanceLastSeq))
			}
			stopped[lane] = stream.Lifecycle(e.Num(stream.InstanceState)) == stream.StateStopped
		case stream.KindRequest:
			id := e.Text(stream.RequestRequestID)
			if l, ok := where[id]; ok && l != lane {
				t.Fatalf("request %s is in lanes %d and %d", id, l, lane)
			}
			where[id] = lane
		}
	}
	if len(stopped) != lanes {
		t.Errorf("%d lanes, want %d", len(stopped), lanes)
	}
	for lane, s := range stopped {
		if !s {
			t.Errorf("lane %d does not end with stopped", lane)
		}
	}
}

func TestSamples(t *testing.T) {
	conf := startBroker(t)
	c := newClient(t, producer.Options{Kafka: conf, Model: "llama"})
	for _, err := range []error{
		c.Engine(producer.Int(stream.EngineRunningRequests, 7), producer.Ratio(stream.EngineKVCacheUsageRatio, 0.5)),
		c.Step(producer.Int(stream.StepPasses, 3)),
		c.GPU(producer.Text(stream.GPUGPU, "GPU-1"), producer.Texts(stream.GPUUnavailable, "power")),
		c.Fault(producer.Text(stream.FaultGPU, "GPU-1"), producer.Int(stream.FaultFault, int64(stream.FaultKindXid))),
		c.Instance(stream.StateReady, producer.Int(stream.InstanceMaxSequences, 256), producer.Texts(stream.InstanceGPUUUIDs, "GPU-1")),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	for what, err := range map[string]error{
		"another message": c.Engine(producer.Int(stream.GPUPowerMilliwatts, 1)),
		"another type":    c.Engine(producer.Text(stream.EngineRunningRequests, "7")),
		"no field":        c.Engine(producer.Int(60_000, 1)),
	} {
		if err == nil {
			t.Errorf("%s was taken", what)
		}
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, e := range readAll(t, conf, stream.TopicEngines, stream.TopicGPUs, stream.TopicInfra) {
		count[fmt.Sprint(e.topic, " ", e.Kind)]++
		if e.Kind == stream.KindEngine && e.Num(stream.EngineKVCacheUsageRatio) != 500_000 {
			t.Error("the ratio is wrong")
		}
	}
	// Each lane that said something says stopped on its topic.
	want := map[string]int{"inferlake.engines 17": 1, "inferlake.engines 18": 1, "inferlake.engines 23": 1, "inferlake.gpus 20": 1,
		"inferlake.gpus 19": 1, "inferlake.gpus 23": 1, "inferlake.infra 23": 2}
	if fmt.Sprint(count) != fmt.Sprint(want) {
		t.Errorf("got %v\nwant %v", count, want)
	}
}

// deadAddress is an address where nobody listens.
func deadAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestWithoutABrokerTheCallerDoesNotWait(t *testing.T) {
	t.Parallel()
	c := newClient(t, producer.Options{Kafka: kafka.Config{Brokers: []string{deadAddress(t)}}, BufferEvents: 4096})
	const n = 20_000
	talk(t, c, n)
	s := c.Stats()
	if s.Dropped < n-2*4096 || s.Sent != 0 {
		t.Errorf("stats %+v", s)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := c.Close(ctx); err == nil {
		t.Error("the close lost events without a word")
	}
	if d := time.Since(began); d > 3*time.Second {
		t.Errorf("the close took %v", d)
	}
	if s := c.Stats(); s.Dropped < n || s.Trouble == "" {
		t.Errorf("stats %+v", s)
	}
}
