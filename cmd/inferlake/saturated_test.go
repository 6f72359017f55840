//go:build !race

package main

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// stage is what inference-perf measured at one load, of traces/inference_perf.
type stage struct {
	Successes struct {
		Count   int64
		Latency struct {
			E2E  struct{ Mean float64 } `json:"request_latency"`
			TTFT struct{ Mean float64 } `json:"time_to_first_token"`
		}
		Throughput struct {
			Input    float64 `json:"input_tokens_per_sec"`
			Output   float64 `json:"output_tokens_per_sec"`
			Requests float64 `json:"requests_per_sec"`
		}
	}
}

// At saturation a GPU's price over the tokens that it makes is what a token costs: of the heaviest load of two configurations on one
// H100 at 2.95 USD an hour.
func TestCostsOfASaturatedGPU(t *testing.T) {
	for _, configuration := range []string{"vllm", "vllm+chunking_and_prefix_caching"} {
		t.Run(configuration, func(t *testing.T) {
			var s stage
			readJSON(t, traces(t, "inference_perf", configuration+"__stage_6_lifecycle_metrics.json"), &s)
			house := loaded(t, s.events(t))
			if _, err := house.Attribute(t.Context(), true); err != nil {
				t.Fatal(err)
			}
			rows := house.answer(question{Report: "cost_per_token", Params: map[string]any{"by": "all"}})
			if len(rows) != 1 {
				t.Fatalf("%d rows, want one", len(rows))
			}
			got, want := rows[0]["held_usd_per_million_output_tokens"].(float64), 2.95/3600/s.Successes.Throughput.Output*1e6
			t.Logf("%.5f USD for a million output tokens, by tokens a second %.5f", got, want)
			if math.Abs(got/want-1) > 0.02 {
				t.Errorf("a million output tokens cost %v USD, want %v", got, want)
			}
			if used := rows[0]["utilization_ratio"].(float64); used < 0.99 {
				t.Errorf("a saturated GPU was busy %v of its time", used)
			}
		})
	}
}

// events are as many requests as succeeded, evenly over the time that they took, each of the mean length and duration, on an engine
// that stood as long.
func (s *stage) events(t *testing.T) (events []*stream.Event) {
	const begin = int64(1_750_000_000_000_000_000)
	n, seconds := s.Successes.Count, float64(s.Successes.Count)/s.Successes.Throughput.Requests
	lasts, e2e := int64(seconds*1e9), int64(s.Successes.Latency.E2E.Mean*1e9)
	upto := func(perSecond float64, i int64) int64 { return int64(perSecond * seconds * float64(i) / float64(n)) }
	w := lifecycle.NewWriter("engine", "boot", "vllm", func(e *stream.Event) error {
		events = append(events, copied(e))
		return nil
	})
	in := &lifecycle.Instance{Name: "engine", Role: stream.RoleEngine, Model: "llama-3.1-8b", Started: begin,
		Profile: &stepmodel.Profile{GPUs: 1, GPUType: "H100"}}
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(w.State(in, stream.StateReady, begin))
	for i := range n {
		received := begin + (lasts-e2e)*i/max(n-1, 1)
		end := lifecycle.End{Outcome: stream.OutcomeOK, Prompt: upto(s.Successes.Throughput.Input, i+1) - upto(s.Successes.Throughput.Input, i),
			Cached: lifecycle.Unknown, Output: upto(s.Successes.Throughput.Output, i+1) - upto(s.Successes.Throughput.Output, i),
			E2E: e2e, TTFT: lifecycle.Unknown, Received: received, LastToken: received + e2e,
			FirstToken: received + int64(s.Successes.Latency.TTFT.Mean*1e9)}
		request := &lifecycle.Request{ID: fmt.Sprint(i), Ordinal: i + 1, Lane: lifecycle.RequestLane(fmt.Sprint(i)), Images: lifecycle.Unknown}
		check(w.Finished(in, request, &end, received+e2e))
	}
	check(w.State(in, stream.StateStopped, begin+lasts))
	t.Logf("%d requests in %v", n, time.Duration(lasts).Round(time.Millisecond))
	return events
}
