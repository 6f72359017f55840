package aggregate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferlake/inferlake/stream"
)

// memoryLog is a log in memory whose offsets have holes, as transactions leave them.
type memoryLog struct {
	records []stream.Record
	chunk   int
}

func newMemoryLog(steps []step) *memoryLog {
	l := &memoryLog{chunk: 40}
	for i := range steps {
		l.records = append(l.records, stream.Record{Offset: int64(i)*2 + int64(i)/10, Timestamp: steps[i].sent, Key: []byte("p/0"),
			Value: stream.AppendEvent(nil, &steps[i].event), ContentType: stream.ContentProtobuf})
	}
	return l
}

func (l *memoryLog) end() int64 { return l.records[len(l.records)-1].Offset + 2 }

func (l *memoryLog) Read(ctx context.Context, from int64) (stream.Fetch, error) {
	f := stream.Fetch{Next: l.end(), End: l.end()}
	for _, r := range l.records {
		if r.Offset < from {
			continue
		}
		if len(f.Records) == l.chunk {
			f.Next = f.Records[len(f.Records)-1].Offset + 1
			break
		}
		f.Records = append(f.Records, r)
	}
	if len(f.Records) == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	return f, ctx.Err()
}

var errFault = errors.New("injected fault")

// memorySink is a warehouse in memory that fails now and then, before or after it has applied a batch, and dies when told.
type memorySink struct {
	*folder
	rng    *rand.Rand
	faults bool
	left   int        // commits until death; below 0: never
	mu     sync.Mutex // held in Commit

	generation, seq, next, replay int64
	attempts, trying, tried       int64
	snapshot                      []byte
	lineage                       stream.Lineage
	restarts                      []string
	covered                       map[laneKey]stream.Covered
	ledger                        stream.Ledger
	status                        stream.Status
}

func (s *memorySink) Acquire(context.Context, stream.TopicPartition, string) (stream.Lease, error) {
	s.generation++
	s.seq = 0
	s.attempts++
	lease := stream.Lease{Generation: s.generation, Next: s.next, Replay: s.replay, Snapshot: s.snapshot,
		Attempts: s.attempts, Trying: s.trying, Tried: s.tried, Lineage: s.lineage}
	if s.replay != s.next {
		lease.Coverage = slices.Collect(maps.Values(s.covered))
	}
	for _, t := range s.ledger.Ticks {
		if t.Offset >= s.replay {
			lease.Ledger.Ticks = append(lease.Ledger.Ticks, t)
		}
	}
	lease.Ledger.Ahead, lease.Ledger.Dead = s.ledger.Ahead, s.ledger.Dead
	return lease, nil
}

func (s *memorySink) Commit(_ context.Context, b stream.Batch[Delta]) (stream.Answer, error) {
	time.Sleep(3 * time.Millisecond)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left == 0 || s.faults && s.rng.IntN(10) == 0 {
		return 0, errFault
	}
	switch {
	case b.Generation != s.generation:
		return stream.Superseded, nil
	case b.Seq <= s.seq:
		return stream.AlreadyApplied, nil
	case b.From != s.next:
		return 0, fmt.Errorf("batch from %d, next is %d", b.From, s.next)
	}
	s.left--
	s.collect(b.Delta)
	s.note(b)
	if b.To > s.next {
		s.attempts = 0
	}
	if s.tried++; b.Trying != s.trying || b.Trying == 0 {
		s.tried = min(b.Trying, 1)
	}
	s.trying = b.Trying
	s.seq, s.next, s.status = b.Seq, b.To, b.Status
	s.ledger.Dead = append(s.ledger.Dead, b.Ledger.Dead...)
	s.ledger.Ticks = append(s.ledger.Ticks, b.Ledger.Ticks...)
	s.ledger.Ahead = append(s.ledger.Ahead, b.Ledger.Ahead...)
	if b.Snapshot != nil {
		s.replay, s.snapshot = b.To, bytes.Clone(b.Snapshot)
	}
	if s.faults && s.rng.IntN(10) == 0 {
		return 0, errFault // applied, but the answer is lost
	}
	return stream.Applied, nil
}

// ticks says how many there are while a loop runs.
func (s *memorySink) ticks() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ledger.Ticks)
}

// note keeps a batch's lineage and coverage; another log begins without a ledger.
func (s *memorySink) note(b stream.Batch[Delta]) {
	s.lineage = b.Lineage
	if b.Restart != "" {
		s.restarts = append(s.restarts, b.Restart)
		s.ledger = stream.Ledger{}
		s.log++
	}
	for _, r := range b.Delta.Rows {
		if r.Table == Coverage {
			s.cover(r.Batch)
		}
	}
}

func (s *memorySink) cover(b arrow.RecordBatch) {
	if s.covered == nil {
		s.covered = map[laneKey]stream.Covered{}
	}
	column := func(name string) arrow.Array { return b.Column(b.Schema().FieldIndices(name)[0]) }
	number := func(name string, i int) int64 { return column(name).(*array.Int64).Value(i) }
	for i := range int(b.NumRows()) {
		c := stream.Covered{Producer: column("producer").(*array.String).Value(i), Boot: column("boot").(*array.String).Value(i),
			Lane: number("lane", i), Announced: -1, Received: number("received", i), Duplicates: number("duplicates", i)}
		runs := column("runs").(*array.List)
		from, to := runs.ValueOffsets(i)
		for j := from; j < to; j++ {
			c.Runs = append(c.Runs, runs.ListValues().(*array.Int64).Value(int(j)))
		}
		s.covered[laneKey{c.Producer, c.Boot, c.Lane}] = c
	}
}

