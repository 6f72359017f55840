//go:build !race

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

const azureTotals = "events 147048 = loaded 147048 + pending 0 + duplicate 0 + dead 0"

// azureComplete is a line a topic: nothing is missing, late or refused.
const azureComplete = "inferlake.engines replay 0 0 0 0 0\ninferlake.infra replay 0 0 0 0 0\ninferlake.requests replay 0 0 0 0 0"

func azureTrace(t *testing.T) string {
	return traces(t, "azure", "AzureLLMInferenceTrace_conv.csv")
}

// The Azure trace: what went in comes out, and the latencies are those of the reference model.
func TestAzure(t *testing.T) {
	l := newLake(t)
	l.contains(l.ingest("azure", azureTrace(t)), azureTotals, "open requests 0")
	l.azureFigures()
	l.azureRates()
	l.says(`SELECT topic, source, missing, lanes_without_seq, unclean_ends, topic_late_ratio, topic_dead_letters
		FROM v1.completeness WHERE events IS NOT NULL ORDER BY ALL`, azureComplete)
	l.golden("facts", 0.001)
	l.golden("windows", 0.01)
	l.run("verify")
}

// azureFigures are the trace's own.
func (l lake) azureFigures() {
	l.Helper()
	l.says(`SELECT count(*), sum(prompt_tokens), sum(output_tokens) FROM v1.requests`, "19366 22361870 4088665")
	l.says(`SELECT quantile_disc(prompt_tokens, 0.5), quantile_disc(prompt_tokens, 0.95), quantile_disc(prompt_tokens, 0.99), max(prompt_tokens)
		FROM v1.requests`, "1020 4083 4142 14050")
	l.says(`SELECT quantile_disc(output_tokens, 0.5), quantile_disc(output_tokens, 0.95), quantile_disc(output_tokens, 0.99), max(output_tokens)
		FROM v1.requests`, "129 451 601 1000")
}

// azureRates are the trace's arrivals, from the rows and from the windows.
func (l lake) azureRates() {
	l.Helper()
	l.says(`SELECT epoch(time_bucket(INTERVAL 1 MINUTE, received_at))::BIGINT, count(*) AS n
		FROM v1.requests GROUP BY 1 ORDER BY n DESC LIMIT 1`, "1700160180 502")
	l.says(`SELECT epoch(window_start)::BIGINT, arrivals
		FROM v1.request_windows WHERE level_seconds = 60 ORDER BY arrivals DESC LIMIT 1`, "1700160180 502")
	l.says(`SELECT count(DISTINCT time_bucket(INTERVAL 1 MINUTE, received_at)) FROM v1.requests`, "60")
	l.says(`SELECT max(n) FROM (SELECT count(*) AS n FROM v1.requests GROUP BY date_trunc('second', received_at))`, "19")
	l.says(`SELECT sum(arrivals), sum(ok), sum(prompt_tokens), sum(output_tokens)
		FROM v1.request_windows WHERE level_seconds = 900`, "19366 19366 22361870 4088665")
}

// golden compares the latency report with the reference model's percentiles.
func (l lake) golden(basis string, most float64) {
	l.Helper()
	var all map[string]map[string]any
	readJSON(l.T, traces(l.T, "lifecycle_golden.json"), &all)
	got := map[string]map[string]string{}
	for _, row := range l.report("latency", "--by", "all", "--set", "basis="+basis).maps() {
		got[row["measure"]] = row
	}
	for key, measure := range map[string]string{"ttft_ms": "TTFT", "tpot_ms": "TPOT", "e2e_ms": "e2e", "queue_ms": "queue"} {
		for p, want := range all["conv|h100-llama3-8b-tp1"][key].(map[string]any) {
			l.near(basis+" "+measure+" "+p, number(l.T, got[measure][p]), want.(float64)/1000, most)
		}
	}
}

// A replay after a restart is known by its numbers: the rows stay, the repeats are counted. The six heartbeats carry no
// number.
func TestAzureTwice(t *testing.T) {
	l := newLake(t)
	l.ingest("azure", azureTrace(t))
	once := l.content("''", views...)
	l.contains(l.ingest("azure", azureTrace(t)), "events 294096 = loaded 147054 + pending 0 + duplicate 147042 + dead 0")
	l.same("after a second replay", l.content("''", views...), once)
	l.says(`SELECT sum(duplicate) FROM v1.progress`, "147042")
	l.azureFigures()
}

