package aggregate

import (
	"cmp"
	"slices"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/zeebo/xxh3"

	"github.com/inferlake/inferlake/stream"
)

// inspect holds a state to its caps (I11) and to what it says of its horizon (I6).
func (s *sim) inspect(f *Fold) {
	r := f.rules
	windows := r.MaxWindows + 2*int(r.MaxLife.Nanoseconds()/WindowNS) + 4 // and what one event may book
	for _, n := range []struct {
		what       string
		have, most int
	}{{"open requests", f.requests.open.n, r.MaxOpen}, {"closed requests", f.requests.closed.n, r.MaxClosed}, {"lanes", len(f.coverage.lanes), r.MaxLanes},
		{"series", len(f.series.byKey), r.MaxSeries}, {"windows", len(f.windows.deltas), windows},
		{"sample windows", f.samples.len(), windows}, {"names", len(f.dimensions[nameModel].seen), r.MaxNames}} {
		if n.have > n.most {
			s.fail("I11 caps", "%d %s, at most %d", n.have, n.what, n.most)
		}
	}
	settled := f.Status().SettledThrough
	for q := range f.requests.all(f.requests.open) {
		if first, _ := q.extent(); first != 0 && first < settled {
			s.fail("I6 settled", "settled through %d, but %q is open since %d", settled, q.id.requestID, first)
		}
	}
}

// check compares the day with the undisturbed fold and with what the producers sent.
func (s *sim) check() {
	k := s.sink
	if s.hasFailed() {
		return
	}
	ref := newReference(s)
	defer ref.fold.Close()
	if s.lost {
		ref.follow(k.journal[:s.good])
		return
	}
	s.checkSums()
	ref.follow(k.journal)
	ref.cut()
	if !k.store.equal(ref.store) {
		s.tellDifference(k.store.lines(), ref.store.lines())
	}
	if s.rules.MaxLanes == 0 {
		s.checkCoverage()
	}
}

// tellDifference shows the first line that two stores do not share.
func (s *sim) tellDifference(have, want []string) {
	for i := range max(len(have), len(want)) {
		if i >= len(have) || i >= len(want) || have[i] != want[i] {
			s.fail("I1 rows", "%d rows and windows, undisturbed %d; the first to differ:\n%s\n%s", len(have), len(want), line(have, i), line(want, i))
			return
		}
	}
}

func line(of []string, i int) string {
	if i < len(of) {
		return of[i]
	}
	return "(none)"
}

// reference folds the log straight through, as the journal decided.
type reference struct {
	sim     *sim
	fold    *Fold
	store   *store
	decoder stream.Decoder
	next    int // record
}

func newReference(s *sim) *reference {
	return &reference{sim: s, fold: NewFold(simPartition, s.rules, memory.DefaultAllocator), store: newStore(s)}
}

func (r *reference) cut() {
	d := r.fold.Cut()
	r.store.add(d)
	d.Release()
}

// follow folds what the commits covered and compares what is known after each.
func (r *reference) follow(journal []entry) {
	for _, e := range journal {
		r.decide(e)
		if have := r.fold.Status(); have != e.status {
			r.sim.fail("I1 status", "at %d: %+v, undisturbed %+v", e.to, e.status, have)
		}
		if xxh3.Hash(r.fold.Snapshot(nil)) != e.state {
			r.sim.fail("I1 state", "at %d the state's bytes are not the undisturbed ones", e.to)
		}
	}
}

// decide folds up to the end of a commit as its ledger says.
func (r *reference) decide(e entry) {
	ticks := slices.Clone(e.ledger.Ticks)
	for _, g := range e.ledger.Gaps {
		for len(ticks) > 0 && ticks[0].Offset <= g.From {
			r.tick(ticks[0], e.ledger)
			ticks = ticks[1:]
		}
		r.upTo(g.From, e.ledger)
		r.fold.Gap(g)
		r.next = r.sim.log.at(g.To)
	}
	for _, t := range ticks {
		r.tick(t, e.ledger)
	}
	r.upTo(e.to, e.ledger)
}

func (r *reference) tick(t stream.Tick, l stream.Ledger) {
	r.upTo(t.Offset, l)
	r.fold.Tick(t)
}

func (r *reference) upTo(offset int64, l stream.Ledger) {
	for ; r.next < len(r.sim.log.records) && r.sim.log.records[r.next].Offset < offset; r.next++ {
		r.record(&r.sim.log.records[r.next], l)
	}
}

func (r *reference) record(rec *stream.Record, l stream.Ledger) {
	r.fold.Begin(rec.Offset, rec.Timestamp, slices.Contains(l.Ahead, rec.Offset))
	if killed(l, rec.Offset) {
		r.fold.Refuse(stream.DeadLetter{Events: 1})
		return
	}
	r.decoder.Decode(rec, func(index int32, e *stream.Event, why stream.Reason) {
		if why == stream.Accepted {
			why = r.fold.Apply(e, stream.Position{Offset: rec.Offset, Index: index})
		}
		if why != stream.Accepted {
			r.fold.Refuse(stream.DeadLetter{Events: 1})
		}
	})
}

func killed(l stream.Ledger, offset int64) bool {
	return slices.ContainsFunc(l.Dead, func(d stream.DeadLetter) bool { return d.Offset == offset && d.Reason == stream.ReasonCrashed })
}

