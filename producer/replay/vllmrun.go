package replay

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// vllmRun is one load of a vLLM run as BurstGPT's test bench logged it: three files on one monotonic clock, in
// seconds. The smallest arrival is placed at the start time; every other time keeps its distance, to the ns.
//
// Little's law holds in it: the sum of the requests' times over the span from the first arrival to the last finish
// equals the mean of running + pending over time, each sample holding until the next (20.71 and 21.02 at the load
// scale100, 208.09 and 208.07 at scale1000).
type vllmRun struct {
	load              string // the part of the files' names that they share
	detail, vllm, gpu string // paths
	requests          []vllmRequest
	engine            []vllmState
	gpus              []gpuState
	origin            float64 // s: the smallest arrival
}

// vllmRequest is a line of detail_log. Its in_len is tokens: it follows sampled_in_num, the prompt length asked for
// in tokens, within a few per cent either way. Its out_len is characters and is not read.
type vllmRequest struct {
	ID         int64   `json:"event_id"`
	Prompt     int64   `json:"in_len"`
	FirstChunk float64 `json:"first_chunk_time"` // s after the arrival
	TotalChunk float64 `json:"total_chunk_time"`
	Recorded   float64 `json:"record_time"` // s on the clock, when the last chunk had come
}

func (r *vllmRequest) arrival() float64 { return r.Recorded - r.TotalChunk }

// vllmState is a line of vllm_log.
type vllmState struct {
	at                        float64 // s on the clock
	running, swapped, pending int64
	kv                        float64 // per cent
}

// gpuState is a line of gpu_log.
type gpuState struct {
	ID          int64   `json:"monitor_id"`
	At          float64 `json:"record_time"`
	UsedMiB     int64   `json:"GPU_used_mem"`
	TotalMiB    int64   `json:"GPU_total_mem"`
	Utilization float64 `json:"GPU_utilization"` // per cent
	Celsius     int64   `json:"GPU_temperature"`
}

// openVLLMRun reads the load named of those in a folder; "" will do where there is one.
func openVLLMRun(folder, load string) (*vllmRun, error) {
	load, err := chooseLoad(folder, load)
	if err != nil {
		return nil, err
	}
	path := func(format string) string { return filepath.Join(folder, fmt.Sprintf(format, load)) }
	run := &vllmRun{load: load, detail: path("detail_log_%s.json"), vllm: path("vllm_log_%s.csv"), gpu: path("gpu_log_%s.json")}
	if run.requests, err = readNumbered[vllmRequest](run.detail); err != nil {
		return nil, err
	}
	if run.gpus, err = readNumbered[gpuState](run.gpu); err != nil {
		return nil, err
	}
	if run.engine, err = readVLLMLog(run.vllm); err != nil {
		return nil, err
	}
	return run, run.order()
}

func chooseLoad(folder, load string) (string, error) {
	found, err := filepath.Glob(filepath.Join(folder, "detail_log_*.json"))
	if err != nil {
		return "", err
	}
	for i, name := range found {
		found[i] = strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), "detail_log_"), ".json")
	}
	slices.Sort(found)
	switch {
	case load == "" && len(found) == 1, load != "" && slices.Contains(found, load):
		return cmp.Or(load, found[0]), nil
	case len(found) == 0:
		return "", fmt.Errorf("%s: no detail_log_*.json in it", folder)
	}
	return "", fmt.Errorf("%s: load %q: choose one of %s", folder, load, strings.Join(found, ", "))
}

// readNumbered reads an object whose members are rows.
func readNumbered[T any](name string) ([]T, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("replay: cannot read: %w", err)
	}
	var members map[string]T
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, fmt.Errorf("%s: not an object of rows: %w", name, err)
	}
	rows := make([]T, 0, len(members))
	for _, row := range members {
		rows = append(rows, row)
	}
	return rows, nil
}

func readVLLMLog(name string) (states []vllmState, err error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("replay: cannot read: %w", err)
	}
	defer in.Close()
	t, err := openCSV(&file{name, in}, "timestamp", "num_running", "num_swapped", "num_pending", "gpu_kvcache_usage")
	if err != nil {
		return nil, err
	}
	for {
		more, err := t.next()
		if err != nil || !more {
			return states, err
		}
		s, err := vllmLine(t)
		if err != nil {
			return nil, err
		}
		states = append(states, s)
	}
}

func vllmLine(t *csvTable) (s vllmState, err error) {
	if s.at, err = t.number("timestamp"); err != nil {
		return s, err
	}
	if s.kv, err = t.number("gpu_kvcache_usage"); err != nil {
		return s, err
	}
	if s.running, err = t.count("num_running"); err != nil {
		return s, err
	}
	if s.swapped, err = t.count("num_swapped"); err != nil {
		return s, err
	}
	s.pending, err = t.count("num_pending")
	return s, err
}

// order sorts what objects have no order of, and finds the origin of the clock.
func (v *vllmRun) order() error {
	if len(v.requests) == 0 {
		return fmt.Errorf("%s: no requests", v.detail)
	}
	slices.SortFunc(v.requests, func(a, b vllmRequest) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(v.gpus, func(a, b gpuState) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID)) })
	slices.SortStableFunc(v.engine, func(a, b vllmState) int { return cmp.Compare(a.at, b.at) })
	v.origin = math.Inf(1)
	for i := range v.requests {
		v.origin = min(v.origin, v.requests[i].arrival())
	}
	return nil
}
