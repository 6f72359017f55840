package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/inferlake/inferlake/stream/fault"
)

// Loop folds one partition: it reads the log, applies events and commits what came of them with the position.
type Loop[D any] struct {
	Partition TopicPartition
	Log       Log
	Fold      Fold[D]
	Sink      Sink[D]
	Release   func(D) // called when the sink no longer needs a delta; may be nil
	Options   LoopOptions
	Observe   func(Committed) // called after each commit; may be nil

	lookahead lookahead
	lease     Lease
	pos       int64 // next offset to read
	from      int64 // start of the batch being folded
	ledger    Ledger
	seq       int64
	careful   bool        // fold record by record: the process died at the last starts
	trying    int64       // with careful: offset + 1 of the record about to be folded
	flight    chan flight // the commit under way, nil when none
	lineage   Lineage
	last      *Record // folded last, if the lineage does not say so yet
	silent    bool    // what is folded was folded before: only the state is wanted
	found     LogID   // what the log said of itself last
	suspect   bool    // the log failed: whether it is still the same is to be confirmed
	turning   string  // why the batch begins a new lineage

	committed  time.Time
	snapshot   []byte // the last one
	snapshotAt time.Time
	sinceSnap  int64 // events
	lastRecord time.Time
	lastTick   time.Time
	tickedAt   int64 // offset of the last tick
	end        int64 // high watermark at the last read
}

// LoopOptions tune a loop. The zero value takes the defaults.
type LoopOptions struct {
	BatchRows      int           // rows that make a batch due; default 245,760
	CommitEvery    time.Duration // age that makes a batch due once little is left of the log; default 100 ms
	CatchUpEvery   time.Duration // age that makes a batch due before that, when large batches count for more; default 10 s
	SnapshotEvery  time.Duration // default 30 s
	SnapshotEvents int64         // events that make a snapshot due; default 1,000,000
	Skew           time.Duration // how far a record's timestamp may be ahead of its arrival; default 5 min
	Idle           time.Duration // quiet time after which a partition that is caught up with the high watermark is idle, and ticks; default 30 s
	TickEvery      time.Duration // default 5 s
	Until          int64         // with Once: the offset at which to stop
	Once           bool          // stop at Until with a flush tick and a snapshot
	Now            func() time.Time
	Logger         *slog.Logger
}

// Committed is what a commit reports.
type Committed struct {
	Partition TopicPartition
	Next, End int64 // committed position, high watermark
	Status    Status
}

// ErrSuperseded says that another owner took the partition's lease.
var ErrSuperseded = errors.New("another owner took the partition's lease")

type flight struct {
	answer Answer
	err    error
}

