package stepmodel

import (
	"fmt"
	"strings"
	"testing"
)

// spent is what each request spent, in order of their ends.
func spent(c Config, rows []Request, speed float64) string {
	c.Attribute, c.LiveKV = true, true
	var line Timeline[Output]
	f := NewFleet(c, line.Put)
	f.Speed(0, speed)
	for _, r := range rows {
		f.Arrive(r)
	}
	f.Drain()
	var all []string
	line.Before(forever, func(_ int64, o *Output) error {
		if o.Use != nil {
			s := &o.Use.Spent
			all = append(all, fmt.Sprintf("r%d prefill %d decode %d cached %d recompute %d unheard %d rejected %d", o.Request, s.Prefill, s.Decode, s.Cached, s.Recompute, s.Unheard, s.Rejected))
		}
		return nil
	})
	return strings.Join(all, "\n")
}

// Shares that can be computed by hand, ns. A pass takes 100 µs, and 1 µs a prompt token where nothing else is said.
func TestShare(t *testing.T) {
	p, tokens, squares := small(), small(), small()
	tokens.N, tokens.D, tokens.KVTokens = 2*picosPerMicro, picosPerMicro/10, 1000
	squares.E, squares.KVTokens = picosPerMicro/2, 1000
	pair := []Request{{ID: 1, Prompt: 4, Output: 2}, {ID: 2, Prompt: 8, Output: 1}}
	for _, c := range []struct {
		name   string
		config Config
		rows   []Request
		speed  float64
		want   string
	}{
		// One pass of 112 µs: 50 + 4 and 50 + 8. Then one of 100 for the first alone.
		{"a shared pass", Config{Profile: p}, pair, 1, `
r2 prefill 58000 decode 0 cached 0 recompute 0 unheard 0 rejected 0
r1 prefill 54000 decode 100000 cached 0 recompute 0 unheard 0 rejected 0`},
		{"on a GPU at half its clock", Config{Profile: p}, pair, 2, `
r2 prefill 116000 decode 0 cached 0 recompute 0 unheard 0 rejected 0
r1 prefill 108000 decode 200000 cached 0 recompute 0 unheard 0 rejected 0`},
		// Decoding costs 2 µs and 0.1 µs a token of context, which is 5 and then 6; passes take whole µs, 103 both.
		{"decoding", Config{Profile: tokens}, []Request{{ID: 1, Prompt: 4, Output: 3, Tell: 2}}, 1, `
r1 prefill 104000 decode 206000 cached 0 recompute 0 unheard 103000 rejected 0`},
		// Four drafts cost 8 of the 110.5 µs of the pass, which takes 111, and none is right.
		{"drafts", Config{Profile: tokens, Speculation: Speculation{Tokens: 4}}, []Request{{ID: 1, Prompt: 4, Output: 2}}, 1, `
r1 prefill 104000 decode 111000 cached 0 recompute 0 unheard 0 rejected 8036`},
		// 4 tokens after 16 cached ones: 0.5 µs · (20² − 16²) = 72, of which 2 · 4 · 16 · 0.5 = 64 is reading the cached part.
		{"reading a cached prompt", Config{Profile: squares, Quadratic: true, CacheBlocks: 4}, []Request{
			{ID: 1, Prompt: 20, Output: 1, Blocks: []uint64{1, 2}, BlockTokens: 8},
			{ID: 2, Arrival: 1000, Prompt: 20, Output: 1, Blocks: []uint64{1, 2}, BlockTokens: 8}}, 1, `
r1 prefill 320000 decode 0 cached 0 recompute 0 unheard 0 rejected 0
r2 prefill 112000 decode 0 cached 64000 recompute 0 unheard 0 rejected 0`},
	} {
		if got := "\n" + spent(c.config, c.rows, c.speed); got != c.want {
			t.Errorf("%s: got%s\nwant%s", c.name, got, c.want)
		}
	}
}
