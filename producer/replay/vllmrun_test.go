package replay

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/inferlake/inferlake/stream"
)

// Little's law on real logs, from the events alone: Σ e2e over the span from the first arrival to the last finish,
// against the mean of running + waiting over time.
func TestVLLMRunLittle(t *testing.T) {
	for load, want := range map[string]string{"scale100_prompt500": "20.71 21.02 0.068 0.376", "scale1000_prompt500": "208.09 208.07 1.82 76.0"} {
		c := newChecker(t)
		var area, observed, samples, gpus float64
		first, last := int64(0), int64(0)
		s := play(t, Options{Format: "vllmrun", File: traces(t, "burstgpt_vllm_run"), Load: load}, func(e *stream.Event) error {
			at := e.Num(stream.EventTimeUnixNano)
			switch e.Kind {
			case stream.KindEngine:
				dt := float64(e.Num(stream.EngineDtNano))
				area += dt * float64(e.Num(stream.EngineRunningRequests)+e.Num(stream.EngineWaitingRequests))
				observed += dt
				samples++
			case stream.KindGPU:
				gpus++
			case stream.KindRequest:
				if first == 0 {
					first = at
				}
				last = at
			}
			return c.event(e)
		})
		little := float64(c.sum(stream.RequestE2ENano)) / float64(last-first)
		ttft, _, _ := measured(c)
		got := fmt.Sprintf("%.2f %.2f", little, area/observed)
		p50, p99 := quantile(ttft, .5), quantile(ttft, .99)
		if load == "scale100_prompt500" {
			got += fmt.Sprintf(" %.3f %.3f", p50, p99)
		} else {
			got += fmt.Sprintf(" %.2f %.1f", p50, p99)
		}
		if got != want || s.Rows != 500 || samples == 0 || gpus == 0 {
			t.Errorf("%s: %s, want %s; %v samples, %v of the GPU, %+v", load, got, want, samples, gpus, s)
		}
		if first != time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano() {
			t.Errorf("%s: first arrival %d", load, first)
		}
	}
}

// A folder with several loads asks which.
func TestVLLMRunChoice(t *testing.T) {
	_, err := Replay(t.Context(), Options{Format: "vllmrun", File: traces(t, "burstgpt_vllm_run")}, nil)
	if err == nil || !strings.Contains(err.Error(), `load "": choose one of scale1000_prompt500, scale100_prompt500`) {
		t.Error(err)
	}
}
