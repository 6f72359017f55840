package stepmodel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// ledger adds up what a fleet tells, to hold it against what went in.
type ledger struct {
	t     *testing.T
	block int64 // KV tokens
	total int64 // KV tokens of a replica

	ended, lost                     int64
	given, recomputed, preemptions  int64
	drafted, accepted, spent, parts int64
	runs, last                      map[int]Counts // by replica
	samples                         int64
}

func (l *ledger) take(at int64, o *Output) error {
	switch o.Kind {
	case Finished, Aborted, Lost:
		l.end(o.Use)
		if o.Kind == Lost {
			l.lost++
		}
	case Rejected:
		l.ended++
	case Ran:
		c := l.runs[o.Replica]
		c.add(&o.Run.Counts)
		l.runs[o.Replica] = c
	case Sampled:
		l.samples++
		s := o.Sample
		if s.KVTokens%l.block != 0 || s.KVTokens < 0 || s.KVTokens+s.Evictable > l.total {
			l.t.Errorf("%d: %d KV tokens used, %d evictable of %d", at, s.KVTokens, s.Evictable, l.total)
		}
	}
	return nil
}

func (l *ledger) end(u *Use) {
	l.ended++
	l.given += u.Output
	l.recomputed += u.Recomputed
	l.preemptions += u.Preemptions
	l.drafted += u.Drafted
	l.accepted += u.Accepted
	l.spent += u.Spent.Total()
	if s := u.Spent; s.Unheard > s.Total() || s.Recompute > s.Prefill+s.Cached || s.Rejected > s.Decode || min(s.Prefill, s.Decode, s.Cached) < 0 {
		l.parts++
	}
}

// Whatever happens to requests, nothing of tokens, KV tokens and GPU time is made or lost: 60 random fleets, small
// enough for preemption, with jitter, drafts, deadlines, prefixes and deaths of replicas.
func TestConservation(t *testing.T) {
	var preempted, lost, drafted int64
	for seed := range uint64(60) {
		l := conserve(t, seed)
		preempted, lost, drafted = preempted+l.preemptions, lost+l.lost, drafted+l.drafted
	}
	if preempted == 0 || lost == 0 || drafted == 0 {
		t.Errorf("%d preemptions, %d lost, %d drafts: the fleets are too calm", preempted, lost, drafted)
	}
}

func conserve(t *testing.T, seed uint64) *ledger {
	d := rand.New(rand.NewPCG(seed, 7))
	p := Profile{Pre: 10, Post: 5, A: 100 + d.Int64N(900), B: d.Int64N(20) * picosPerMicro, N: d.Int64N(3) * picosPerMicro, D: d.Int64N(50_000), E: d.Int64N(2_000),
		KVTokens: 400 + d.Int64N(2000), MaxSequences: 2 + d.Int64N(30), MaxBatchedTokens: 150 + d.Int64N(300), BlockTokens: 16}
	c := Config{Profile: p, Replicas: 1 + d.IntN(3), Dispatch: LeastLoaded, CacheBlocks: d.Int64N(20), Quadratic: d.IntN(2) == 0, LiveKV: true,
		Jitter: Jitter{Seed: seed, Noise: d.Float64() * 0.05, Drift: d.Float64() * 0.1}, Attribute: true, Interval: 5_000}
	if d.IntN(2) == 0 {
		c.Speculation = Speculation{Tokens: 1 + d.Int64N(4), AcceptPPM: 700_000, Micros: 20}
	}
	l := &ledger{t: t, block: 16, total: p.KVTokens / 16 * 16, runs: map[int]Counts{}, last: map[int]Counts{}}
	var line Timeline[Output]
	f := NewFleet(c, line.Put)
	var at, busy, shared int64
	for id := range int64(400) {
		at += d.Int64N(2 * p.A)
		q := Request{ID: id, Arrival: at, Prompt: 1 + d.Int64N(300), Output: 1 + d.Int64N(150), BlockTokens: 32}
		for b := range q.Prompt / 32 {
			q.Blocks = append(q.Blocks, uint64(d.IntN(3))<<32|uint64(b))
		}
		if d.IntN(10) == 0 {
			q.Tell = 1 + d.Int64N(q.Output)
		}
		if d.IntN(10) == 0 {
			q.EndBy = at + d.Int64N(200*p.A)
		}
		if d.IntN(10) == 0 {
			q.FirstBy = at + d.Int64N(50*p.A)
		}
		f.Arrive(q)
		if d.IntN(100) == 0 {
			s, _ := f.Restart(d.IntN(c.Replicas), at)
			busy, shared = busy+s.Busy, shared+s.Shared
		}
	}
	f.Drain()
	line.Before(forever, l.take)
	for _, s := range f.Stats() {
		busy, shared = busy+s.Busy, shared+s.Shared
	}
	var sum Counts
	for _, c := range l.runs {
		sum.add(&c)
	}
	for _, r := range f.replicas {
		if r.memory.used != 0 || r.context != 0 || r.load() != 0 {
			t.Errorf("seed %d: %d KV tokens and %d of context left, %d requests", seed, r.memory.used, r.context, r.load())
		}
	}
	got := fmt.Sprintf("ended %d, spent %d ns = shared %d, in runs %d µs, wrong parts %d", l.ended, l.spent, shared, sum.Wall, l.parts)
	if want := fmt.Sprintf("ended 400, spent %d ns = shared %d, in runs %d µs, wrong parts 0", busy*1000, busy*1000, busy); got != want {
		t.Errorf("seed %d:\n got %s\nwant %s", seed, got, want)
	}
	return l
}