func (s *memorySink) run(ctx context.Context, log *memoryLog, rules Rules, once bool) error {
	loop := s.loop(log, rules, once)
	defer loop.Fold.(*Fold).Close()
	return loop.Run(ctx)
}

func (s *memorySink) loop(log *memoryLog, rules Rules, once bool) *stream.Loop[Delta] {
	return &stream.Loop[Delta]{Partition: testLog, Log: log, Fold: NewFold(testLog, rules, s.mem), Sink: s, Release: Delta.Release,
		Options: stream.LoopOptions{Once: once, Until: log.end(), CommitEvery: time.Millisecond, SnapshotEvents: 300, Idle: 2 * time.Second, TickEvery: time.Second, Now: afterTheLog}}
}

// afterTheLog is the clock of a machine that reads the test logs: a bubble's own clock begins in 2000, before them, and
// no record would be believed.
func afterTheLog() time.Time { return time.Now().AddDate(24, 0, 0) }

// refold folds the log again under the decisions of another sink.
func (s *memorySink) refold(ctx context.Context, log *memoryLog, rules Rules, other *memorySink) error {
	loop := s.loop(log, rules, false)
	defer loop.Fold.(*Fold).Close()
	return loop.Refold(ctx, stream.Lease{Next: other.next, Ledger: other.ledger})
}

// However often the process dies, commits fail and answers are lost, the rows are those of an undisturbed run (I1, I3).
func TestLoopSurvivesDeathAndFaults(t *testing.T) {
	rules := Rules{Expiry: 60e9, ClosedMemory: 30e9}
	for seed := range uint64(trials(10)) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			log := newMemoryLog(randomLog(rng, 250))
			calm := &memorySink{folder: newFolder(t, rules), rng: rng, left: -1}
			if err := calm.run(t.Context(), log, rules, true); err != nil {
				t.Fatal(err)
			}
			rough := &memorySink{folder: newFolder(t, rules), rng: rng, faults: true}
			for range 12 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.IntN(400))*time.Millisecond)
				rough.left = rng.IntN(30)
				rough.run(ctx, log, rules, false) // dies; the error is the death
				cancel()
			}
			rough.left, rough.faults = -1, false
			if err := rough.run(t.Context(), log, rules, true); err != nil {
				t.Fatal(err)
			}
			if a, b := fmt.Sprint(rough.rows), fmt.Sprint(calm.rows); a != b {
				t.Fatalf("seed %d: rows differ:\n%s\n%s", seed, a, b)
			}
			if a, b := fmt.Sprint(rough.nonZero()), fmt.Sprint(calm.nonZero()); a != b {
				t.Fatalf("seed %d: windows differ:\n%s\n%s", seed, a, b)
			}
			if rough.status.Counts != calm.status.Counts {
				t.Fatalf("seed %d: counts %+v, undisturbed %+v", seed, rough.status.Counts, calm.status.Counts)
			}
		})
	}
}

// A run with ticks and a clock that runs ahead of some records, folded again under its ledger, gives the same rows (I1).
func TestRefoldObeysTheLedger(t *testing.T) {
	rules := Rules{Expiry: 60e9, ClosedMemory: 30e9}
	for seed := range uint64(10) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 2))
			steps := randomLog(rng, 150)
			for i := range steps {
				if rng.IntN(100) == 0 {
					steps[i].sent += 100 * 365 * 86400 * second
				}
			}
			log := newMemoryLog(steps)
			rough := &memorySink{folder: newFolder(t, rules), rng: rng, faults: true}
			for range 6 { // ends by a tick: the log is quiet for longer than the idle time
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.IntN(8000))*time.Millisecond)
				rough.left = rng.IntN(200)
				rough.run(ctx, log, rules, false)
				cancel()
			}
			rough.left, rough.faults = -1, false
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			if err := rough.run(ctx, log, rules, false); err != nil {
				t.Fatal(err)
			}
			if len(rough.ledger.Ticks) == 0 || len(rough.ledger.Ahead) == 0 {
				t.Fatalf("the ledger holds %d ticks and %d clock exceptions: nothing is tested", len(rough.ledger.Ticks), len(rough.ledger.Ahead))
			}
			again := &memorySink{folder: newFolder(t, rules), rng: rng, left: -1}
			if err := again.refold(t.Context(), log, rules, rough); err != nil {
				t.Fatal(err)
			}
			if a, b := fmt.Sprint(again.rows), fmt.Sprint(rough.rows); a != b {
				t.Fatalf("seed %d: rows differ:\n%s\n%s", seed, a, b)
			}
			if a, b := fmt.Sprint(again.nonZero()), fmt.Sprint(rough.nonZero()); a != b {
				t.Fatalf("seed %d: windows differ:\n%s\n%s", seed, a, b)
			}
			if again.status != rough.status {
				t.Fatalf("seed %d: status %+v, recorded %+v", seed, again.status, rough.status)
			}
			if fmt.Sprint(again.ledger) != fmt.Sprint(rough.ledger) {
				t.Fatalf("seed %d: the ledger became another", seed)
			}
		})
	}
}
