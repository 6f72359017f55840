package aggregate

import (
	"fmt"
	"testing"

	"github.com/inferlake/inferlake/stream"
)

// feed applies events one a record, a second apart on the log.
func (d *folder) feed(start int64, events ...stream.Event) {
	for _, e := range events {
		at := d.fold.counts.Records
		d.apply(int(at), step{start + at*second, e})
	}
}

// finishedOf is one event that tells all of a request of a model.
func finishedOf(id, model string, outcome stream.Outcome, at int64) stream.Event {
	e := phaseEvent(id, stream.PhaseFinished, at)
	e.SetInt(stream.RequestOutcome, int64(outcome))
	e.SetText(stream.RequestModel, model)
	e.SetInt(stream.RequestOutputTokens, 7)
	return e
}

// windowModels are the models that windows name, with their output tokens.
func (d *folder) windowModels() map[string]int64 {
	models := map[string]int64{}
	for k, delta := range d.fold.windows.deltas {
		for i, m := range Measures {
			if m.Name == "output_tokens" {
				models[d.fold.windows.dims[k.dims].model] += delta.sums[i]
			}
		}
	}
	return models
}

// Rule 18: the first names on the log are admitted, a refused request admits none, configured names always are, and a
// name unseen for its memory gives up its place. Facts keep the true names.
func TestNamesAreAdmittedInLogOrder(t *testing.T) {
	start := 1_700_000_000 * second
	d := newFolder(t, Rules{MaxNames: 2, NameMemory: 1000e9, Names: []string{"gold"}})
	for i := range 5 {
		d.feed(start, finishedOf(fmt.Sprint("bad", i), fmt.Sprint("made-up", i), stream.OutcomeRejected, start))
	}
	for i := range 5 {
		e := finishedOf(fmt.Sprint("unknown", i), fmt.Sprint("no-such-model", i), stream.OutcomeError, start)
		e.SetInt(stream.RequestHTTPStatus, 404)
		d.feed(start, e)
	}
	for i, model := range []string{"a", "b", "c", "gold", "a"} {
		d.feed(start, finishedOf(fmt.Sprint("r", i), model, stream.OutcomeOK, start))
	}
	want := map[string]int64{"a": 14, "b": 7, "gold": 7, Other: 11 * 7}
	if got := d.windowModels(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("windows have %v, want %v", got, want)
	}
	d.fold.Tick(stream.Tick{At: start + 2000*second})
	d.feed(start+2000*second, finishedOf("late", "c", stream.OutcomeOK, start))
	if got := d.windowModels()["c"]; got != 7 {
		t.Errorf("c has %d tokens after a and b were forgotten, want 7", got)
	}
	d.take()
	for _, row := range d.rows {
		if row["model"] == Other {
			t.Errorf("a fact has lost its model: %v", row["request_id"])
		}
	}
}

// Rule 5: a newer boot ends the open requests of the older one at their last mark; the same boot's word again, or an
// older one's, ends nothing.
func TestANewerBootEndsTheOldOnesRequests(t *testing.T) {
	start := 1_700_000_000 * second
	beat := func(boot string, started int64) stream.Event {
		var e stream.Event
		e.Reset(stream.KindInstance)
		e.SetText(stream.EventInstance, "engine-1")
		e.SetText(stream.EventBoot, boot)
		e.SetInt(stream.EventRole, int64(stream.RoleEngine))
		e.SetInt(stream.EventTimeUnixNano, start)
		e.SetInt(stream.InstanceState, int64(stream.StateHeartbeat))
		e.SetInt(stream.InstanceBootStartedUnixNano, started)
		return e
	}
	d := newFolder(t, Rules{})
	open := life("r1", "m", start)[:4]
	d.feed(start, beat("b1", start-10*second))
	d.feed(start, open...)
	d.feed(start, beat("b1", start-10*second), beat("b0", start-20*second))
	if n := d.fold.Status().Open; n != 1 {
		t.Fatalf("%d requests open, want 1", n)
	}
	d.feed(start, beat("b2", start+second))
	d.take()
	if len(d.rows) != 1 {
		t.Fatalf("%d rows, want 1", len(d.rows))
	}
	for _, row := range d.rows {
		if row["outcome"] != "lost" || number64(row["flags"])&int64(FlagRestarted) == 0 {
			t.Errorf("outcome %v, flags %v; want lost, restarted", row["outcome"], row["flags"])
		}
	}
}

