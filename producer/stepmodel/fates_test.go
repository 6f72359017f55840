package stepmodel

import (
	"fmt"
	"strings"
	"testing"
)

// fates is the moments after a request was scheduled, without the times of the queue.
func fates(c Config, rows []Request, then func(*Fleet)) string {
	var line Timeline[Output]
	f := NewFleet(c, line.Put)
	for _, r := range rows {
		f.Arrive(r)
	}
	if then != nil {
		then(f)
	}
	f.Drain()
	var b strings.Builder
	line.Before(forever, func(at int64, o *Output) error {
		switch o.Kind {
		case Arrived, Queued, Sampled, Ran:
			return nil
		case Scheduled:
			fmt.Fprintf(&b, "%d r%d scheduled stay %d tokens %d\n", at, o.Request, o.Stay, o.Tokens)
		case Preempted:
			fmt.Fprintf(&b, "%d r%d preempted stay %d tokens %d kept %d\n", at, o.Request, o.Stay, o.Tokens, o.Kept)
		case Finished, Aborted, Lost:
			fmt.Fprintf(&b, "%d r%d %s output %d recomputed %d preempted %d µs\n", at, o.Request, kindNames[o.Kind], o.Use.Output, o.Use.Recomputed, o.Use.Preempted)
		default:
			fmt.Fprintf(&b, "%d r%d %s\n", at, o.Request, kindNames[o.Kind])
		}
		return nil
	})
	return b.String()
}

// tight holds 24 tokens in blocks of 4; a pass takes 100 µs and 1 µs a prompt token.
func tight() Config {
	p := small()
	p.KVTokens = 24
	return Config{Profile: p, LiveKV: true}
}

func TestFates(t *testing.T) {
	for _, c := range []struct {
		name   string
		config Config
		rows   []Request
		then   func(*Fleet)
		want   string
	}{
		// Both hold 12 tokens at first. When the older one needs a fourth block, the younger one is computed again later:
		// its prompt of 8 and the 5 tokens that it gave.
		{"preemption", tight(), []Request{{ID: 1, Prompt: 8, Output: 8}, {ID: 2, Prompt: 8, Output: 6}}, nil, `
10 r1 scheduled stay 1 tokens 0
10 r2 scheduled stay 1 tokens 0
126 r1 first
126 r2 first
526 r2 preempted stay 1 tokens 5 kept 13
826 r1 last
826 r2 scheduled stay 2 tokens 5
831 r1 finished output 8 recomputed 0 preempted 0 µs
939 r2 last
944 r2 finished output 6 recomputed 13 preempted 300 µs
`},
		// Two sequences at once: the third one waits beyond its time for a first token, the first one is cut short.
		{"deadlines", Config{Profile: small(), LiveKV: true}, []Request{{ID: 1, Prompt: 4, Output: 50, EndBy: 450}, {ID: 2, Prompt: 4, Output: 4, FirstBy: 300}, {ID: 3, Prompt: 4, Output: 1, FirstBy: 300}}, nil, `
10 r1 scheduled stay 1 tokens 0
10 r2 scheduled stay 1 tokens 0
118 r1 first
118 r2 first
318 r3 aborted output 0 recomputed 0 preempted 0 µs
418 r2 last
423 r2 finished output 4 recomputed 0 preempted 0 µs
518 r1 aborted output 5 recomputed 0 preempted 0 µs
`},
		{"told", Config{Profile: small(), LiveKV: true}, []Request{{ID: 1, Prompt: 4, Output: 3, Tell: 2}}, nil, `
10 r1 scheduled stay 1 tokens 0
114 r1 first
214 r1 reached
314 r1 last
319 r1 finished output 3 recomputed 0 preempted 0 µs
`},
		{"transferred", Config{Profile: small(), LiveKV: true}, []Request{{ID: 1, Prompt: 30, Output: 2, Transferred: 99}}, nil, `
10 r1 scheduled stay 1 tokens 0
111 r1 first
211 r1 last
216 r1 finished output 2 recomputed 0 preempted 0 µs
`},
		// Of every pass two drafts are right: three tokens.
		{"drafts", Config{Profile: small(), LiveKV: true, Speculation: Speculation{Tokens: 2, AcceptPPM: 1_000_000, Micros: 9}}, []Request{{ID: 1, Prompt: 4, Output: 7}}, nil, `
10 r1 scheduled stay 1 tokens 0
114 r1 first
332 r1 last
337 r1 finished output 7 recomputed 0 preempted 0 µs
`},
		{"death", Config{Profile: small(), LiveKV: true}, []Request{{ID: 1, Prompt: 4, Output: 9}}, func(f *Fleet) { f.Advance(300); f.Restart(0, 300) }, `
10 r1 scheduled stay 1 tokens 0
114 r1 first
314 r1 lost output 3 recomputed 0 preempted 0 µs
`},
		{"half speed", Config{Profile: small(), LiveKV: true}, []Request{{ID: 1, Prompt: 4, Output: 2}}, func(f *Fleet) { f.Speed(0, 2) }, `
10 r1 scheduled stay 1 tokens 0
218 r1 first
418 r1 last
423 r1 finished output 2 recomputed 0 preempted 0 µs
`},
	} {
		if got := "\n" + fates(c.config, c.rows, c.then); got != c.want {
			t.Errorf("%s: got%swant%s", c.name, got, c.want)
		}
	}
}

// A prefix cache that lives in what sequences leave gives way to them, and can be dropped.
func TestCacheGivesWay(t *testing.T) {
	p := small()
	p.KVTokens = 40
	c := Config{Profile: p, LiveKV: true, CacheBlocks: 8, Interval: 1_000}
	row := func(id, at, first int64) Request {
		return Request{ID: id, Arrival: at, Prompt: 17, Output: 4, Blocks: []uint64{uint64(first), uint64(first) + 1}, BlockTokens: 8}
	}
	var line Timeline[Output]
	f := NewFleet(c, line.Put)
	f.Arrive(row(1, 1, 10))
	f.Arrive(row(2, 5_001, 10))
	f.Arrive(row(3, 10_001, 10))
	f.Advance(15_001)
	f.DropCache(0, 0)
	f.Arrive(row(4, 15_001, 10))
	f.Drain()
	var got []string
	line.Before(forever, func(_ int64, o *Output) error {
		if o.Kind == Scheduled {
			got = append(got, fmt.Sprintf("r%d cached %d", o.Request, o.Cached))
		}
		return nil
	})
	if s := strings.Join(got, ", "); s != "r1 cached 0, r2 cached 16, r3 cached 16, r4 cached 0" {
		t.Error(s)
	}
	if f.replicas[0].evictable() != 0 {
		t.Error("a dropped cache holds tokens")
	}
}
