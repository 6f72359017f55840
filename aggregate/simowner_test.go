package aggregate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/zeebo/xxh3"

	"github.com/inferlake/inferlake/stream"
)

// owner is one process that folds the partition, from its start to its end. It stands between the loop and the world:
// it is the log and the sink that the loop sees.
type owner struct {
	sim     *sim
	options stream.LoopOptions
	reads   *rand.Rand // drawn by the loop
	commits *rand.Rand // drawn by the commit under way
	faults  bool
	lease   stream.Lease
	lent    [][]byte // what the records that were read last are made of

	end              time.Time // when it stops
	crash            bool      // and whether that is a crash: nothing reaches the world from then on
	frozen, thaws    time.Time // it stands still meanwhile
	jumped, set      time.Time // its clock is wrong meanwhile
	jump             time.Duration
	died             bool // a record killed it
	superseded, calm bool
}

// hire makes an owner with its fate.
func (s *sim) hire(name string, run int) *owner {
	rng := s.rand("owner", name, run)
	now := time.Now()
	o := &owner{sim: s, faults: true, reads: s.rand("reads", name, run), commits: s.rand("commits", name, run)}
	o.end, o.crash = now.Add(between(rng, time.Second, pick(rng, 10*time.Minute, 2*time.Hour, 8*time.Hour))), rng.IntN(3) > 0
	if rng.IntN(3) == 0 {
		o.frozen = now.Add(between(rng, 0, o.end.Sub(now)))
		o.thaws = o.frozen.Add(between(rng, time.Second, 2*time.Hour))
	}
	if rng.IntN(4) == 0 {
		o.jumped = now.Add(between(rng, 0, time.Hour))
		o.set = o.jumped.Add(between(rng, time.Minute, 3*time.Hour))
		o.jump = between(rng, -2*time.Hour, 2*time.Hour)
	}
	o.options = loopOptions(rng)
	return o
}

func loopOptions(rng *rand.Rand) stream.LoopOptions {
	o := stream.LoopOptions{CommitEvery: between(rng, time.Second, 2*time.Minute), BatchRows: pick(rng, 3, 30, 0),
		SnapshotEvery: between(rng, time.Minute, time.Hour), SnapshotEvents: pick(rng, int64(20), 200, 0),
		Idle: between(rng, 30*time.Second, 5*time.Minute), TickEvery: between(rng, time.Minute, 10*time.Minute), Skew: 5 * time.Minute}
	if rng.IntN(5) == 0 {
		o.SnapshotEvery, o.SnapshotEvents = 1000*time.Hour, 1e9 // none but on a clean stop
	}
	return o
}

// calmed is an owner to whom nothing happens.
func (s *sim) calmed(run int) *owner {
	o := s.hire("calm", run)
	o.faults, o.crash, o.jump, o.calm = false, false, 0, true
	o.frozen, o.thaws = time.Time{}, time.Time{}
	o.end = time.Now().Add(12 * time.Hour)
	return o
}

// run folds until the owner's end.
func (o *owner) run() (err error) {
	ctx, cancel := context.WithDeadline(o.sim.t.Context(), o.end)
	defer cancel()
	fold := NewFold(simPartition, o.sim.rules, memory.DefaultAllocator)
	o.options.Now = o.now
	loop := &stream.Loop[simDelta]{Partition: simPartition, Log: o, Fold: &watched{fold, o}, Sink: o, Options: o.options,
		Release: func(d simDelta) { d.Release() }, Observe: o.observe}
	defer func() {
		if p := recover(); p != nil {
			if p != errKilled {
				panic(p)
			}
			o.died = true
			err = errKilled
		}
	}()
	return loop.Run(ctx)
}

var errKilled = errors.New("a record killed the process")

// now is the owner's clock.
func (o *owner) now() time.Time {
	now := time.Now()
	if o.jump != 0 && now.After(o.jumped) && now.Before(o.set) {
		return now.Add(o.jump)
	}
	return now
}

// stand lets time pass as it does for the owner: while it is frozen, it stands still.
func (o *owner) stand(d time.Duration) {
	time.Sleep(d)
	if now := time.Now(); now.After(o.frozen) && now.Before(o.thaws) {
		time.Sleep(o.thaws.Sub(now))
	}
}

// gone says that the owner has crashed: nothing that it does counts.
func (o *owner) gone() bool { return o.crash && !time.Now().Before(o.end) }

// Read is stream.Log.
func (o *owner) Read(ctx context.Context, from int64) (stream.Fetch, error) {
	o.takeBack()
	o.stand(between(o.reads, time.Millisecond, 50*time.Millisecond))
	if o.faults && o.reads.IntN(50) == 0 {
		return stream.Fetch{}, errFault
	}
	f := o.sim.log.fetch(time.Now(), from, 1+o.reads.IntN(60))
	if len(f.Records) == 0 && ctx.Err() == nil {
		wait := time.NewTimer(o.sim.log.wait(time.Now(), 10*time.Minute) + between(o.reads, 1, time.Second))
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-ctx.Done():
		}
		o.stand(1)
	}
	o.noteLoss(from, f.Start)
	o.lend(f.Records)
	return f, ctx.Err()
}

