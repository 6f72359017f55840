package aggregate

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlake/inferlake/stream"
)

var update = flag.Bool("update", false, "write the tables of docs/fold.md anew")

const foldPage = "../docs/fold.md"

// TestDecisionsPage holds the tables of docs/fold.md against what the fold does.
func TestDecisionsPage(t *testing.T) {
	page, err := os.ReadFile(foldPage)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- decisions -->\n", "<!-- /decisions -->"
	before, rest, found := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s lacks the lines %q and %q, between which the tables go", foldPage, begin, end)
	}
	want := before + begin + eventTable(t) + momentTable(t) + end + after
	if want == string(page) {
		return
	}
	if !*update {
		t.Fatalf("%s is stale; write it with: go test ./aggregate -run TestDecisionsPage -update", foldPage)
	}
	if err := os.WriteFile(foldPage, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

const decisionsStart = 1_700_000_000 * second

// scene is a fold in some situation that a record comes into.
type scene struct {
	fold    *Fold
	decoder stream.Decoder
	offset  int64
	sent    int64
	seq     int64
	refused stream.Reason
	was     view
}

// situation is a column: what went before, and what is odd about the event at hand.
type situation struct {
	title  string
	before func(*scene)
	odd    func(*scene, *stream.Event, *stream.Record)
}

func odd(edit func(*stream.Event)) func(*scene, *stream.Event, *stream.Record) {
	return func(_ *scene, e *stream.Event, _ *stream.Record) { edit(e) }
}

func (s *scene) open()   { s.tell(phaseEvent("r", stream.PhaseReceived, decisionsStart)) }
func (s *scene) closed() { s.open(); s.tell(ended(decisionsStart + 5*second)) }

func (s *scene) forgotten() { s.closed(); s.fold.Tick(stream.Tick{At: s.sent + 3600*second}) }

var situations = []situation{
	{"unknown", func(*scene) {}, nil},
	{"open", (*scene).open, nil},
	{"closed", (*scene).closed, nil},
	{"forgotten", (*scene).forgotten, nil},
	{"open, other event time", (*scene).open, odd(func(e *stream.Event) { e.SetInt(stream.EventTimeUnixNano, decisionsStart+7*second) })},
	{"closed, other event time", (*scene).closed, odd(func(e *stream.Event) { e.SetInt(stream.EventTimeUnixNano, decisionsStart+7*second) })},
	{"another boot has it open", (*scene).open, odd(func(e *stream.Event) { e.SetText(stream.EventBoot, "b2") })},
	{"`seq` covered", (*scene).open, odd(func(e *stream.Event) { e.SetInt(stream.EventSeq, 0) })},
	{"closed, no `seq`, told before", func(s *scene) { s.closed() }, func(s *scene, e *stream.Event, _ *stream.Record) {
		s.tell(*e)
		e.Unset(stream.EventSeq)
	}},
	{"behind the watermark", func(s *scene) { s.tell(engineSample(decisionsStart + 300*second)) }, nil},
	{"ahead of the log clock", (*scene).open, odd(func(e *stream.Event) { e.SetInt(stream.EventTimeUnixNano, decisionsStart+7200*second) })},
	{"record without a key", func(*scene) {}, func(_ *scene, _ *stream.Event, r *stream.Record) { r.Key = nil }},
}

// eventKinds are the rows: what is told.
var eventKinds = []struct {
	title string
	event func() stream.Event
}{
	{"`received`", func() stream.Event { return phaseEvent("r", stream.PhaseReceived, decisionsStart) }},
	{"`queued`", func() stream.Event { return phaseEvent("r", stream.PhaseQueued, decisionsStart+second) }},
	{"`scheduled`", func() stream.Event { return phaseEvent("r", stream.PhaseScheduled, decisionsStart+2*second) }},
	{"`first_token`", func() stream.Event { return phaseEvent("r", stream.PhaseFirstToken, decisionsStart+3*second) }},
	{"`tokens`", func() stream.Event { return phaseEvent("r", stream.PhaseTokens, decisionsStart+4*second) }},
	{"`client_gone`", func() stream.Event { return phaseEvent("r", stream.PhaseClientGone, decisionsStart+4*second) }},
	{"`finished`", func() stream.Event { return ended(decisionsStart + 5*second) }},
	{"engine sample", func() stream.Event { return engineSample(decisionsStart + 5*second) }},
	{"heartbeat", func() stream.Event { return lifecycle(stream.StateHeartbeat, "b1") }},
	{"`stopped`", func() stream.Event { return lifecycle(stream.StateStopped, "b1") }},
}

func ended(at int64) stream.Event {
	e := phaseEvent("r", stream.PhaseFinished, at)
	e.SetInt(stream.RequestOutcome, int64(stream.OutcomeOK))
	e.SetInt(stream.RequestOutputTokens, 7)
	return e
}

func engineSample(at int64) stream.Event {
	e := sampleAt(at)
	e.SetInt(stream.EngineRunningRequests, 3)
	return e
}

func lifecycle(state stream.Lifecycle, boot string) (e stream.Event) {
	e.Reset(stream.KindInstance)
	e.SetText(stream.EventInstance, "engine-1")
	e.SetText(stream.EventBoot, boot)
	e.SetInt(stream.EventRole, int64(stream.RoleEngine))
	e.SetInt(stream.EventTimeUnixNano, decisionsStart+5*second)
	e.SetInt(stream.InstanceState, int64(state))
	return e
}

func newScene(rules Rules) *scene {
	return &scene{fold: NewFold(testLog, rules, memory.DefaultAllocator), sent: decisionsStart + 10*second}
}

// tell folds an event with the next number of its lane, as one record.
func (s *scene) tell(e stream.Event) { s.tellOddly(&e, func(*scene, *stream.Event, *stream.Record) {}) }

func (s *scene) tellOddly(e *stream.Event, odd func(*scene, *stream.Event, *stream.Record)) {
	if s.offset == 0 && s.seq == 0 {
		s.fold.Begin(0, s.sent, false) // the log clock stands
	}
	e.SetText(stream.EventProducer, "p")
	e.SetInt(stream.EventSeq, s.seq)
	rec := stream.Record{Timestamp: s.sent, Key: []byte("p/0"), ContentType: stream.ContentProtobuf}
	odd(s, e, &rec)
	s.seq++
	s.offset++
	rec.Offset, rec.Value = s.offset, stream.AppendEvent(nil, e)
	s.fold.Begin(rec.Offset, rec.Timestamp, false)
	s.decoder.Decode(&rec, func(index int32, e *stream.Event, why stream.Reason) {
		if why == stream.Accepted {
			why = s.fold.Apply(e, stream.Position{Offset: rec.Offset, Index: index})
		}
		if why != stream.Accepted {
			s.refused = why
			s.fold.Refuse(stream.DeadLetter{Reason: why, Events: 1})
		}
	})
}

func eventTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("\n| told |")
	for _, s := range situations {
		b.WriteString(" " + s.title + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(situations)) + "\n")
	for _, k := range eventKinds {
		b.WriteString("| " + k.title + " |")
		for _, s := range situations {
			b.WriteString(" " + s.outcome(t, k.event()) + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// outcome plays the situation, then the event, and says what came of it.
func (x *situation) outcome(t *testing.T, e stream.Event) string {
	s := newScene(Rules{})
	defer s.fold.Close()
	x.before(s)
	s.tellOddly(&e, func(s *scene, e *stream.Event, r *stream.Record) {
		if x.odd != nil {
			x.odd(s, e, r)
		}
		s.look()
	})
	return s.changes(t)
}

// view is what is remembered of a fold to tell what an event changed.
type view struct {
	counts stream.Counts
	open   map[stream.Position]int64 // with their events
	lanes  int64                     // greatest number announced
}

// look remembers how things stand. What was written before is not asked for.
func (s *scene) look() {
	s.fold.Cut().Release()
	s.was = view{s.fold.counts, map[stream.Position]int64{}, s.announced()}
	for r := range s.fold.requests.all(s.fold.requests.open) {
		s.was.open[r.place] = r.events
	}
}

func (s *scene) announced() (n int64) {
	for _, l := range s.fold.coverage.lanes {
		n += l.heartbeats
	}
	return n
}

// changes says what is different since the look.
func (s *scene) changes(t *testing.T) string {
	counts := s.fold.counts
	switch {
	case counts.Dead > s.was.counts.Dead:
		return "dead letter `" + string(s.refused) + "`"
	case counts.Duplicate > s.was.counts.Duplicate:
		return "duplicate"
	}
	said := s.opened()
	said = append(said, s.written(t)...)
	if counts.Late > s.was.counts.Late {
		said = append(said, "counted late")
	}
	if s.announced() > s.was.lanes {
		said = append(said, "covers, no row")
	}
	if len(said) == 0 {
		return "nothing"
	}
	return strings.Join(said, "; ")
}

// opened says which requests are open that were not, and which gained an event.
func (s *scene) opened() (said []string) {
	for r := range s.fold.requests.all(s.fold.requests.open) {
		events, known := s.was.open[r.place]
		switch {
		case !known:
			said = append(said, "opens"+flagWords(r.flags))
		case r.events > events:
			said = append(said, "merges"+flagWords(r.flags))
		}
	}
	return said
}

// written says which rows go out, table by table.
func (s *scene) written(t *testing.T) (said []string) {
	d := s.fold.Cut()
	defer d.Release()
	for _, rows := range d.Rows {
		if rows.Table == Coverage || rows.Table.Columns[0].Name == "window_start" {
			continue // windows go out when the watermark says so, whatever the event
		}
		for i := range int(rows.Batch.NumRows()) {
			said = append(said, rowWords(rows.Table, read(rows.Table, rows.Batch, i)))
		}
	}
	slices.Sort(said)
	return slices.Compact(said)
}

func rowWords(t *Table, f fact) string {
	if t != Requests {
		return "row of `" + t.Name + "`"
	}
	words := "row"
	if f.at(t, "revision").n > 0 {
		words = "revision: the row is replaced"
	} else if outcome := f.at(t, "outcome").s; outcome == "lost" {
		words = "row `lost`"
	}
	return words + flagWords(Flags(f.at(t, "flags").n))
}

func flagWords(f Flags) (words string) {
	for i, name := range FlagNames {
		if f&(1<<i) != 0 {
			words += ", `" + name + "`"
		}
	}
	return words
}

// moments are what happens without an event of the request.
var moments = []struct {
	title string
	rules Rules
	then  func(*scene)
}{
	{"the log clock passes the expiry", Rules{}, func(s *scene) { s.fold.Begin(9, s.sent+3700*second, false) }},
	{"a record's time is not believed", Rules{}, func(s *scene) { s.fold.Begin(9, s.sent+3700*second, true) }},
	{"a tick passes the expiry", Rules{}, func(s *scene) { s.fold.Tick(stream.Tick{At: s.sent + 3700*second}) }},
	{"a tick flushes (windows go out)", Rules{}, func(s *scene) { s.fold.Tick(stream.Tick{Flush: true}) }},
	{"the watermark passes, the log clock does not", Rules{OutOfOrderness: 1}, func(s *scene) { s.tell(engineSample(s.sent + 200*second)) }},
	{"a newer boot of its instance is told of", Rules{}, func(s *scene) { s.tellStarted("b1", 1); s.tellStarted("b2", 2) }},
	{"an older boot of its instance is told of", Rules{}, func(s *scene) { s.tellStarted("b1", 2); s.tellStarted("b0", 1) }},
	{"one more opens than there is room for", Rules{MaxOpen: 1}, func(s *scene) { s.tell(phaseEvent("q", stream.PhaseReceived, decisionsStart)) }},
	{"the log lost records, then it ends", Rules{}, func(s *scene) {
		s.fold.Gap(stream.Gap{From: 9, To: 12})
		s.offset = 12
		s.tell(ended(decisionsStart + 6*second))
	}},
}

func (s *scene) tellStarted(boot string, at int64) {
	e := lifecycle(stream.StateHeartbeat, boot)
	e.SetInt(stream.InstanceBootStartedUnixNano, at)
	s.tell(e)
}

func momentTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("\n| what happens | to one that is open | to one that is closed |\n|---|---|---|\n")
	for _, m := range moments {
		b.WriteString("| " + m.title + " |")
		for _, before := range []func(*scene){(*scene).open, (*scene).closed} {
			s := newScene(m.rules)
			before(s)
			s.look()
			m.then(s)
			b.WriteString(" " + s.fate(t) + " |")
			s.fold.Close()
		}
		b.WriteString("\n")
	}
	return b.String() + "\n"
}

// fate says what became of request r.
func (s *scene) fate(t *testing.T) string {
	said := slices.DeleteFunc(s.written(t), func(words string) bool {
		return !strings.HasPrefix(words, "row `lost`") && !strings.HasPrefix(words, "row,") && !strings.HasPrefix(words, "rev")
	})
	for _, q := range []struct {
		what string
		*requestStore
	}{{"open", s.fold.requests.open}, {"remembered", s.fold.requests.closed}} {
		for r := range s.fold.requests.all(q.requestStore) {
			if r.id.requestID == "r" && (len(said) == 0 || q.what == "open") {
				said = append(said, "stays "+q.what)
			}
		}
	}
	if len(said) == 0 {
		return "forgotten"
	}
	return strings.Join(said, "; ")
}
