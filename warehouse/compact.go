package warehouse

import (
	"context"
	"errors"
	"fmt"

	"github.com/inferlake/inferlake/stream/fault"
)

// Compact merges deltas of the same window and key within each level, and drops outdated rows of producer_coverage, in
// one transaction. It looks at the rows of commits in (after, until], and merges none across a seal, so what a report says
// as of a seal stays as it is. Rows that the next level has yet to take in stay.
func (w *Warehouse) Compact(ctx context.Context, after, until int64) error {
	err := w.writer.do(ctx, func(ctx context.Context) error {
		return transact(ctx, w.writer.conn, func() error {
			parts, err := w.writer.betweenSeals(ctx, after, min(until, w.writer.commit))
			for _, part := range parts {
				err = errors.Join(err, w.writer.compact(ctx, part[0], part[1]))
			}
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("cannot compact the commits after %d until %d: %w", after, until, err)
	}
	return nil
}

// compact merges what lies between two seals.
func (wr *writer) compact(ctx context.Context, after, until int64) error {
	for _, s := range seriesTables {
		if err := wr.compactSeries(ctx, s, after, until); err != nil {
			return err
		}
	}
	return wr.exec(ctx, "compact_coverage", after, until)
}

func (wr *writer) compactSeries(ctx context.Context, s series, after, until int64) error {
	for i, level := range Levels {
		part := span{s, level, after, until}
		if i+1 < len(Levels) {
			taken, err := wr.rollupPosition(ctx, s, Levels[i+1])
			if err != nil {
				return err
			}
			part.until = min(part.until, taken)
		}
		for _, name := range []string{"create_merged", "delete_merged", "insert_merged", "drop_merged"} {
			if _, err := wr.conn.ExecContext(ctx, part.statement(name)); err != nil {
				return fmt.Errorf("%s of %s at level %d: %w", name, s.table.Name, level, err)
			}
			if name == "delete_merged" {
				fault.Point(fault.InCompaction)
			}
		}
	}
	return nil
}

// LastCommit is the number of the last commit.
func (w *Warehouse) LastCommit(ctx context.Context) (commit int64, err error) {
	err = w.writer.do(ctx, func(context.Context) error {
		commit = w.writer.commit
		return nil
	})
	return commit, err
}
