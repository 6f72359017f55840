package warehouse

import (
	"context"
	"fmt"

	"github.com/inferlake/inferlake/stream/fault"
)

// Compact merges deltas of the same window and key within each level, and drops outdated rows of producer_coverage, in
// one transaction. It looks at the rows of commits in (after, until]: what a report says as of a commit outside of that
// range stays as it is, so seals are kept by compacting between them. Rows that the next level has yet to take in stay.
func (w *Warehouse) Compact(ctx context.Context, after, until int64) error {
	err := w.writer.do(ctx, func(ctx context.Context) error {
		return transact(ctx, w.writer.conn, func() error {
			for _, s := range seriesTables {
				if err := w.writer.compactSeries(ctx, s, after, until); err != nil {
					return err
				}
			}
			return w.writer.exec(ctx, "compact_coverage", after, min(until, w.writer.commit))
		})
	})
	if err != nil {
		return fmt.Errorf("cannot compact the commits after %d until %d: %w", after, until, err)
	}
	return nil
}

func (wr *writer) compactSeries(ctx context.Context, s series, after, until int64) error {
	for i, level := range Levels {
		part := span{s, level, after, min(until, wr.commit)}
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