// checkSums holds the windows' sums against the facts (I2): the parts of what was spread are the whole.
func (s *sim) checkSums() {
	want := map[string]int64{}
	for key, f := range s.sink.store.facts {
		if key.table == Requests {
			f.contribute(want)
		}
	}
	for _, column := range []string{"finished", "arrivals", "first_tokens", "ok", "errors", "lost", "late_requests", "preemptions", "prompt_tokens", "cached_tokens",
		"output_tokens", "waiting_ns", "prefill_ns", "running_ns"} {
		if have := s.sink.store.total(column); have != want[column] {
			s.fail("I2 sums", "windows have %d %s, the facts %d", have, column, want[column])
		}
	}
}

// contribute adds what a request's row says to the sums by column.
func (f fact) contribute(to map[string]int64) {
	n := func(column string) int64 { return f.at(Requests, column).n }
	has := func(column string) int64 { return is(f.at(Requests, column).known) }
	ended := func(outcome string) int64 { return is(f.at(Requests, "outcome").s == outcome) }
	to["finished"]++
	to["arrivals"] += has("received_at")
	to["first_tokens"] += has("first_token_at")
	to["ok"] += ended("ok")
	to["errors"] += ended("error")
	to["lost"] += ended("lost")
	to["late_requests"] += n("late")
	to["preemptions"] += n("preemptions")
	to["output_tokens"] += n("output_tokens") + (1-has("output_tokens"))*n("output_seen_tokens")
	to["prompt_tokens"] += n("prompt_tokens")
	to["cached_tokens"] += min(n("cached_local_tokens"), n("prompt_tokens"))
	if Flags(n("flags"))&FlagSpan != 0 {
		return // its times are not believed
	}
	for column, m := range map[string][2]string{"waiting_ns": {"queued_at", "scheduled_at"}, "prefill_ns": {"scheduled_at", "first_token_at"}, "running_ns": {"scheduled_at", "finished_at"}} {
		to[column] += has(m[0]) * has(m[1]) * max(n(m[1])-n(m[0]), 0)
	}
}

// checkCoverage holds the coverage against the numbers that are on the log where it was folded (I6).
func (s *sim) checkCoverage() {
	seen := s.seen()
	for key, seqs := range seen {
		lane, ok := s.sink.store.lanes[key]
		if !ok {
			s.fail("I6 coverage", "lane %v has no row", key)
			return
		}
		n := func(column string) int64 { return lane.at(Coverage, column).n }
		distinct, gaps := count(seqs)
		if n("received") != distinct || n("gaps") != gaps || n("duplicates") != int64(len(seqs))-distinct {
			s.fail("I6 coverage", "lane %v: %s; sent were %d numbers with %d gaps, %d in all", key, lane.text(Coverage), distinct, gaps, len(seqs))
		}
	}
}

// seen lists the numbers of each lane that were folded, as they came.
func (s *sim) seen() map[simLane][]int64 {
	seen := map[simLane][]int64{}
	var decoder stream.Decoder
	var l stream.Ledger
	for _, e := range s.sink.journal {
		l = joined(l, e.ledger)
	}
	for i := range s.log.records {
		rec := &s.log.records[i]
		gone := slices.ContainsFunc(l.Gaps, func(g stream.Gap) bool { return g.From <= rec.Offset && rec.Offset < g.To })
		if gone || killed(l, rec.Offset) {
			continue
		}
		decoder.Decode(rec, func(_ int32, e *stream.Event, why stream.Reason) {
			if why == stream.Accepted && e.Has(stream.EventSeq) {
				key := simLane{e.Text(stream.EventProducer), e.Text(stream.EventBoot), e.Num(stream.EventLane)}
				seen[key] = append(seen[key], e.Num(stream.EventSeq))
			}
		})
	}
	return seen
}

// count counts the numbers that differ, and the holes between them.
func count(seqs []int64) (distinct, holes int64) {
	sorted := slices.Clone(seqs)
	slices.SortFunc(sorted, func(a, b int64) int { return cmp.Compare(a, b) })
	sorted = slices.Compact(sorted)
	for i := 1; i < len(sorted); i++ {
		holes += is(sorted[i] != sorted[i-1]+1)
	}
	return int64(len(sorted)), holes
}

// met counts the mishaps of all seeds: a simulation that meets none tests nothing.
var met = mishaps{n: map[string]int{}}

type mishaps struct {
	mu sync.Mutex
	n  map[string]int
}

func (s *sim) count() {
	met.mu.Lock()
	defer met.mu.Unlock()
	k := s.sink
	var l stream.Ledger
	for _, e := range k.journal {
		l = joined(l, e.ledger)
	}
	status := k.journal[len(k.journal)-1].status
	for what, n := range map[string]int{"commits": len(k.journal), "leases": int(k.generation), "stale batches": k.superseded, "lost answers": k.again,
		"ticks": len(l.Ticks), "records ahead": len(l.Ahead), "dead letters": len(l.Dead), "gaps": len(l.Gaps), "states": len(k.states), "damaged states": k.damaged,
		"killers": int(is(s.killer >= 0)), "seeds whose log was lost": int(is(s.lost)), "events": int(status.Consumed), "duplicates": int(status.Duplicate), "late events": int(status.Late),
		"parts evicted": int(status.Evicted), "requests forgotten": int(status.Forgotten), "bookings under another name": int(status.Others), "stale samples": int(status.Stale)} {
		met.n[what] += n
	}
}

func (m *mishaps) check(t *testing.T) {
	for what, n := range m.n {
		if n == 0 {
			t.Errorf("no %s in all seeds: they are not tested", what)
		}
	}
	t.Logf("%v", m.n)
}