// Rule 17: whatever floods the log, the state stays within its caps, what goes is counted, and every event is accounted for.
func TestTheStateIsBounded(t *testing.T) {
	rules := Rules{MaxOpen: 50, MaxClosed: 20, MaxLanes: 30, MaxRuns: 10, MaxSeries: 25, MaxWindows: 40, MaxNames: 5}
	start := 1_700_000_000 * second
	floods := map[string]struct {
		event func(i int) stream.Event
		gives stream.GivenUp
	}{
		"received only": {func(i int) stream.Event { return phaseEvent(fmt.Sprint("r", i), stream.PhaseReceived, start) },
			stream.GivenUp{Evicted: 1950, Forgotten: 1930}},
		"churning boots": {func(i int) stream.Event {
			e := phaseEvent("r", stream.PhaseReceived, start)
			e.SetText(stream.EventProducer, fmt.Sprint("p", i))
			e.SetInt(stream.EventSeq, 0)
			return e
		}, stream.GivenUp{Evicted: 1972}},
		"gapped sequence": {func(i int) stream.Event {
			e := finishedOf(fmt.Sprint("r", i), "m", stream.OutcomeOK, start)
			e.SetText(stream.EventProducer, "p")
			e.SetInt(stream.EventSeq, int64(2*i))
			return e
		}, stream.GivenUp{Evicted: 1989, Forgotten: 1980}},
		"hostile names": {func(i int) stream.Event {
			return finishedOf(fmt.Sprint("r", i), fmt.Sprint("model", i), stream.OutcomeOK, start)
		}, stream.GivenUp{Forgotten: 1980, Others: 1995}},
		"series": {func(i int) stream.Event {
			var e stream.Event
			e.Reset(stream.KindGPU)
			e.SetText(stream.GPUGPU, fmt.Sprint("gpu", i))
			e.SetInt(stream.EventTimeUnixNano, start+int64(i)*second)
			e.SetInt(stream.GPUPowerMilliwatts, 300_000)
			return e
		}, stream.GivenUp{Evicted: 1977}},
		"a sample behind": {func(i int) stream.Event {
			var e stream.Event
			e.Reset(stream.KindGPU)
			e.SetText(stream.GPUGPU, "gpu")
			e.SetInt(stream.EventTimeUnixNano, start-int64(i%2)*second+int64(i/2))
			e.SetInt(stream.GPUPowerMilliwatts, 300_000)
			return e
		}, stream.GivenUp{Stale: 1000}},
		"a span of six years": {func(i int) stream.Event {
			e := finishedOf(fmt.Sprint("r", i), "m", stream.OutcomeOK, start)
			e.SetInt(stream.RequestFirstTokenUnixNano, start-6*365*86400*second)
			return e
		}, stream.GivenUp{Forgotten: 1980}},
	}
	for name, flood := range floods {
		t.Run(name, func(t *testing.T) {
			d := newFolder(t, rules)
			for i := range 2000 {
				d.feed(start, flood.event(i))
				d.within(rules)
			}
			if have := d.fold.Status().GivenUp; have != flood.gives {
				t.Errorf("given up: %+v, want %+v", have, flood.gives)
			}
			d.take()
			d.within(rules)
		})
	}
}

