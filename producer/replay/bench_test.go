package replay

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/inferlake/inferlake/stream"
)

// The published summaries of llmperf come out of the events: quantiles of what was measured over the requests that
// succeeded, and the share of those that did not.
func TestLLMPerfSummaries(t *testing.T) {
	for _, name := range []string{"anyscale_7b", "bedrock_13b", "together_70b"} {
		published := readSummary(t, traces(t, "llmperf", name+".summary.json"))
		c := newChecker(t)
		s := play(t, Options{Format: "bench", File: traces(t, "llmperf", name+".individual.json")}, c.event)
		ttft, e2e, marks := measured(c)
		failed := float64(s.Rows-s.Outcomes[stream.OutcomeOK]) / float64(s.Rows)
		if failed != published["results_error_rate"] {
			t.Errorf("%s: error rate %v", name, failed)
		}
		n := 0
		for key, want := range published {
			switch {
			case strings.HasPrefix(key, "results_ttft_s_quantiles_p"):
				near(t, name+" "+key, quantile(ttft, percentOf(key)), want)
				near(t, name+" marks "+key, quantile(marks, percentOf(key)), want)
			case strings.HasPrefix(key, "results_end_to_end_latency_s_quantiles_p"):
				near(t, name+" "+key, quantile(e2e, percentOf(key)), want)
			default:
				continue
			}
			n++
		}
		if n != 12 {
			t.Errorf("%s: %d quantiles published", name, n)
		}
	}
}

// measured are the latencies of the requests that succeeded, in seconds: the fields, and TTFT between the marks.
func measured(c *checker) (ttft, e2e, marks []float64) {
	for i := range c.finished {
		e := &c.finished[i]
		if stream.Outcome(e.Num(stream.RequestOutcome)) != stream.OutcomeOK {
			continue
		}
		id := e.Text(stream.RequestRequestID)
		ttft = append(ttft, float64(e.Num(stream.RequestTTFTEngineNano))/1e9)
		e2e = append(e2e, float64(e.Num(stream.RequestE2ENano))/1e9)
		marks = append(marks, float64(c.firstToken[id]-c.received[id])/1e9)
	}
	return ttft, e2e, marks
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 2e-9 {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func percentOf(key string) float64 {
	var p float64
	for _, digit := range key[strings.LastIndex(key, "_p")+2:] {
		p = p*10 + float64(digit-'0')
	}
	return p / 100
}

func readSummary(t *testing.T, name string) map[string]float64 {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	numbers := map[string]float64{}
	for key, v := range all {
		if f, ok := v.(float64); ok {
			numbers[key] = f
		}
	}
	return numbers
}

// The two runs of genai-bench: time per output token of the events is the tool's own.
func TestGenAIBench(t *testing.T) {
	for name, mean := range map[string]float64{"regression_main_branch.json": 0.00808820635454939, "regression_feature_with_flag.json": 0} {
		c := newChecker(t)
		s := play(t, Options{Format: "bench", File: traces(t, "genai_bench", name), Version: "main"}, c.event)
		if s.Rows == 0 || s.Outcomes[stream.OutcomeOK] != s.Rows {
			t.Errorf("%s: %+v", name, s)
		}
		var sum float64
		for i := range c.finished {
			e := &c.finished[i]
			decode := e.Num(stream.RequestLastTokenUnixNano) - c.firstToken[e.Text(stream.RequestRequestID)]
			sum += float64(decode) / 1e9 / float64(e.Num(stream.RequestOutputTokens)-1)
		}
		if got := sum / float64(s.Rows); mean != 0 && math.Abs(got-mean) > 1e-9 {
			t.Errorf("%s: mean time per output token %v, want %v", name, got, mean)
		}
	}
}

// A refusal that knows nothing of its times tells its end only.
func TestUnknownLatency(t *testing.T) {
	lines, _ := log(t, Options{Format: "bench", File: write(t, `[{"error_code": 429, "number_input_tokens": 5}]`)})
	all := strings.Join(lines, "\n")
	if strings.Contains(all, "phase=received") || strings.Contains(all, "e2e") || !strings.Contains(all, "outcome=rejected http_status=429 token_convention=inclusive prompt_tokens=5") {
		t.Error(all)
	}
}
