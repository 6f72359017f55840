package aggregate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferlake/inferlake/stream"
)

// changingLog is a memory log that ends where its records do, knows its ids and may become another one between two reads.
type changingLog struct {
	memoryLog
	other atomic.Pointer[[]stream.Record] // what the next read finds instead, after it has failed once
	id    stream.LogID
	start int64
	fails int // reads that fail next
}

func (l *changingLog) Identify(context.Context) (stream.LogID, error) { return l.id, nil }

// replace makes it the log of other records while it is read.
func (l *changingLog) replace(records []stream.Record) { l.other.Store(&records) }

func (l *changingLog) Read(ctx context.Context, from int64) (stream.Fetch, error) {
	if other := l.other.Swap(nil); other != nil {
		l.records, l.fails = *other, 1
	}
	if l.fails > 0 {
		l.fails--
		return stream.Fetch{}, errFault
	}
	if from > l.end() {
		return stream.Fetch{}, stream.ErrPastEnd
	}
	f, err := l.memoryLog.Read(ctx, max(from, l.start))
	f.Start = l.start
	return f, err
}

// logOf is a log of events that a producer numbered.
func logOf(events ...stream.Event) *changingLog {
	var steps []step
	for i := range events {
		at := events[i].Num(stream.EventTimeUnixNano)
		steps = append(steps, step{sent: at, event: events[i]})
	}
	return &changingLog{memoryLog: *newMemoryLog(steps), id: stream.LogID{Cluster: "c", TopicID: "t"}}
}

// saidBy are n requests of a producer, each received and finished, with the sequence numbers from first on.
func saidBy(producer string, first, n int) (events []stream.Event) {
	at := func(seq int) int64 { return int64(1_700_000_000)*second + int64(seq)*second/10 }
	for i := range 2 * n {
		seq := first + i
		e := stream.Event{Kind: stream.KindRequest}
		e.SetText(stream.EventProducer, producer)
		e.SetText(stream.EventBoot, "b")
		e.SetText(stream.EventInstance, "i")
		e.SetInt(stream.EventSeq, int64(seq))
		e.SetInt(stream.EventTimeUnixNano, at(seq))
		e.SetText(stream.RequestRequestID, fmt.Sprint(producer, "-", seq/2))
		phase := stream.PhaseReceived
		if seq%2 == 1 {
			phase = stream.PhaseFinished
			e.SetInt(stream.RequestOutputTokens, 5)
		}
		e.SetInt(stream.RequestPhase, int64(phase))
		events = append(events, e)
	}
	return events
}

// runs folds to the log's end, ticks not.
func (s *memorySink) runs(t *testing.T, log *changingLog) {
	t.Helper()
	loop := s.loopOver(log, log.end())
	defer loop.Fold.(*Fold).Close()
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (s *memorySink) loopOver(log stream.Log, until int64) *stream.Loop[Delta] {
	return &stream.Loop[Delta]{Partition: testLog, Log: log, Fold: NewFold(testLog, Rules{}, s.mem), Sink: s, Release: Delta.Release,
		Options: stream.LoopOptions{Once: true, Until: until, CommitEvery: time.Millisecond, Now: afterTheLog}}
}

// holds checks the rows of each log, the duplicates of the last, and how often a log was replaced.
func (s *memorySink) holds(t *testing.T, what string, restarts int, duplicates int64, rows ...int) {
	t.Helper()
	if len(s.restarts) != restarts {
		t.Errorf("%s: new lineages %q, want %d", what, s.restarts, restarts)
	}
	got := make([]int, len(rows))
	for key := range s.rows {
		var log, offset, index int
		fmt.Sscanf(key, "%d/%d/%d", &log, &offset, &index)
		if log < len(got) {
			got[log]++
		}
	}
	if !slices.Equal(got, rows) {
		t.Errorf("%s: rows by log %v, want %v", what, got, rows)
	}
	n := s.status.Counts
	if n.Duplicate != duplicates || n.Consumed != n.Loaded+n.Pending+n.Duplicate+n.Dead {
		t.Errorf("%s: counts %+v, want %d duplicates", what, n, duplicates)
	}
}

// Rule 13: the same offsets of another log are another log. Nothing is folded twice, nothing is left out, and it is said.
func TestAnotherLogIsANewLineage(t *testing.T) {
	for _, c := range []struct {
		what       string
		then       func() *changingLog
		restarts   int
		duplicates int64
		rows       []int
	}{
		{"unchanged", func() *changingLog { return logOf(saidBy("p", 0, 20)...) }, 0, 0, []int{20}},
		{"grown", func() *changingLog { return logOf(saidBy("p", 0, 30)...) }, 0, 0, []int{30}},
		{"made anew with as many records", func() *changingLog { return logOf(saidBy("q", 0, 20)...) }, 1, 0, []int{20, 20}},
		{"made anew with more records", func() *changingLog { return logOf(saidBy("q", 0, 50)...) }, 1, 0, []int{20, 50}},
		{"made anew with fewer records", func() *changingLog { return logOf(saidBy("q", 0, 5)...) }, 1, 0, []int{20, 5}},
		{"its tail is lost", func() *changingLog { return logOf(saidBy("p", 0, 15)...) }, 1, 30, []int{20, 0}},
		{"its tail is lost and others came", func() *changingLog { return logOf(append(saidBy("p", 0, 15), saidBy("q", 0, 40)...)...) }, 1, 30, []int{20, 40}},
		{"retention passed the anchor", func() *changingLog {
			l := logOf(saidBy("p", 0, 30)...)
			l.start = l.records[45].Offset
			return l
		}, 0, 0, []int{28}}, // of request 22 half is lost
		{"another topic id", func() *changingLog {
			l := logOf(saidBy("p", 0, 20)...)
			l.id.TopicID = "u"
			return l
		}, 1, 40, []int{20, 0}},
		{"ids not known", func() *changingLog {
			l := logOf(saidBy("p", 0, 25)...)
			l.id = stream.LogID{}
			return l
		}, 0, 0, []int{25}},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &memorySink{folder: newFolder(t, Rules{}), left: -1}
			s.runs(t, logOf(saidBy("p", 0, 20)...))
			log := c.then()
			s.runs(t, log)
			s.holds(t, c.what, c.restarts, c.duplicates, c.rows...)
			s.runs(t, log)
			s.holds(t, c.what+", started again", c.restarts, c.duplicates, c.rows...)
		})
	}
}

