package warehouse

import (
	"context"
	"fmt"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"

	text "github.com/inferlake/inferlake/sql"
)

// position is where a partition's fold stands.
type position struct {
	next, replay int64
	hash         string // of the state at replay; "" for the empty state
	generation   int64
	rules        string
	attempts     int64 // starts since the last batch that moved on
	trying       int64 // offset + 1 of the record being tried by itself, 0: none
	tried        int64
	lastBatch    int64 // number of the last batch under this generation
	lineage      int64 // number of the log that is folded, from 1
	log          stream.Lineage
}

func (wr *writer) positions(ctx context.Context) (map[stream.TopicPartition]position, error) {
	all := map[stream.TopicPartition]position{}
	err := each(ctx, wr.conn, text.Statement("positions"), nil, func(scan scanner) error {
		var tp stream.TopicPartition
		var p position
		err := scan(&tp.Topic, &tp.Partition, &p.next, &p.replay, &p.hash, &p.generation, &p.rules, &p.lastBatch,
			&p.attempts, &p.trying, &p.tried, &p.lineage,
			&p.log.Cluster, &p.log.TopicID, &p.log.AnchorNext, &p.log.AnchorHash)
		all[tp] = p
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read the positions: %w", err)
	}
	return all, nil
}

// advance writes a batch's ledger and moves its partition's position. It returns the states that are not kept any longer.
func (wr *writer) advance(ctx context.Context, p *pending, commit int64) (dropped []state, err error) {
	if err := wr.writeLedger(ctx, p, commit); err != nil {
		return nil, err
	}
	if p.Restart != "" {
		if err := wr.endLineage(ctx, p, commit); err != nil {
			return nil, err
		}
	}
	s, tp, log := p.Status, p.Partition, p.Lineage
	err = wr.exec(ctx, "advance", tp.Topic, tp.Partition, p.To, p.Rules,
		s.LogClock, s.Watermark, s.CompleteThrough, s.SettledThrough,
		s.Records, s.Consumed, s.Loaded, s.Pending, s.Duplicate, s.Dead, s.Late, s.Open, p.Seq, commit, p.Trying,
		log.Cluster, log.TopicID, log.AnchorNext, strconv.FormatUint(log.AnchorHash, 10),
		s.Evicted, s.Forgotten, s.Others, s.Stale, windowsThrough(p.Delta))
	if err != nil || p.state == "" {
		return nil, err
	}
	if err := wr.exec(ctx, "set_replay", tp.Topic, tp.Partition, p.To, p.state); err != nil {
		return nil, err
	}
	if err := wr.exec(ctx, "forget_same_snapshot", tp.Topic, tp.Partition, p.To, p.state); err != nil {
		return nil, err
	}
	if err := wr.exec(ctx, "insert_snapshot", tp.Topic, tp.Partition, p.To, p.state, p.Rules, p.lineage, commit); err != nil {
		return nil, err
	}
	err = each(ctx, wr.conn, text.Statement("drop_old_snapshots"), []any{tp.Topic, tp.Partition}, func(scan scanner) error {
		old := state{TopicPartition: tp}
		err := scan(&old.offset, &old.hash)
		dropped = append(dropped, old)
		return err
	})
	return dropped, err
}

// windowsThrough is the end of the last request window that a batch writes, ns since 1970 UTC; 0 where it writes none.
func windowsThrough(d aggregate.Delta) (end int64) {
	for _, r := range d.Rows {
		if r.Table != aggregate.RequestWindows {
			continue
		}
		starts, _ := r.Batch.Column(0).(*array.Timestamp) // as checkSchema has found
		for i := range starts.Len() {
			end = max(end, int64(starts.Value(i))+aggregate.WindowNS)
		}
	}
	return end
}
