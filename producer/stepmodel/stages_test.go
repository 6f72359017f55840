package stepmodel

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"testing"
)

// stage is a measured load of one H100 under vLLM, as inference-perf reports it; latencies in seconds.
type stage struct {
	Load struct {
		Rate  float64 `json:"requested_rate"`
		Count int     `json:"count"`
	} `json:"load_summary"`
	Successes struct {
		Prompt  struct{ Mean float64 } `json:"prompt_len"`
		Output  struct{ Mean float64 } `json:"output_len"`
		Latency struct {
			E2E  struct{ Mean float64 }         `json:"request_latency"`
			TTFT struct{ Mean, Median float64 } `json:"time_to_first_token"`
		}
	}
}

func readStage(t *testing.T, n int) (s stage) {
	raw, err := os.ReadFile(filepath.Join(traces(t), "inference_perf", fmt.Sprintf("vllm__stage_%d_lifecycle_metrics.json", n)))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// play runs the stage's load through the default profile: evenly spaced arrivals, lengths that are all the mean's. It returns
// the median TTFT and the TPOT, ms.
func (s *stage) play() (ttft, tpot float64) {
	p, _ := ProfileNamed("")
	at := 0.0
	arrival, first, last := make([]float64, s.Load.Count), make([]float64, s.Load.Count), make([]float64, s.Load.Count)
	f := NewFleet(Config{Profile: p, LiveKV: true}, func(at int64, o Output) {
		switch o.Kind {
		case FirstToken:
			first[o.Request] = float64(at)/1e3 - arrival[o.Request]
		case LastToken:
			last[o.Request] = float64(at)/1e3 - arrival[o.Request]
		}
	})
	prompt, output := int64(math.Round(s.Successes.Prompt.Mean)), int64(math.Round(s.Successes.Output.Mean))
	for i := range arrival {
		at += 1 / s.Load.Rate
		arrival[i] = math.Floor(at*1e6) / 1e3
		f.Arrive(Request{ID: int64(i), Arrival: int64(at * 1e6), Prompt: prompt, Output: output})
	}
	f.Drain()
	for i := range first {
		tpot += (last[i] - first[i]) / float64(output-1) / float64(len(first))
	}
	sort.Float64s(first)
	return first[len(first)/2], tpot
}

// The stages that the server kept up with. The errors are those that the profile was accepted with.
func TestStages(t *testing.T) {
	for n := range 4 {
		s := readStage(t, n)
		l := &s.Successes.Latency
		ttft, tpot := s.play()
		wantTTFT, wantTPOT := l.TTFT.Median*1e3, (l.E2E.Mean-l.TTFT.Mean)/(s.Successes.Output.Mean-1)*1e3
		t.Logf("%6.2f requests/s: TTFT p50 %.1f ms, measured %.1f; TPOT %.2f ms, measured %.2f", s.Load.Rate, ttft, wantTTFT, tpot, wantTPOT)
		if math.Abs(ttft/wantTTFT-1) > 0.15 || math.Abs(tpot/wantTPOT-1) > 0.08 {
			t.Errorf("%.2f requests/s: TTFT %.1f for %.1f ms, TPOT %.2f for %.2f ms", s.Load.Rate, ttft, wantTTFT, tpot, wantTPOT)
		}
	}
}
