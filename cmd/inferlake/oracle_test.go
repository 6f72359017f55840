package main

import (
	"strings"

	"github.com/inferlake/inferlake/cmd/inferlake/proof"
)

// oracleQueries give the rows of the v1 views in the form of the oracle's answer, by the oracle's table.
func oracleQueries() map[string]string {
	queries := map[string]string{
		"requests": lines(requestColumns(), `FROM v1.requests v JOIN main.requests m USING (topic, partition, "offset", idx)`),
		"request_windows": lines(append(windowColumns(), sumColumns()...), "FROM v1.request_windows WHERE level_seconds = 10 AND "+
			strings.Join(sumColumns(), " <> 0 OR level_seconds = 10 AND ")+" <> 0"),
		"request_sketches": lines(append(windowColumns(), "measure", "n", "zero", "total", list("idx"), list("cnt")),
			"FROM v1.request_sketches WHERE level_seconds = 10"),
		"producers": lines(fields("topic partition producer boot lane first_seq last_seq announced_seq received gaps epoch_us(first_at) epoch_us(last_at) stopped"),
			"FROM v1.producers"),
		"progress": lines(fields("topic partition consumed loaded duplicate dead late stale_samples"), "FROM v1.progress WHERE consumed > 0"),
		"rows":     rowCounts(),
	}
	for _, t := range proof.SampleTables {
		queries[t.Name] = sampleLines(t)
	}
	return queries
}

// sampleLines sums the deltas of a table of samples.
func sampleLines(t proof.SampleTable) string {
	var columns, something []string
	for _, s := range t.Sums() {
		columns = append(columns, "coalesce(sum("+s+"), 0)")
		something = append(something, "sum("+s+") <> 0")
	}
	for _, g := range t.Gauges {
		columns = append(columns, "min("+g+"_min)", "max("+g+"_max)")
	}
	view := strings.TrimSuffix(t.Name, "s") + "_deltas"
	return lines(append(append([]string{"epoch_us(window_start)"}, t.Dims...), columns...), "FROM v1."+view+" WHERE level_seconds = 10 "+
		"GROUP BY window_start, "+strings.Join(t.Dims, ", ")+" HAVING "+strings.Join(something, " OR "))
}

func fields(names string) []string { return strings.Fields(names) }

// lines makes one text of the columns, as the oracle writes it.
func lines(columns []string, from string) string {
	texts := make([]string, len(columns))
	for i, c := range columns {
		texts[i] = "coalesce((" + c + ")::VARCHAR, '-')"
	}
	return "SELECT concat_ws(chr(9), " + strings.Join(texts, ", ") + ") " + from
}

func list(column string) string { return "replace((" + column + ")::VARCHAR, ', ', ',')" }

func windowColumns() []string {
	return fields("epoch_us(window_start) role instance model model_version adapter request_class")
}

// ns brings seconds back to the whole nanoseconds that they were.
func ns(columns string) (out []string) {
	for _, c := range fields(columns) {
		out = append(out, "round("+c+" * 1e9)::BIGINT")
	}
	return out
}

func sumColumns() []string {
	return append(fields(`arrivals finished ok errors timeouts rejected cancelled lost unknown_outcome http_4xx http_5xx first_tokens
		clients_gone preemptions unknown_usage cache_known late_requests prompt_tokens cached_tokens cache_known_prompt_tokens
		output_tokens reasoning_tokens`), ns("waiting_seconds running_seconds prefill_seconds decode_seconds")...)
}

// requestColumns are v1.requests, but where the view puts the instance's description in the place of one that the
// request lacks.
func requestColumns() []string {
	columns := fields(`topic partition v.instance v.dp_index m.role v.boot v.producer v.source v.request_id v.attempt v.choice
		v.join_key v.trace_id m.model m.model_version v.adapter v.request_class v.tenant v.session m.deployment m.namespace m.node m.pod
		v.service_tier v.outcome v.finish_reason v.http_status v.prompt_tokens v.cached_tokens v.cached_local_tokens
		v.cached_external_tokens v.cached_host_tokens v.cache_write_5m_tokens v.cache_write_1h_tokens v.output_tokens v.reasoning_tokens
		v.drafted_tokens v.accepted_tokens v.recomputed_tokens v.prefilled_tokens v.preemptions`)
	columns = append(columns, ns("v.preempted_seconds v.kv_transfer_seconds")...)
	columns = append(columns, fields(`v.kv_transfer_bytes v.max_tokens v.priority v.images v.running_requests v.waiting_requests
		v.running_tokens v.waiting_tokens v.probe v.retry v.stream v.response_cache_hit`)...)
	for _, mark := range fields("received queued scheduled first_byte first_token first_answer client_gone last_token finished") {
		columns = append(columns, "epoch_us(v."+mark+"_at)")
	}
	columns = append(columns, ns(`v.ttft_seconds v.queue_seconds v.rest_seconds v.prefill_seconds v.decode_seconds v.e2e_seconds
		v.ttft_gateway_seconds v.ttft_engine_seconds v.ttft_scheduled_seconds v.ttft_byte_seconds v.ttft_answer_seconds
		v.tokenize_seconds v.detokenize_seconds`)...)
	return append(columns, "v.step_first", "v.step_last", list("list_sort(v.flags)"), "v.late", "v.events")
}

// rowCounts counts the rows of samples by topic and partition.
func rowCounts() string {
	var counts []string
	for _, table := range fields("engine_samples step_runs gpu_samples gpu_faults node_samples kube_samples instance_events request_marks") {
		counts = append(counts, "SELECT concat_ws(chr(9), topic, partition, '"+table+"', count(*)) FROM main."+table+" GROUP BY topic, partition")
	}
	return strings.Join(counts, " UNION ALL ")
}