// within checks the caps, and I4.
func (d *folder) within(r Rules) {
	d.t.Helper()
	f := d.fold
	for _, n := range []struct {
		what       string
		have, most int
	}{{"open", f.requests.open.n, r.MaxOpen}, {"closed", f.requests.closed.n, r.MaxClosed}, {"lanes", len(f.coverage.lanes), r.MaxLanes},
		{"series", len(f.series.byKey), r.MaxSeries}, {"windows", len(f.windows.deltas), 2 * r.MaxWindows},
		{"sample windows", f.samples.len(), 2 * r.MaxWindows}, {"dimensions", len(f.windows.dims), r.MaxWindows + 10}} {
		if n.have > n.most {
			d.t.Fatalf("%d %s, at most %d", n.have, n.what, n.most)
		}
	}
	for _, l := range f.coverage.lanes {
		if len(l.runs) > r.MaxRuns+1 {
			d.t.Fatalf("%d runs, at most %d", len(l.runs), r.MaxRuns)
		}
	}
	if s := f.Status(); s.Consumed != s.Loaded+s.Pending+s.Duplicate+s.Dead {
		d.t.Fatalf("consumed %d ≠ loaded %d + pending %d + duplicate %d + dead %d", s.Consumed, s.Loaded, s.Pending, s.Duplicate, s.Dead)
	}
}

// Combinations of names make room for others once their requests are forgotten: names that come and go do not end up as
// __other__.
func TestCombinationsOfNamesAreGivenUp(t *testing.T) {
	rules := Rules{MaxWindows: 100, MaxClosed: 10, MaxNames: 1000, OutOfOrderness: 1}
	start := windowOf(1_700_000_000 * second)
	d := newFolder(t, rules)
	for i := range int64(500) {
		at := start + i*second
		d.apply(int(i), step{at, finishedOf(fmt.Sprint("r", i), fmt.Sprint("model", i), stream.OutcomeOK, at)})
		d.within(rules)
	}
	if s := d.fold.Status(); s.Others != 0 {
		t.Errorf("%d bookings under %s", s.Others, Other)
	}
	before := d.fold.Snapshot(nil)
	again := newFolder(t, rules)
	if err := again.fold.Restore(before); err != nil || string(again.fold.Snapshot(nil)) != string(before) {
		t.Errorf("the state does not come back: %v", err)
	}
}

// Words that no request has any more are forgotten and their numbers used again; what is left keeps its own.
func TestWordsAreForgotten(t *testing.T) {
	start := 1_700_000_000 * second
	d := newFolder(t, Rules{MaxNames: 8, ClosedMemory: 60e9})
	words := &d.fold.requests.words
	words.least = 50
	const n = 2000
	for i := range n {
		received := phaseEvent(fmt.Sprint("r", i), stream.PhaseReceived, start)
		received.SetText(stream.RequestModel, fmt.Sprint("model-", i))
		received.SetText(stream.RequestDeployment, fmt.Sprint("deployment-", i))
		d.feed(start, received)
		if i >= 30 {
			d.feed(start, finishedOf(fmt.Sprint("r", i-30), fmt.Sprint("model-", i-30), stream.OutcomeOK, start))
		}
		if i%7 == 0 {
			d.take()
		}
		if i%490 == 0 {
			d.restart()
			words = &d.fold.requests.words
			words.least = 50
		}
	}
	d.take()
	if len(words.texts) > n {
		t.Errorf("%d words are kept", len(words.texts))
	}
	if len(d.rows) != n-30 {
		t.Errorf("%d rows", len(d.rows))
	}
	for key, row := range d.rows {
		var i int
		fmt.Sscanf(row["request_id"].(string), "r%d", &i)
		if row["model"] != fmt.Sprint("model-", i) || row["deployment"] != fmt.Sprint("deployment-", i) {
			t.Fatalf("row %s is %v", key, row)
		}
	}
}

// restart goes on from a snapshot.
func (d *folder) restart() {
	d.t.Helper()
	snapshot := d.fold.Snapshot(nil)
	rules := d.fold.rules
	d.fold.Close()
	d.fold = NewFold(testLog, rules, d.mem)
	if err := d.fold.Restore(snapshot); err != nil {
		d.t.Fatal(err)
	}
}
