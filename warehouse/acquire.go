package warehouse

import (
	"context"
	"fmt"

	"github.com/inferlake/inferlake/stream"

	text "github.com/inferlake/inferlake/sql"
)

// Acquire takes the lease of a partition from whoever held it. Other rules than the stored ones are accepted only at a
// snapshot: otherwise the log between it and the next offset would be folded by two sets of rules.
func (w *Warehouse) Acquire(ctx context.Context, tp stream.TopicPartition, rules string) (stream.Lease, error) {
	var lease stream.Lease
	err := w.writer.do(ctx, func(ctx context.Context) (err error) {
		lease, err = w.writer.acquire(ctx, tp, rules)
		return err
	})
	if err != nil {
		return stream.Lease{}, fmt.Errorf("cannot acquire %s/%d: %w", tp.Topic, tp.Partition, err)
	}
	return lease, nil
}

func (wr *writer) acquire(ctx context.Context, tp stream.TopicPartition, rules string) (stream.Lease, error) {
	positions, err := wr.positions(ctx)
	if err != nil {
		return stream.Lease{}, err
	}
	at, known := positions[tp]
	if !known {
		return stream.Lease{Generation: 1, Attempts: 1}, wr.exec(ctx, "insert_progress", tp.Topic, tp.Partition, rules)
	}
	changed := at.rules != rules
	if changed && at.replay != at.next {
		return stream.Lease{}, fmt.Errorf("it was folded up to offset %d by the rules %q, its last snapshot is at offset %d, and this program has the rules %q: "+
			"finish the log with the program and settings that wrote it (inferlake serve --once), then start this one", at.next, at.rules, at.replay, rules)
	}
	start, err := wr.findStart(ctx, tp, at)
	if err != nil {
		return stream.Lease{}, err
	}
	if changed && start.offset != at.next {
		return stream.Lease{}, fmt.Errorf("the state at offset %d is lost, and only the rules %q may rebuild it, not %q: "+
			"run the program and settings that wrote it once more (inferlake serve --once)", at.next, at.rules, rules)
	}
	if err := wr.exec(ctx, "raise_generation", tp.Topic, tp.Partition); err != nil {
		return stream.Lease{}, err
	}
	ledgers, err := readLedger(ctx, wr.conn, &tp, start.commit)
	if err != nil {
		return stream.Lease{}, err
	}
	var covered []stream.Covered
	if start.offset != at.next {
		if covered, err = wr.covered(ctx, tp); err != nil {
			return stream.Lease{}, err
		}
	}
	return stream.Lease{
		Lineage: at.log, Coverage: covered,
		Generation: at.generation + 1, Next: at.next,
		Replay: start.offset, Snapshot: start.content, Ledger: ledgers[tp],
		Attempts: at.attempts + 1, Trying: at.trying, Tried: at.tried,
	}, nil
}

// start is a state to go on from, and the commit that made it durable.
type start struct {
	offset, commit int64
	content        []byte
}

// findStart returns the latest state that is whole: the one that the position names, else an older one of the same rules,
// else the empty one.
func (wr *writer) findStart(ctx context.Context, tp stream.TopicPartition, at position) (start, error) {
	var kept []start
	var states []state
	err := each(ctx, wr.conn, text.Statement("list_snapshots"), []any{tp.Topic, tp.Partition, at.lineage}, func(scan scanner) error {
		s, rules, commit := state{TopicPartition: tp}, "", int64(0)
		if err := scan(&s.offset, &s.hash, &rules, &commit); err != nil {
			return err
		}
		if len(states) == 0 || rules == at.rules {
			states, kept = append(states, s), append(kept, start{offset: s.offset, commit: commit})
		}
		return nil
	})
	if err != nil {
		return start{}, fmt.Errorf("cannot list the snapshots: %w", err)
	}
	for i, s := range states {
		content, err := wr.w.states.read(s)
		if err == nil {
			kept[i].content = content
			return kept[i], nil
		}
		wr.w.log.Warn("a state cannot be used: an older one is taken and more of the log is folded again",
			"topic", tp.Topic, "partition", tp.Partition, "offset", s.offset, "error", err)
	}
	return start{}, nil
}