// What was open when the log was replaced ends as lost, flagged, where the state at that position is at hand.
func TestOpenRequestsEndWithTheirLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &memorySink{folder: newFolder(t, Rules{}), left: -1}
		s.runs(t, logOf(saidBy("p", 0, 20)[:39]...))
		s.holds(t, "before", 0, 0, 19)
		s.runs(t, logOf(saidBy("q", 0, 3)...))
		s.holds(t, "after", 1, 0, 20, 3)
		for key, row := range s.rows {
			lost := row["outcome"] == "lost" && number64(row["flags"])&int64(FlagLogGap) != 0
			if lost != (key == fmt.Sprint("0/", newMemoryLog(make([]step, 39)).records[38].Offset, "/0")) {
				t.Errorf("row %s: outcome %v, flags %v", key, row["outcome"], row["flags"])
			}
		}
	})
}

// The log is replaced while the fold runs: that is seen once a read fails.
func TestALogIsReplacedUnderARunningFold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &memorySink{folder: newFolder(t, Rules{}), left: -1}
		log := logOf(saidBy("p", 0, 20)...)
		loop := s.loopOver(log, 0)
		loop.Options.Once = false
		defer loop.Fold.(*Fold).Close()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- loop.Run(ctx) }()
		time.Sleep(5 * time.Second)
		log.replace(logOf(append(saidBy("p", 0, 10), saidBy("q", 0, 20)...)...).records)
		time.Sleep(5 * time.Second)
		cancel()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		s.holds(t, "replaced", 1, 20, 20, 20)
	})
}

// After a kill the state lags behind the position, and the log to rebuild it from is gone. What was covered comes from
// the sink, so nothing is folded twice.
func TestALogIsReplacedAfterAKill(t *testing.T) {
	for seed := range uint64(trials(20)) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 13))
			s := &memorySink{folder: newFolder(t, Rules{}), rng: rng, left: 1 + rng.IntN(50)}
			log := logOf(saidBy("p", 0, 200)...)
			loop := s.loopOver(log, log.end())
			loop.Options.BatchRows = 3
			loop.Run(t.Context()) // dies
			loop.Fold.(*Fold).Close()
			s.left = -1
			if s.replay != 0 || s.next == 0 {
				t.Fatalf("position %d, state at %d: nothing is tested", s.next, s.replay)
			}
			written, folded := len(s.rows), 0
			for _, r := range log.records {
				if r.Offset < s.next {
					folded++
				}
			}
			kept := rng.IntN(folded)
			s.runs(t, logOf(append(saidBy("p", 0, 200)[:kept], saidBy("q", 0, 200)...)...))
			if len(s.restarts) != 1 || s.status.Duplicate != int64(kept) || len(s.rows) != written+200 {
				t.Fatalf("seed %d: new lineages %q, %d duplicates, %d rows; want 1, %d, %d",
					seed, s.restarts, s.status.Duplicate, len(s.rows), kept, written+200)
			}
		})
	}
}
