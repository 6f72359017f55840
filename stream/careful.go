package stream

import (
	"context"
	"time"

	"github.com/zeebo/xxh3"
)

// A record that kills the process would kill it again at every start. So after carefulAfter starts without a commit, what
// is on the log is folded record by record: before each one its offset is made durable as the one that is tried, after
// it what came of it. A record that was tried killerTries times and never got that far is the killer: it is skipped as a
// dead letter, and replay skips it too.
const (
	carefulAfter = 3
	killerTries  = 3
)

// tryRecord folds one record in careful mode.
func (l *Loop[D]) tryRecord(ctx context.Context, rec *Record, now time.Time) error {
	if l.lease.Trying == rec.Offset+1 && l.lease.Tried >= killerTries {
		l.bury(rec)
		l.passed(rec)
		return l.commitAndWait(ctx)
	}
	l.trying = rec.Offset + 1
	if err := l.commitAndWait(ctx); err != nil {
		return err
	}
	l.trying = 0
	if err := l.take(ctx, rec, l.unbelieved(rec, now)); err != nil {
		return err
	}
	return l.commitAndWait(ctx)
}

func (l *Loop[D]) commitAndWait(ctx context.Context) error {
	if err := l.commit(ctx); err != nil {
		return err
	}
	return l.await(ctx)
}

// bury refuses a whole record, unread, because it killed the process.
func (l *Loop[D]) bury(rec *Record) {
	l.Options.Logger.Error("a record is skipped: the process died each time it was folded",
		"topic", l.Partition.Topic, "partition", l.Partition.Partition, "offset", rec.Offset, "bytes", len(rec.Value))
	d := DeadLetter{Position: Position{rec.Offset, 0}, Reason: ReasonCrashed, Length: int64(len(rec.Value)), Hash: xxh3.Hash(rec.Value), Events: 1}
	l.Fold.Begin(rec.Offset, rec.Timestamp, true) // its time is not believed either
	l.Fold.Refuse(d)
	l.ledger.Ahead = append(l.ledger.Ahead, rec.Offset)
	l.ledger.Dead = append(l.ledger.Dead, d)
}