func (o LoopOptions) withDefaults() LoopOptions {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	set(&o.CommitEvery, 100*time.Millisecond)
	set(&o.CatchUpEvery, max(10*time.Second, o.CommitEvery))
	set(&o.SnapshotEvery, 30*time.Second)
	set(&o.Skew, 5*time.Minute)
	set(&o.Idle, 30*time.Second)
	set(&o.TickEvery, 5*time.Second)
	if o.BatchRows == 0 {
		o.BatchRows = 2 * 122_880
	}
	if o.SnapshotEvents == 0 {
		o.SnapshotEvents = 1_000_000
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Run folds until ctx ends, then commits what it has with a snapshot and returns nil; with Once until the offset asked
// for. It returns ErrSuperseded when it lost the lease, and any error that keeps it from going on.
func (l *Loop[D]) Run(ctx context.Context) error {
	l.Options = l.Options.withDefaults()
	if err := l.resume(ctx); err != nil {
		if ctx.Err() != nil {
			return nil // told to stop before it began
		}
		return fmt.Errorf("cannot resume %s/%d: %w", l.Partition.Topic, l.Partition.Partition, err)
	}
	now := l.Options.Now()
	l.committed, l.lastRecord, l.lastTick, l.tickedAt = now, now, now, -1
	l.takeTurn(now)
	for ctx.Err() == nil && !l.done() {
		if err := l.step(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return l.stop(ctx)
}

func (l *Loop[D]) done() bool { return l.Options.Once && l.pos >= l.Options.Until }

// resume takes the lease, restores the state and folds in silence what was committed after its snapshot.
func (l *Loop[D]) resume(ctx context.Context) (err error) {
	if l.lease, err = l.Sink.Acquire(ctx, l.Partition, l.Fold.Rules()); err != nil {
		return err
	}
	l.seq, l.ledger, l.lineage = 0, Ledger{}, l.lease.Lineage
	l.lookahead.fold = l.foldDecoded
	if fold, ok := any(l.Fold).(expecter); ok {
		l.lookahead.expect = fold.Expect
	}
	l.pos, l.from = l.lease.Next, l.lease.Next
	why, err := l.recognise(ctx)
	if err != nil {
		return err
	}
	if why != "" {
		return l.leave(ctx, why)
	}
	if err := l.Fold.Restore(l.lease.Snapshot); err != nil {
		return err
	}
	if err := l.replay(ctx); err != nil {
		return err
	}
	l.careful = l.lease.Attempts > carefulAfter || l.lease.Trying != 0
	return nil
}

// recognise compares the log with what was folded, however long the log takes to answer.
func (l *Loop[D]) recognise(ctx context.Context) (why string, err error) {
	for {
		if why, err = l.otherLog(ctx, l.lease.Next); err == nil || ctx.Err() != nil {
			return why, err
		}
		l.unreadable(ctx, err)
	}
}

// leave ends the lineage of the lease: exactly, from a state at its end; else what the old log alone could rebuild is
// lost with it.
func (l *Loop[D]) leave(ctx context.Context, why string) error {
	if l.lease.Replay != l.lease.Next {
		l.lease.Snapshot = nil
	}
	if err := l.Fold.Restore(l.lease.Snapshot); err != nil {
		return err
	}
	return l.turn(ctx, why, l.lease.Coverage)
}

// unreadable says that the log could not be read, and waits a while.
func (l *Loop[D]) unreadable(ctx context.Context, err error) {
	if ctx.Err() == nil {
		l.Options.Logger.Warn("cannot read the log, trying again", "topic", l.Partition.Topic, "partition", l.Partition.Partition, "err", err)
		sleep(ctx, 200*time.Millisecond)
	}
}

// replay folds [Replay, Next) with the ledger's decisions and throws the rows away.
func (l *Loop[D]) replay(ctx context.Context) error {
	l.silent = true
	defer func() { l.silent = false }()
	ledger := newReplayLedger(l.lease.Ledger)
	pos := l.lease.Replay
	for pos < l.lease.Next {
		fetch, err := l.Log.Read(ctx, pos)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			l.unreadable(ctx, err)
			continue
		}
		if lost := (Gap{pos, fetch.Start}); lost.To > lost.From && !ledger.knows(lost) {
			l.Options.Logger.Error("the log has lost records that the state is rebuilt from; open requests of that time are lost with them",
				"topic", l.Partition.Topic, "partition", l.Partition.Partition, "from", lost.From, "to", lost.To)
			l.Fold.Gap(lost)
		}
		for i := range fetch.Records {
			rec := &fetch.Records[i]
			if rec.Offset >= l.lease.Next {
				break
			}
			if err := l.replayRecord(ctx, rec, ledger); err != nil {
				return err
			}
		}
		if err := l.lookahead.flush(ctx); err != nil {
			return err
		}
		l.Fold.Skip()
		pos = max(fetch.Next, fetch.Start)
	}
	ledger.before(l.lease.Next, l.Fold.Tick, l.Fold.Gap)
	l.Fold.Skip()
	l.ledger = Ledger{}
	return nil
}

// replayRecord folds a record again, behind what was decided before it.
func (l *Loop[D]) replayRecord(ctx context.Context, rec *Record, ledger *replayLedger) error {
	if ledger.due(rec.Offset) {
		if err := l.lookahead.flush(ctx); err != nil {
			return err
		}
		ledger.before(rec.Offset, l.Fold.Tick, l.Fold.Gap)
		if ledger.killer(rec.Offset) {
			l.bury(rec)
			return nil
		}
	}
	return l.lookahead.read(ctx, rec, ledger.ahead(rec.Offset))
}

// step reads once and folds what came; it commits what is due.
func (l *Loop[D]) step(ctx context.Context) error {
	fetch, err := l.Log.Read(ctx, l.pos)
	if err == nil && l.suspect || errors.Is(err, ErrPastEnd) {
		fetch = fetch.clone() // what follows reads elsewhere
		if same, err := l.confirm(ctx); !same {
			return err
		}
	}
	if err != nil {
		l.suspect = true
		l.unreadable(ctx, err)
		return l.commitDue(ctx)
	}
	l.end = fetch.End
	if fetch.Start > l.pos {
		l.gap(Gap{l.pos, fetch.Start})
	}
	if len(fetch.Records) > 0 {
		fault.Point(fault.AfterRead)
	}
	now := l.Options.Now()
	for i := range fetch.Records {
		if i > 0 {
			fault.Point(fault.MidBatch)
		}
		rec := &fetch.Records[i]
		if l.Options.Once && rec.Offset >= l.Options.Until {
			break
		}
		if err := l.live(ctx, rec, now); err != nil {
			return err
		}
		l.lastRecord = now
	}
	if err := l.lookahead.flush(ctx); err != nil {
		return err
	}
	l.anchor()
	if l.pos >= l.end {
		l.careful = false
	}
	l.pos = max(l.pos, fetch.Next)
	if l.Options.Once {
		l.pos = min(l.pos, max(l.Options.Until, l.from))
	}
	l.tickDue(now)
	return l.commitDue(ctx)
}

// live reads a record to be folded, or tries it in careful mode.
func (l *Loop[D]) live(ctx context.Context, rec *Record, now time.Time) error {
	if l.careful {
		return l.tryRecord(ctx, rec, now)
	}
	return l.lookahead.read(ctx, rec, l.unbelieved(rec, now))
}

// unbelieved says that a record is stamped further ahead of its arrival than the skew. The ledger notes it.
func (l *Loop[D]) unbelieved(rec *Record, now time.Time) bool {
	return rec.Timestamp > now.UnixNano()+l.Options.Skew.Nanoseconds()
}

// take folds a record at once; unbelieved says that its timestamp is not believed.
func (l *Loop[D]) take(ctx context.Context, rec *Record, unbelieved bool) error {
	if err := l.lookahead.read(ctx, rec, unbelieved); err != nil {
		return err
	}
	return l.lookahead.flush(ctx)
}

// foldDecoded folds an event, with what belongs to its record before the first one and behind the last.
func (l *Loop[D]) foldDecoded(ctx context.Context, d *decoded) error {
	if d.first {
		if d.unbelieved {
			l.ledger.Ahead = append(l.ledger.Ahead, d.rec.Offset)
		}
		l.Fold.Begin(d.rec.Offset, d.rec.Timestamp, d.unbelieved)
	}
	l.apply(d)
	if !d.last || l.silent {
		return nil
	}
	l.passed(d.rec)
	if l.Fold.Pending() >= l.Options.BatchRows {
		return l.commit(ctx)
	}
	return nil
}

// apply folds the event itself, if there is one.
func (l *Loop[D]) apply(d *decoded) {
	at, why := Position{d.rec.Offset, d.index}, d.why
	if d.event != nil {
		why = l.Fold.Apply(d.event, at)
		l.sinceSnap++
	}
	if why != Accepted {
		dead := DeadLetter{Position: at, Reason: why, Length: int64(len(d.rec.Value)), Hash: xxh3.Hash(d.rec.Value), Events: 1}
		l.Fold.Refuse(dead)
		l.ledger.Dead = append(l.ledger.Dead, dead)
	}
}

// tickDue moves a caught-up partition's time on once it has been quiet for the idle time. Where that would change nothing,
// one tick says that the end was reached, and leaves the time as it is.
func (l *Loop[D]) tickDue(now time.Time) {
	o := &l.Options
	if o.Once || l.pos < l.end || now.Sub(l.lastRecord) < o.Idle || now.Sub(l.lastTick) < o.TickEvery {
		return
	}
	t := Tick{Offset: l.pos, At: now.UnixNano(), Flush: true}
	if l.Fold.Settled() {
		if l.tickedAt == l.pos {
			return
		}
		t.At = 0
	}
	l.lastTick, l.tickedAt = now, l.pos
	l.tick(t)
}

// gap goes over offsets that the log has lost. It makes a snapshot due: a state from before the gap could soon be rebuilt
// no more.
func (l *Loop[D]) gap(g Gap) {
	l.sinceSnap = l.Options.SnapshotEvents
	l.ledger.Gaps = append(l.ledger.Gaps, g)
	l.Fold.Gap(g)
	l.pos = g.To
}

func (l *Loop[D]) tick(t Tick) {
	l.ledger.Ticks = append(l.ledger.Ticks, t)
	l.Fold.Tick(t)
}

// nearly is how many times as much as is left a loop that is behind has folded when it commits.
const nearly = 8

// commitDue commits a batch that is large or old enough. Loading in small pieces costs twice the time, so a loop that is
// behind waits until little is left beside what it has folded: its rows are not fresh anyway, and the nearer it comes, the
// sooner they are; with Once nobody waits for them. The first one comes soon all the same: it shows that the loop works.
func (l *Loop[D]) commitDue(ctx context.Context) error {
	every, left := l.Options.CommitEvery, l.end-l.pos
	if l.seq > 0 && left > 0 && (l.Options.Once || nearly*left > l.pos-l.from) {
		every = l.Options.CatchUpEvery
	}
	aged := l.Options.Now().Sub(l.committed) >= every && (l.pos > l.from || len(l.ledger.Ticks) > 0)
	if aged || l.Fold.Pending() >= l.Options.BatchRows {
		return l.commit(ctx)
	}
	return nil
}

// commit hands the batch to the sink and goes on folding while the sink works; the commit before it is awaited first.
// A snapshot takes longer to write than rows do, so where somebody waits for rows it follows in a batch of its own.
func (l *Loop[D]) commit(ctx context.Context) error {
	if err := l.await(ctx); err != nil {
		return err
	}
	now := l.Options.Now()
	due := l.snapshotDue(now)
	follows := due && l.Fold.Pending() > 0 && l.turning == "" && l.trying == 0 && !l.Options.Once && ctx.Err() == nil
	b := l.batch()
	if due && !follows {
		b.Snapshot = l.snapshotNow(now)
	}
	l.send(ctx, b)
	l.ledger, l.from, l.committed = Ledger{}, l.pos, now
	if !follows {
		return nil
	}
	state := l.snapshotNow(now)
	if err := l.await(ctx); err != nil {
		return err
	}
	b = l.batch()
	b.Snapshot = state
	l.send(ctx, b)
	return nil
}

// batch is what was folded since the last one.
func (l *Loop[D]) batch() Batch[D] {
	l.seq++
	l.anchor()
	return Batch[D]{Partition: l.Partition, Generation: l.lease.Generation, Seq: l.seq, From: l.from, To: l.pos,
		Rules: l.Fold.Rules(), Trying: l.trying, Lineage: l.lineage, Restart: l.turning, Ledger: l.ledger, Delta: l.Fold.Cut(), Status: l.Fold.Status()}
}

// send commits in the background, again and again until there is an answer.
func (l *Loop[D]) send(ctx context.Context, b Batch[D]) {
	l.flight = make(chan flight, 1)
	end := l.end
	go func(done chan<- flight) {
		answer, err := l.insist(ctx, b)
		l.drop(b.Delta)
		if err == nil && answer != Superseded && l.Observe != nil {
			l.Observe(Committed{b.Partition, b.To, end, b.Status})
		}
		done <- flight{answer: answer, err: err}
	}(l.flight)
}

// insist retries the same batch until the sink answers. It gives up a while after ctx has ended, or with Once.
func (l *Loop[D]) insist(ctx context.Context, b Batch[D]) (Answer, error) {
	last := context.WithoutCancel(ctx)
	fault.Point(fault.BeforeCommit)
	for try := 0; ; try++ {
		answer, err := l.Sink.Commit(last, b)
		if err == nil {
			return answer, nil
		}
		l.Options.Logger.Warn("cannot commit, trying again", "topic", b.Partition.Topic, "partition", b.Partition.Partition, "from", b.From, "to", b.To, "err", err)
		if try >= 3 && (ctx.Err() != nil || l.Options.Once) {
			return 0, fmt.Errorf("cannot commit offsets %d to %d of %s/%d: %w", b.From, b.To, b.Partition.Topic, b.Partition.Partition, err)
		}
		time.Sleep(min(time.Duration(try+1)*100*time.Millisecond, 5*time.Second))
	}
}

// await waits for the commit under way.
func (l *Loop[D]) await(context.Context) error {
	if l.flight == nil {
		return nil
	}
	f := <-l.flight
	l.flight = nil
	if f.err != nil {
		return f.err
	}
	if f.answer == Superseded {
		return fmt.Errorf("cannot commit to %s/%d: %w", l.Partition.Topic, l.Partition.Partition, ErrSuperseded)
	}
	return nil
}

// stop commits the rest with a snapshot, so that the next start has nothing to fold again. Once flushes the windows.
func (l *Loop[D]) stop(ctx context.Context) error {
	if l.done() {
		l.tick(Tick{Offset: l.pos, Flush: true})
	}
	l.sinceSnap = l.Options.SnapshotEvents
	if err := l.commit(ctx); err != nil {
		return err
	}
	return l.await(ctx)
}

func (l *Loop[D]) drop(d D) {
	if l.Release != nil {
		l.Release(d)
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
