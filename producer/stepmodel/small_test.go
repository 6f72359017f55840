package stepmodel

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// small is a profile whose arithmetic can be done by hand: a pass takes 100 µs, 1 µs a prompt token, nothing else.
func small() Profile {
	return Profile{Pre: 10, Post: 5, A: 100, B: picosPerMicro, KVTokens: 100, MaxSequences: 2, MaxBatchedTokens: 20, BlockTokens: 4}
}

func story(c Config, rows []Request) string {
	var line Timeline[Output]
	f := NewFleet(c, line.Put)
	var b strings.Builder
	tell := func(at int64, o *Output) error {
		switch o.Kind {
		case Sampled:
			fmt.Fprintf(&b, "%d sample %d+%d kv %d\n", at, o.Sample.Running, o.Sample.Waiting, o.Sample.KVTokens)
		case Ran:
			r := o.Run
			fmt.Fprintf(&b, "%d run n=%d wall=%d P=%d 2X=%d D=%d K=%d\n", at, r.Passes, r.Wall, r.PrefillTokens, r.PrefillContextTwice, r.DecodeTokens, r.KVTokensRead)
		default:
			fmt.Fprintf(&b, "%d r%d %s pass %d cached %d\n", at, o.Request, kindNames[o.Kind], o.Pass, o.Cached)
		}
		return nil
	}
	for _, r := range rows {
		f.Arrive(r)
		line.Before(r.Arrival, tell)
	}
	f.Drain()
	line.Before(forever, tell)
	return b.String()
}

var kindNames = []string{"", "arrived", "queued", "scheduled", "first", "last", "finished", "rejected", "", "", "preempted", "reached", "aborted", "lost"}

// A prompt of 30 in chunks of 20, a second one that waits for its share, a third that can never fit.
func TestStory(t *testing.T) {
	got := story(Config{Profile: small(), Interval: 200}, []Request{
		{ID: 1, Arrival: 1000, Prompt: 30, Output: 3}, {ID: 2, Arrival: 1000, Prompt: 4, Output: 1}, {ID: 3, Arrival: 1001, Prompt: 99, Output: 2}})
	want := `1000 r1 arrived pass 0 cached 0
1000 sample 0+0 kv 0
1000 r2 arrived pass 0 cached 0
1001 r3 arrived pass 0 cached 0
1010 r1 queued pass 0 cached 0
1010 r2 queued pass 0 cached 0
1010 r1 scheduled pass 1 cached 0
1011 r3 queued pass 0 cached 0
1011 r3 rejected pass 0 cached 0
1130 run n=1 wall=120 P=20 2X=400 D=0 K=0
1130 r2 scheduled pass 2 cached 0
1200 sample 2+0 kv 38
1244 r1 first pass 2 cached 0
1244 r2 first pass 2 cached 0
1244 r2 last pass 2 cached 0
1244 run n=1 wall=114 P=14 2X=516 D=0 K=0
1249 r2 finished pass 2 cached 0
1400 sample 1+0 kv 33
1444 r1 last pass 4 cached 0
1444 run n=2 wall=200 P=0 2X=0 D=2 K=63
1449 r1 finished pass 4 cached 0
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// With the quadratic term a prompt takes e·(Σ (c+k)² − c²) longer.
func TestQuadratic(t *testing.T) {
	p := small()
	p.E = picosPerMicro
	got := story(Config{Profile: p, Quadratic: true}, []Request{{ID: 1, Arrival: 0, Prompt: 10, Output: 1}})
	if !strings.Contains(got, "run n=1 wall=210 ") {
		t.Errorf("want 100 + 10 + 100 µs:\n%s", got)
	}
}

// Runs end at 64 passes, and after a second.
func TestRunLength(t *testing.T) {
	got := story(Config{Profile: small()}, []Request{{ID: 1, Prompt: 1, Output: 70}})
	for _, want := range []string{"run n=64 wall=6400 ", "run n=5 wall=500 "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	slow := small()
	slow.A = 300_000
	if got := story(Config{Profile: slow}, []Request{{ID: 1, Prompt: 1, Output: 10}}); !strings.Contains(got, "run n=4 wall=1200000 ") {
		t.Errorf("no cut after a second in\n%s", got)
	}
}

// The second of two equal prompts finds its whole blocks but one.
func TestCacheInFleet(t *testing.T) {
	rows := []Request{
		{ID: 1, Arrival: 0, Prompt: 8, Output: 1, Blocks: []uint64{1, 2}, BlockTokens: 4},
		{ID: 2, Arrival: 500, Prompt: 8, Output: 1, Blocks: []uint64{1, 2}, BlockTokens: 4}}
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{}, "cached 0"},
		{Config{CacheBlocks: InfiniteBlocks}, "cached 4"},
		{Config{CacheBlocks: InfiniteBlocks, Replicas: 2}, "cached 0"},
		{Config{CacheBlocks: InfiniteBlocks, Replicas: 2, SharedCache: true}, "cached 4"},
		{Config{CacheBlocks: 1}, "cached 0"},
	} {
		c.config.Profile = small()
		if got := story(c.config, rows); !strings.Contains(got, "r2 scheduled pass") || !strings.Contains(got[strings.Index(got, "r2 scheduled"):], c.want) {
			t.Errorf("%+v: no %q in\n%s", c.config, c.want, got)
		}
	}
}

// A least-loaded fleet gives a request to the idle replica.
func TestLeastLoaded(t *testing.T) {
	seen := map[int64]int{}
	f := NewFleet(Config{Profile: small(), Replicas: 2, Dispatch: LeastLoaded}, func(_ int64, o Output) { seen[o.Request] = o.Replica })
	f.Arrive(Request{ID: 1, Arrival: 0, Prompt: 5, Output: 50})
	f.Arrive(Request{ID: 2, Arrival: 10, Prompt: 5, Output: 1})
	f.Arrive(Request{ID: 3, Arrival: 900, Prompt: 5, Output: 1})
	f.Drain()
	if seen[1] != 0 || seen[2] != 1 || seen[3] != 1 {
		t.Errorf("replicas %v", seen)
	}
}

// BenchmarkFleet: 300,000 requests of 1,000 tokens in and 200 out on eight replicas.
func BenchmarkFleet(b *testing.B) {
	for b.Loop() {
		p, _ := ProfileNamed("")
		var line Timeline[Output]
		f := NewFleet(Config{Profile: p, Replicas: 8, Dispatch: LeastLoaded, Interval: 10_000_000}, line.Put)
		n := 0
		count := func(int64, *Output) error { n++; return nil }
		begin := time.Now()
		for i := range int64(300_000) {
			at := i * 12_000
			f.Arrive(Request{ID: i, Arrival: at, Prompt: 500 + i%1000, Output: 100 + i%200})
			line.Before(at, count)
		}
		f.Drain()
		line.Before(forever, count)
		b.ReportMetric(time.Since(begin).Seconds(), "s/300k")
		b.ReportMetric(float64(n), "outputs")
	}
}
