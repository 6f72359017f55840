package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Refold folds the log again from its start, as a recorded run decided: that run's ticks, the timestamps it did not
// believe and the gaps it found take the place of the clock. The sink must not hold the partition yet. When it returns
// nil, the sink holds what the recorded run's should hold (I1).
func (l *Loop[D]) Refold(ctx context.Context, recorded Lease) error {
	l.Options = l.Options.withDefaults()
	if err := l.resume(ctx); err != nil {
		return fmt.Errorf("cannot refold %s/%d: %w", l.Partition.Topic, l.Partition.Partition, err)
	}
	if l.pos != 0 {
		return fmt.Errorf("cannot refold %s/%d: it is folded up to offset %d already", l.Partition.Topic, l.Partition.Partition, l.pos)
	}
	l.committed, l.snapshotAt = l.Options.Now(), l.Options.Now()
	ledger := newReplayLedger(recorded.Ledger)
	for l.pos < recorded.Next {
		if err := l.refoldNext(ctx, recorded, ledger); err != nil {
			return errors.Join(err, l.await(ctx))
		}
	}
	ledger.ticks(recorded.Next, l.tick)
	return l.stop(ctx)
}

// refoldNext reads once and folds what came.
func (l *Loop[D]) refoldNext(ctx context.Context, recorded Lease, ledger *replayLedger) error {
	fetch, err := l.Log.Read(ctx, l.pos)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		l.unreadable(ctx, err)
		return nil
	}
	if err := l.pass(fetch, recorded.Ledger.Gaps); err != nil {
		return err
	}
	for i := range fetch.Records {
		rec := &fetch.Records[i]
		if rec.Offset >= recorded.Next {
			break
		}
		ledger.ticks(rec.Offset, l.tick)
		if ledger.killer(rec.Offset) {
			l.bury(rec)
			l.passed(rec)
			continue
		}
		if err := l.take(ctx, rec, ledger.ahead(rec.Offset)); err != nil {
			return err
		}
	}
	l.anchor()
	l.pos = min(max(l.pos, fetch.Next), recorded.Next)
	return l.commitDue(ctx)
}

// pass goes over a gap that the recorded run found too; another one cannot be made up for.
func (l *Loop[D]) pass(fetch Fetch, gaps []Gap) error {
	if fetch.Start <= l.pos {
		return nil
	}
	gap := Gap{l.pos, fetch.Start}
	if !slices.Contains(gaps, gap) {
		return fmt.Errorf("cannot refold %s/%d: the log has lost the offsets %d to %d, which the recorded run had folded",
			l.Partition.Topic, l.Partition.Partition, gap.From, gap.To)
	}
	l.gap(gap)
	return nil
}
