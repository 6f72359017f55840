package warehouse

import (
	"context"
	"fmt"

	"github.com/inferlake/inferlake/stream"

	text "github.com/inferlake/inferlake/sql"
)

// endLineage notes that another log takes the place of the one that was folded up to the position. What follows in the
// batch's transaction, and after it, is of the next lineage.
func (wr *writer) endLineage(ctx context.Context, p *pending, commit int64) error {
	tp := p.Partition
	if err := wr.exec(ctx, "insert_lineage", tp.Topic, tp.Partition, p.Restart, p.Lineage.Cluster, p.Lineage.TopicID, commit); err != nil {
		return err
	}
	if err := wr.exec(ctx, "insert_lineage_gap", tp.Topic, tp.Partition, commit); err != nil {
		return err
	}
	p.lineage++
	return wr.exec(ctx, "raise_lineage", tp.Topic, tp.Partition)
}

// covered returns what came of each lane of a partition, as of the last commit.
func (wr *writer) covered(ctx context.Context, tp stream.TopicPartition) (all []stream.Covered, err error) {
	err = each(ctx, wr.conn, text.Statement("covered"), []any{tp.Topic, tp.Partition}, func(scan scanner) error {
		var c stream.Covered
		var runs any
		var gaps int64
		err := scan(&c.Producer, &c.Boot, &c.Lane, &c.Source, &c.Instance, &runs, &c.Announced, &c.Received, &c.Duplicates,
			&c.Heartbeats, &gaps, &c.FirstAt, &c.LastAt, &c.Stopped)
		for _, v := range list(runs) {
			n, _ := v.(int64)
			c.Runs = append(c.Runs, n)
		}
		c.Bridged = gaps - max(int64(len(c.Runs))/2-1, 0)
		all = append(all, c)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read what was covered: %w", err)
	}
	return all, nil
}

func list(v any) []any {
	values, _ := v.([]any)
	return values
}
