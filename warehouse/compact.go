package warehouse

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/inferlake/inferlake/stream/fault"
)

// Compact merges deltas of the same window and key within each level, of the commits up to until that every level above has taken
// in, and drops outdated rows of producer_coverage. It looks at windows that got rows since the last time, in one transaction, or,
// where they are many, a part of them in each of several. It merges nothing across a seal, so what a report says as of a seal stays
// as it is.
func (w *Warehouse) Compact(ctx context.Context, until int64) error {
	err := untilDone(func() (more bool, err error) {
		err = w.writer.do(ctx, func(ctx context.Context) error {
			more, err = w.writer.compactSome(ctx, until)
			return err
		})
		return more, err
	})
	if err == nil {
		err = w.writer.do(ctx, func(ctx context.Context) error { return w.writer.compactCoverage(ctx, until) })
	}
	if err != nil {
		return fmt.Errorf("cannot compact the commits until %d: %w", until, err)
	}
	return nil
}

// compactCoverage drops outdated rows of producer_coverage.
func (wr *writer) compactCoverage(ctx context.Context, until int64) error {
	return transact(ctx, wr.conn, func() error {
		parts, err := wr.betweenSeals(ctx, 0, min(until, wr.commit))
		for _, part := range parts {
			err = errors.Join(err, wr.exec(ctx, "compact_coverage", part[0], part[1]))
		}
		return err
	})
}

// compactSome compacts as many deltas as one transaction should, and says whether there are more.
func (wr *writer) compactSome(ctx context.Context, until int64) (more bool, err error) {
	seen, err := notedCommit(ctx, wr.conn, "compacted_commit")
	if err != nil {
		return false, err
	}
	if until, err = wr.takenBy(ctx, min(until, wr.commit)); err != nil || until <= seen {
		return false, err
	}
	through := until
	for _, s := range seriesTables {
		enough, err := wr.enough(ctx, span{s, Levels[0], seen, until}, Levels[0])
		if err != nil {
			return false, err
		}
		through = min(through, enough)
	}
	parts, err := wr.betweenSeals(ctx, 0, through)
	if err != nil {
		return false, err
	}
	return through < until, transact(ctx, wr.conn, func() error {
		for _, part := range parts {
			if err := wr.compact(ctx, part[0], max(part[0], seen), part[1]); err != nil {
				return err
			}
		}
		return noteCommit(ctx, wr.conn, "compacted_commit", through)
	})
}

// takenBy is the last commit, up to one, whose deltas every level above has taken in.
func (wr *writer) takenBy(ctx context.Context, commit int64) (int64, error) {
	for _, s := range seriesTables {
		for _, level := range Levels[1:] {
			taken, err := wr.rollupPosition(ctx, s, level)
			if err != nil {
				return 0, err
			}
			commit = min(commit, taken)
		}
	}
	return commit, nil
}

// compact merges what lies between two seals, of the commits (after, until]: windows with rows of commits after since.
func (wr *writer) compact(ctx context.Context, after, since, until int64) error {
	if since >= until {
		return nil
	}
	for _, s := range seriesTables {
		if err := wr.compactSeries(ctx, s, after, since, until); err != nil {
			return err
		}
	}
	return nil
}

func (wr *writer) compactSeries(ctx context.Context, s series, after, since, until int64) error {
	for _, level := range Levels {
		part := span{s, level, after, until}
		for _, name := range []string{"create_merged", "delete_merged", "insert_merged", "drop_merged"} {
			if _, err := wr.conn.ExecContext(ctx, part.statement(name, "since", strconv.FormatInt(since, 10))); err != nil {
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