// So is one that comes when the closed requests are no longer in memory.
func TestAzureTwiceLater(t *testing.T) {
	l, args := newLake(t), []string{"produce", "replay", "azure", azureTrace(t), "--max-rows", "2000"}
	once := []string{"serve", "--once", "--fold-closed-memory", "1ms"}
	l.run(args...)
	l.run(once...)
	before := l.content("''", views...)
	for range 2 {
		l.run(args...)
		l.contains(l.run(once...), "open requests 0")
		l.same("after another replay", l.content("''", views...), before)
	}
	l.says(`SELECT count(*), count(DISTINCT request_id) FROM v1.requests`, "2000 2000")
	l.says(`SELECT sum(duplicate) > 0, sum(dead) FROM v1.progress`, "true 0")
	l.says(`SELECT count(*), count(to_at), bool_and(end_known) FROM v1.instances`, "1 1 true")
}

// The encodings say the same.
func TestEncodings(t *testing.T) {
	contents := map[string]string{}
	for _, encoding := range []string{"columns", "json", "protobuf"} {
		l := newLake(t)
		l.ingest("azure", azureTrace(t), "--max-rows", "1000", "--encoding", encoding)
		l.says(`SELECT count(*) FROM v1.requests`, "1000")
		contents[encoding] = l.content(`'offset', 'idx', 'commit'`, views...)
		l.same(encoding, contents[encoding], contents["columns"])
	}
}

// One lake takes several traces. The first one ended well, though the second comes from later.
func TestTwoTraces(t *testing.T) {
	l := newLake(t)
	l.ingest("azure", azureTrace(t), "--max-rows", "300")
	l.ingest("mooncake", traces(t, "mooncake", "synthetic_trace.jsonl"), "--max-rows", "300")
	l.says(`SELECT producer[1:6], count(*), count(DISTINCT instance) FROM v1.requests GROUP BY producer ORDER BY min(received_at)`,
		"replay 300 1\nreplay 300 1")
	l.says(`SELECT topic, boots, unclean_ends FROM v1.completeness WHERE events IS NOT NULL ORDER BY ALL`,
		"inferlake.engines 2 0\ninferlake.infra 2 0\ninferlake.requests 2 0")
	l.run("verify")
}

// Prefix caches on the Mooncake traces. The ratio of tokens is that of the warehouse. The ratio of blocks is that of
// the replay's summary: a prompt that is found whole computes its last block again, which the events do not tell from
// one whose last block was not found. The warehouse holds the summary's cached tokens.
func TestMooncake(t *testing.T) {
	for _, c := range []struct{ file, cache, blocks, tokens string }{
		{"synthetic_trace.jsonl", "infinite", "block hits 77953 of 121877 = 63.960 %", "65.043"},
		{"synthetic_trace.jsonl", "1000", "block hits 10050 of 121877 = 8.246 %", "8.398"},
		{"synthetic_trace.jsonl", "10000", "block hits 51614 of 121877 = 42.349 %", "43.085"},
		{"synthetic_trace.jsonl", "30000", "block hits 76077 of 121877 = 62.421 %", "63.483"},
		{"conversation_trace.head7000.jsonl", "infinite", "block hits 60769 of 175239 = 34.678 %", "35.318"},
	} {
		t.Run(c.file+" "+c.cache, func(t *testing.T) {
			l := newLake(t)
			said := l.ingest("mooncake", traces(t, "mooncake", c.file), "--cache", c.cache)
			l.contains(said, c.blocks, "cached "+l.sql(`SELECT sum(cached_tokens) FROM v1.requests`).String()+",")
			l.says(`SELECT printf('%.3f', 100 * sum(cached_tokens) / sum(prompt_tokens)) FROM v1.requests`, c.tokens)
			ratio := number(t, l.report("prefix_cache", "--by", "all").maps()[0]["hit_ratio"])
			l.same("report", fmt.Sprintf("%.3f", 100*ratio), c.tokens)
		})
	}
}

