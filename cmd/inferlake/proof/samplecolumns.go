package proof

// SampleTable is a window table of samples: the dimensions, and of the measures those that loads fill.
type SampleTable struct {
	Name                   string
	Dims, Gauges, Counters []string
}

// SampleTables lists them with their columns in the order of the oracle's answer.
var SampleTables = []SampleTable{
	{"engine_windows", []string{"instance", "dp_index", "model", "model_version"},
		[]string{"running_requests", "waiting_requests", "kv_cache_usage_ppm"}, []string{"output_tokens", "prompt_tokens", "preemptions"}},
	{"gpu_windows", []string{"instance", "dp_index", "gpu", "node"},
		[]string{"sm_active_ppm", "power_milliwatts", "temperature_celsius"}, []string{"energy_millijoules"}},
	{"node_windows", []string{"instance", "dp_index", "node"}, []string{"cpu_usage_ppm"}, []string{"page_faults"}},
	{"kube_windows", []string{"instance", "dp_index", "namespace", "deployment", "pod", "node"}, []string{"ready_ppm"}, []string{"restarts"}},
}

// Sums are the columns that are added up.
func (t SampleTable) Sums() []string {
	columns := []string{"samples"}
	for _, g := range t.Gauges {
		columns = append(columns, g+"_value_ns", g+"_observed_ns")
	}
	for _, c := range t.Counters {
		columns = append(columns, c+"_increase")
	}
	return columns
}
