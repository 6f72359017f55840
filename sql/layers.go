package sql

// Layer is a part of an inference service that must be seen: where its figures are kept, and under which names a metrics
// server gets them. The reports that show it say so themselves (Report.Layers). docs/layers.md is written from all of these.
type Layer struct {
	Name    string
	Shows   string
	Columns []Columns
	Metrics []string // names in Prometheus; none: a report alone shows it
}

// Columns are columns of a view of v1.
type Columns struct {
	View  string
	Names []string
}

// Layers are the layers in the order of a request's way through a service, then what stands under it. The last three are
// views across layers: rate, errors, duration; utilisation, saturation, errors; what only language models have.
var Layers = []Layer{
	{"availability", "requests by outcome, HTTP errors, instances that are ready",
		[]Columns{{"request_windows", []string{"finished", "ok", "errors", "timeouts", "rejected", "cancelled", "lost", "http_4xx", "http_5xx"}}, {"instance_states", []string{"state"}}},
		[]string{"llm_requests_total", "llm_request_errors_total"}},
	{"latency", "from arrival to the last token, P50 to P99.9",
		[]Columns{{"requests", []string{"e2e_seconds"}}, {"request_sketches", []string{"measure"}}},
		[]string{"llm_request_duration_seconds"}},
	{"TTFT", "from arrival to the first token",
		[]Columns{{"requests", []string{"ttft_seconds"}}, {"request_windows", []string{"first_tokens"}}, {"request_sketches", []string{"measure"}}},
		[]string{"llm_time_to_first_token_seconds"}},
	{"TPOT / ITL", "time per later token",
		[]Columns{{"requests", []string{"tpot_seconds"}}, {"request_sketches", []string{"measure"}}},
		[]string{"llm_time_per_output_token_seconds"}},
	{"throughput", "tokens in and out, and a second",
		[]Columns{{"request_windows", []string{"prompt_tokens", "output_tokens"}}, {"engine_windows", []string{"prompt_tokens", "output_tokens"}}},
		[]string{"llm_input_tokens_total", "llm_output_tokens_total"}},
	{"lengths", "tokens of a prompt, an answer, a sequence",
		[]Columns{{"requests", []string{"prompt_tokens", "output_tokens"}}, {"request_sketches", []string{"measure"}}},
		[]string{"llm_input_length_tokens", "llm_output_length_tokens"}},
	{"queue", "waiting requests, and for how long",
		[]Columns{{"requests", []string{"queue_seconds"}}, {"engine_windows", []string{"waiting_requests"}}, {"request_windows", []string{"waiting_seconds"}}},
		[]string{"llm_queue_requests", "llm_queue_duration_seconds"}},
	{"batching", "running sequences, batch, tokens of a pass",
		[]Columns{{"engine_windows", []string{"running_requests", "batch_sequences", "batch_tokens", "max_sequences"}}, {"step_runs", []string{"decode_sequences", "prefill_sequences"}}},
		[]string{"llm_batch_size", "llm_active_sequences"}},
	{"KV cache", "blocks in use and free, usage, evictions, failed allocations",
		[]Columns{{"engine_windows", []string{"kv_cache_usage_ratio", "kv_used_blocks", "kv_free_blocks", "evictions", "allocation_failures", "preemptions"}}},
		[]string{"llm_kv_cache_usage_ratio", "llm_kv_cache_evictions_total", "llm_kv_cache_allocation_failures_total"}},
	{"prefill / decode", "time and tokens of each",
		[]Columns{{"requests", []string{"prefill_seconds", "decode_seconds"}}, {"request_windows", []string{"prefill_seconds", "decode_seconds"}}},
		[]string{"llm_prefill_duration_seconds", "llm_decode_duration_seconds"}},
	{"GPU", "activity, memory, clocks, power, temperature, links, ECC, Xid",
		[]Columns{{"gpu_windows", []string{"utilization_ratio", "sm_active_ratio", "tensor_active_ratio", "dram_active_ratio", "framebuffer_used_bytes", "sm_clock_mhz", "power_watts", "energy_joules", "temperature_celsius", "pcie_rx_bytes", "nvlink_rx_bytes", "ecc_dbe"}}, {"gpu_faults", []string{"fault", "code"}}},
		[]string{"llm_gpu_sm_active_ratio", "llm_gpu_framebuffer_used_bytes", "llm_gpu_power_watts", "llm_gpu_energy_joules_total", "llm_gpu_faults_total"}},
	{"model and version", "everything, by the model and version that served it",
		[]Columns{{"requests", []string{"model", "model_version", "deployment", "instance"}}, {"request_windows", []string{"model", "model_version"}}, {"instance_gpus", []string{"model", "model_version"}}},
		nil},
	{"node", "CPU and throttling, memory, page faults, network, disk",
		[]Columns{{"node_windows", []string{"cpu_usage_ratio", "cpu_throttled_ratio", "memory_used_bytes", "page_faults", "network_receive_bytes", "network_errors", "disk_busy_seconds"}}},
		[]string{"llm_node_cpu_usage_ratio", "llm_node_memory_used_bytes", "llm_node_network_receive_bytes_total"}},
	{"Kubernetes", "replicas, readiness, restarts, kills for want of memory, the autoscaler",
		[]Columns{{"kube_windows", []string{"desired_replicas", "ready_replicas", "available_replicas", "ready_ratio", "restarts", "oom_killed", "pending_pods", "hpa_max_replicas", "gpus_requested", "cpu_throttled_ratio"}}},
		[]string{"llm_deployment_ready_replicas", "llm_deployment_desired_replicas", "llm_pod_restarts_total"}},
	{"capacity", "GPUs held and idle, peaks against limits, time at them",
		[]Columns{{"instances", []string{"gpus_ppm", "max_sequences", "kv_tokens"}}, {"engine_windows", []string{"running_requests", "max_sequences", "kv_cache_usage_ratio"}}, {"instance_gpus", []string{"from_at", "to_at"}}},
		[]string{"llm_active_sequences", "llm_max_sequences"}},
	{"cost", "money per token and request, GPU-hours",
		[]Columns{{"instance_prices", []string{"usd_per_hour", "gpus_ppm"}}, {"prices", []string{"usd_per_hour"}}},
		nil},
	{"prefix cache", "prompt tokens that were read and not computed",
		[]Columns{{"requests", []string{"cached_tokens"}}, {"request_windows", []string{"cached_tokens", "cache_known_prompt_tokens"}}, {"engine_windows", []string{"prefix_cache_queries", "prefix_cache_hits"}}},
		[]string{"llm_prefix_cache_hit_tokens_total"}},
	{"cancellation", "requests that were cancelled, clients that left, what was generated for nobody",
		[]Columns{{"requests", []string{"client_gone_at"}}, {"request_windows", []string{"cancelled", "clients_gone"}}, {"engine_windows", []string{"aborted"}}},
		[]string{"llm_requests_cancelled_total"}},
	{"RED", "rate, errors and duration of the service", nil, nil},
	{"USE", "utilisation, saturation and errors of resources", nil, nil},
	{"LLM", "TTFT, TPOT, tokens, KV cache, prefill, decode and batch together", nil, nil},
	{"completeness", "how much of what was sent is in these figures", []Columns{{"completeness", []string{"completeness_ratio", "missing"}}}, nil},
}
