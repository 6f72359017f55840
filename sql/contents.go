package sql

import "slices"

// Group is reports that are read together.
type Group struct {
	Title   string
	Note    string
	Reports []Report
}

// contents is the order in which all reports are shown.
var contents = []struct {
	title, note string
	names       []string
}{
	{"Service", "Rate, errors and duration (RED): is the service available, and are requests fast enough?",
		[]string{"overview", "red", "availability", "latency", "latency_over_time", "ttft_heatmap", "slow_requests", "cancellations"}},
	{"LLM", "Tokens, queue, batch, KV cache, prefill and decode: where does the time go?",
		[]string{"llm", "throughput", "throughput_over_time", "lengths", "queue_batch", "engine_over_time", "kv_cache", "prefill_decode", "prefix_cache", "model_versions"}},
	{"Resources", "Utilisation, saturation and errors (USE): are the GPUs used well?",
		[]string{"use", "gpu", "gpu_over_time", "nodes", "kubernetes", "capacity", "incidents"}},
	{"Cost", "What was paid, and what for.",
		[]string{"cost_over_time", "cost_per_token", "cost_by_tenant", "cost_change", "cost_statement", "gpu_efficiency", "waste", "unpriced"}},
	{"Data quality", "How complete is the data behind the answers?",
		[]string{"completeness", "reconciliation", "seals", "corrections", "job_runs"}},
}

// Contents returns all reports in their groups; those that no group names come last, in a group of their own.
func Contents() []Group {
	var groups []Group
	rest := slices.Clone(reports)
	for _, c := range contents {
		g := Group{Title: c.title, Note: c.note}
		for _, name := range c.names {
			if i := slices.IndexFunc(rest, func(r Report) bool { return r.Name == name }); i >= 0 {
				g.Reports = append(g.Reports, rest[i])
				rest = slices.Delete(rest, i, i+1)
			}
		}
		if len(g.Reports) > 0 {
			groups = append(groups, g)
		}
	}
	if len(rest) > 0 {
		groups = append(groups, Group{Title: "More", Reports: rest})
	}
	return groups
}