// The figures that llmperf published of three providers, by the names that it gave them.
func TestLLMPerf(t *testing.T) {
	for _, provider := range []string{"anyscale_7b", "bedrock_13b", "together_70b"} {
		t.Run(provider, func(t *testing.T) {
			l := newLake(t)
			l.ingest("bench", traces(t, "llmperf", provider+".individual.json"))
			var published map[string]any
			readJSON(t, traces(t, "llmperf", provider+".summary.json"), &published)
			got := l.sql(llmperfQuery()).maps()[0]
			for name, value := range got {
				if name == "" {
					continue
				}
				l.near(name, number(t, value), published[name].(float64), 1e-6)
			}
			if len(got) < 24 {
				t.Errorf("%d figures: %v", len(got), got)
			}
		})
	}
}

func llmperfQuery() string {
	figures := []string{
		`count(*) AS results_num_requests_started`,
		`count(*) FILTER (outcome = 'ok') AS results_num_completed_requests`,
		`count(*) FILTER (outcome <> 'ok') AS results_number_errors`,
		`count(*) FILTER (outcome <> 'ok') / count(*) AS results_error_rate`,
	}
	add := func(sql, column, name string) {
		figures = append(figures, sql+`(`+column+`) FILTER (outcome = 'ok') AS results_`+name)
	}
	for column, name := range map[string]string{"ttft_seconds": "ttft_s", "e2e_seconds": "end_to_end_latency_s"} {
		for _, p := range []string{"25", "50", "75", "90", "95", "99"} {
			add(`quantile_cont`, column+`, 0.`+p, name+`_quantiles_p`+p)
		}
		add(`avg`, column, name+`_mean`)
		add(`min`, column, name+`_min`)
		add(`max`, column, name+`_max`)
		add(`stddev_samp`, column, name+`_stddev`)
	}
	return `SELECT ` + strings.Join(figures, ", ") + ` FROM v1.requests`
}

// Little's law on a real vLLM run: the requests' time over the span is what the engine's samples say was running and
// pending, each weighted with the time for which it holds. The samples come by windows and one by one.
func TestLittle(t *testing.T) {
	for load, want := range map[string][2]float64{"scale100_prompt500": {20.71, 21.02}, "scale1000_prompt500": {208.09, 208.07}} {
		t.Run(load, func(t *testing.T) {
			l := newLake(t)
			l.ingest("vllmrun", traces(t, "burstgpt_vllm_run"), "--load", load)
			for _, c := range []struct {
				query string
				want  float64
			}{
				{`SELECT sum(e2e_seconds) / (epoch(max(finished_at)) - epoch(min(received_at))) FROM v1.requests`, want[0]},
				{`SELECT sum((running_requests + waiting_requests) * coverage) / sum(coverage) FROM v1.engine_windows WHERE level_seconds = 10`, want[1]},
				{`SELECT sum((running_requests + waiting_requests) * coverage) / sum(coverage) FROM v1.engine_windows WHERE level_seconds = 60`, want[1]},
				{`SELECT sum((running_requests + waiting_requests) * dt_seconds) / sum(dt_seconds) FROM v1.engine_samples`, want[1]},
			} {
				l.near(c.query, number(t, l.sql(c.query).String()), c.want, 0.005)
			}
			l.says(`SELECT count(*), count(DISTINCT request_id) FROM v1.requests`, "500 500")
			l.says(`SELECT count(*) > 10, bool_and(utilization_ratio BETWEEN 0 AND 1), min(framebuffer_used_bytes) > 0
				FROM v1.gpu_windows WHERE level_seconds = 10`, "true true true")
		})
	}
}

// near checks a figure to a relative difference.
func (l lake) near(what string, got, want, most float64) {
	l.Helper()
	if math.Abs(got-want) > most*math.Abs(want) || math.IsNaN(got) {
		l.Errorf("%s: %v, want %v within %v", what, got, want, most)
		return
	}
	l.Logf("%s: %v (%v)", what, got, want)
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Errorf("not a number: %q", text)
	}
	return f
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