// lend gives copies of the records out, which takeBack spoils: their bytes are valid until the next Read.
func (o *owner) lend(records []stream.Record) {
	for i := range records {
		r := &records[i]
		r.Key, r.Value = slices.Clone(r.Key), slices.Clone(r.Value)
		o.lent = append(o.lent, r.Key, r.Value)
	}
}

func (o *owner) takeBack() {
	for _, b := range o.lent {
		for i := range b {
			b[i] = '~'
		}
	}
	o.lent = o.lent[:0]
}

// noteLoss sees whether the log has lost records that the state is rebuilt from, beyond what the ledger tells.
func (o *owner) noteLoss(from, start int64) {
	if from >= o.lease.Next || o.lease.Replay == o.lease.Next {
		return // nothing is rebuilt from here
	}
	for _, g := range o.lease.Ledger.Gaps {
		if g.From <= from {
			from = max(from, g.To)
		}
	}
	if start > from {
		o.sim.lose()
	}
}

// lose notes that from now on nothing can be as undisturbed: the log is gone that the state stood for.
func (s *sim) lose() {
	commits := s.sink.commits()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.lost {
		s.lost, s.good = true, commits
	}
}

func (s *sim) isLost() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

// Acquire is stream.Sink.
func (o *owner) Acquire(ctx context.Context, _ stream.TopicPartition, _ string) (stream.Lease, error) {
	o.stand(between(o.reads, time.Millisecond, time.Second))
	if err := ctx.Err(); err != nil || o.gone() {
		return stream.Lease{}, errFault
	}
	o.lease = o.sim.sink.acquire(o.faults && o.reads.IntN(10) == 0)
	return o.lease, nil
}

// Commit is stream.Sink: it may fail before or after it took effect, and the owner may crash at either moment.
func (o *owner) Commit(_ context.Context, b stream.Batch[simDelta]) (stream.Answer, error) {
	o.stand(between(o.commits, time.Millisecond, pick(o.commits, 10*time.Millisecond, time.Second, time.Minute)))
	if o.gone() || o.faults && o.commits.IntN(10) == 0 {
		return 0, errFault
	}
	answer := o.sim.sink.commit(b)
	o.stand(between(o.commits, time.Millisecond, 10*time.Millisecond))
	if o.gone() || o.faults && o.commits.IntN(10) == 0 {
		return 0, errFault
	}
	return answer, nil
}

// observe holds what the loop says it has committed against what the sink has.
func (o *owner) observe(c stream.Committed) {
	if next := o.sim.sink.position(); next < c.Next {
		o.sim.fail("I3 told too soon", "committed up to %d, the loop says; the sink has %d", c.Next, next)
	}
}

// watched is a fold under watch.
type watched struct {
	*Fold
	owner *owner
}

// Begin dies on the record that kills; one that is skipped for it comes with its time disbelieved.
func (w *watched) Begin(offset, timestamp int64, ahead bool) {
	if offset == w.owner.sim.killer && !ahead {
		panic(errKilled)
	}
	w.Fold.Begin(offset, timestamp, ahead)
}

// Cut looks at the state.
func (w *watched) Cut() simDelta {
	d := w.Fold.Cut()
	w.owner.sim.inspect(w.Fold)
	return simDelta{d, xxh3.Hash(w.Fold.Snapshot(nil))}
}

// live lets owners come and go for a day, then a calm one finish.
func (s *sim) live() {
	rng := s.rand("competition")
	done := make(chan struct{})
	owners := []string{"a"}
	if rng.IntN(2) == 0 {
		owners = append(owners, "b")
	}
	for _, name := range owners {
		go func() {
			defer func() { done <- struct{}{} }()
			s.career(name)
		}()
	}
	for range owners {
		<-done
	}
	s.finish()
}

// career is one place's owners, one after the other; a second place comes in only now and then.
func (s *sim) career(name string) {
	rng, likely := s.rand("career", name), 100
	for run := 0; time.Since(s.began) < simulated && !s.hasFailed(); run++ {
		pause := between(rng, time.Second, pick(rng, time.Minute, 10*time.Minute, 90*time.Minute))
		if name != "a" {
			pause *= 10
		}
		time.Sleep(pause)
		if rng.IntN(likely) == 0 {
			s.log.expire(time.Now(), rng.IntN(20))
		}
		likely = 100
		if s.hire(name, run).run() == nil {
			likely = 4 // its state is whole: a gap behind it can be told and nothing is lost but what the log lost
		}
	}
}

// finish lets one owner fold the rest in peace. A record that kills takes it several starts, which begin to count anew
// whenever one before got a little further.
func (s *sim) finish() {
	var err error
	for run := range 30 {
		if err = s.calmed(run).run(); err == nil {
			break
		}
	}
	if next := s.sink.position(); !s.hasFailed() && (err != nil || next != s.log.end(len(s.log.records))) {
		s.fail("progress", "a calm owner ends at %d of %d: %v", next, s.log.end(len(s.log.records)), fmt.Sprint(err))
	}
}
