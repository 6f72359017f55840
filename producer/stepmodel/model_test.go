package stepmodel

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"
)

// traces is the folder of public traffic, which the repository does not carry.
func traces(t testing.TB) string {
	dir := os.Getenv("INFERLAKE_TRACES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "traces")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("NOT TESTED against public traffic: no folder %s; set INFERLAKE_TRACES", dir)
	}
	return dir
}

func azureRows(t testing.TB) []Request {
	raw, err := os.ReadFile(filepath.Join(traces(t), "azure", "AzureLLMInferenceTrace_conv.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []Request
	for i, line := range strings.Split(string(raw), "\n")[1:] {
		f := strings.Split(strings.TrimSpace(line), ",")
		if len(f) != 3 {
			continue
		}
		at, err := time.Parse("2006-01-02 15:04:05.9999999", f[0])
		if err != nil {
			t.Fatal(err)
		}
		in, _ := strconv.ParseInt(f[1], 10, 64)
		out, _ := strconv.ParseInt(f[2], 10, 64)
		rows = append(rows, Request{ID: int64(i), Arrival: at.UnixMicro(), Prompt: in, Output: out})
	}
	return rows
}

type golden struct {
	N          int                `json:"n"`
	TTFT       map[string]float64 `json:"ttft_ms"`
	TPOT       map[string]float64 `json:"tpot_ms"`
	E2E        map[string]float64 `json:"e2e_ms"`
	Queue      map[string]float64 `json:"queue_ms"`
	Steps      int64              `json:"steps"`
	Busy       float64            `json:"busy_s"`
	End        float64            `json:"end_s"`
	MaxRunning int64              `json:"max_running"`
	MaxWaiting int64              `json:"max_waiting"`
	MaxKV      int64              `json:"max_kv_tokens"`
}

// The model equals the reference on the Azure conversation trace: the same passes, the same percentiles.
func TestReference(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(traces(t), "lifecycle_golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]golden
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	rows := azureRows(t)
	for name, w := range want {
		p, ok := ProfileNamed(strings.TrimPrefix(name, "conv|"))
		if !ok {
			t.Fatalf("no profile %s", name)
		}
		checkReference(t, name, p, rows, w)
	}
}

func checkReference(t *testing.T, name string, p Profile, rows []Request, w golden) {
	marks := make([][7]int64, len(rows))
	f := NewFleet(Config{Profile: p}, func(at int64, o Output) {
		if o.Kind <= Finished {
			marks[o.Request][o.Kind] = at
		}
	})
	for _, r := range rows {
		f.Arrive(r)
	}
	f.Drain()
	s := f.Stats()[0]
	end := float64(s.End-rows[0].Arrival) / 1e6
	if s.Passes != w.Steps || float64(s.Busy)/1e6 != w.Busy || end != w.End || len(rows) != w.N {
		t.Errorf("%s: passes %d busy %d end %f rows %d; want %+v", name, s.Passes, s.Busy, end, len(rows), w)
	}
	if s.PeakRunning != w.MaxRunning || s.PeakWaiting != w.MaxWaiting || s.PeakKV != w.MaxKV {
		t.Errorf("%s: peaks %+v; want %+v", name, s, w)
	}
	var ttft, tpot, e2e, queue []float64
	for i, m := range marks {
		ttft = append(ttft, float64(m[FirstToken]-m[Arrived])/1e3)
		e2e = append(e2e, float64(m[Finished]-m[Arrived])/1e3)
		queue = append(queue, float64(m[Scheduled]-m[Queued])/1e3)
		if n := rows[i].Output; n > 1 {
			tpot = append(tpot, float64(m[LastToken]-m[FirstToken])/float64(n-1)/1e3)
		}
	}
	quantiles(t, name+" ttft", ttft, w.TTFT)
	quantiles(t, name+" tpot", tpot, w.TPOT)
	quantiles(t, name+" e2e", e2e, w.E2E)
	quantiles(t, name+" queue", queue, w.Queue)
}

func quantiles(t *testing.T, what string, v []float64, want map[string]float64) {
	sort.Float64s(v)
	for name, w := range want {
		p, _ := strconv.ParseFloat(strings.TrimPrefix(name, "p"), 64)
		x := p / 100 * float64(len(v)-1)
		i := int(x)
		got := v[i] + (v[min(i+1, len(v)-1)]-v[i])*(x-float64(i))
		if math.Abs(got-w) > 0.001*w {
			t.Errorf("%s %s = %.3f ms, want %.3f", what, name, got, w)
		}
	}
}

// Mooncake's traces through a cache alone, in order of arrival.
func TestPrefixCache(t *testing.T) {
	const block = 512
	for _, c := range []struct {
		file                 string
		blocks               int64
		blockRatio, tokRatio float64 // %, 0: not published
		whole                bool    // tokRatio counts a prompt found whole as cached whole
	}{
		{"synthetic_trace.jsonl", InfiniteBlocks, 63.960, 65.043, false},
		{"synthetic_trace.jsonl", InfiniteBlocks, 63.960, 65.124, true},
		{"synthetic_trace.jsonl", 1_000, 8.246, 0, false},
		{"synthetic_trace.jsonl", 10_000, 42.349, 0, false},
		{"synthetic_trace.jsonl", 30_000, 62.421, 0, false},
		{"conversation_trace.head7000.jsonl", InfiniteBlocks, 34.678, 35.335, true},
	} {
		var hits, blocks, cached, tokens int64
		cache := NewPrefixCache(c.blocks)
		for _, r := range mooncakeRows(t, c.file) {
			h := int64(cache.Use(r.Blocks))
			hits, blocks = hits+h, blocks+int64(len(r.Blocks))
			spared := CachedTokens(h, r.Prompt, block)
			if c.whole {
				spared = min(h*block, r.Prompt)
			}
			cached, tokens = cached+spared, tokens+r.Prompt
		}
		byBlock, byToken := percent(hits, blocks), percent(cached, tokens)
		if byBlock != c.blockRatio || c.tokRatio != 0 && byToken != c.tokRatio {
			t.Errorf("%s, %d blocks: %.3f %% of blocks, %.3f %% of tokens; want %.3f, %.3f", c.file, c.blocks, byBlock, byToken, c.blockRatio, c.tokRatio)
		}
	}
}

func percent(part, whole int64) float64 {
	return math.Round(float64(part)/float64(whole)*1e5) / 1e3
}

func mooncakeRows(t testing.TB, file string) []Request {
	f, err := os.Open(filepath.Join(traces(t), "mooncake", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []Request
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var r struct {
			Timestamp int64    `json:"timestamp"`
			Input     int64    `json:"input_length"`
			Output    int64    `json:"output_length"`
			Hashes    []uint64 `json:"hash_ids"`
		}
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, Request{ID: int64(len(rows)), Arrival: r.Timestamp * 1000, Prompt: r.Input, Output: r.Output, Blocks: r.Hashes, BlockTokens: 512})
	}
	return rows
}
