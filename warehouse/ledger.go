package warehouse

import (
	"context"
	"fmt"
	"strconv"

	"github.com/inferlake/inferlake/stream"

	text "github.com/inferlake/inferlake/sql"
)

// Ledger returns, for every partition, all decisions since the log's start with the offset up to which they go: a lease
// from which the log can be folded again from nothing. Generation and Snapshot are left out.
func (w *Warehouse) Ledger(ctx context.Context) (map[stream.TopicPartition]stream.Lease, error) {
	leases := map[stream.TopicPartition]stream.Lease{}
	err := w.writer.do(ctx, func(ctx context.Context) error {
		positions, err := w.writer.positions(ctx)
		if err != nil {
			return err
		}
		ledgers, err := readLedger(ctx, w.writer.conn, nil, 0)
		for tp, at := range positions {
			if at.lineage > 1 {
				return fmt.Errorf("the log of %s/%d took the place of another (SELECT * FROM v1.lineages): what came of that one cannot be folded again", tp.Topic, tp.Partition)
			}
			leases[tp] = stream.Lease{Next: at.next, Ledger: ledgers[tp]}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read the ledger: %w", err)
	}
	return leases, nil
}

// readLedger reads the decisions of the commits after one, of one partition or of all.
func readLedger(ctx context.Context, q querier, of *stream.TopicPartition, after int64) (map[stream.TopicPartition]stream.Ledger, error) {
	all := map[stream.TopicPartition]stream.Ledger{}
	args := []any{nil, nil, after}
	if of != nil {
		args[0], args[1] = of.Topic, of.Partition
	}
	read := func(name string, add func(l *stream.Ledger, scan func(...any) error) error) error {
		return each(ctx, q, text.Statement(name), args, func(scan scanner) error {
			var tp stream.TopicPartition
			var l stream.Ledger
			whole := func(dest ...any) error {
				err := scan(append([]any{&tp.Topic, &tp.Partition}, dest...)...)
				l = all[tp]
				return err
			}
			err := add(&l, whole)
			all[tp] = l
			return err
		})
	}
	for name, add := range map[string]func(*stream.Ledger, func(...any) error) error{
		"ledger_ticks": addTick, "ledger_ahead": addAhead, "ledger_dead": addDead, "ledger_gaps": addGap,
	} {
		if err := read(name, add); err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", name, err)
		}
	}
	return all, nil
}

func addTick(l *stream.Ledger, scan func(...any) error) error {
	var t stream.Tick
	err := scan(&t.Offset, &t.At, &t.Flush)
	l.Ticks = append(l.Ticks, t)
	return err
}

func addAhead(l *stream.Ledger, scan func(...any) error) error {
	var offset int64
	err := scan(&offset)
	l.Ahead = append(l.Ahead, offset)
	return err
}

func addDead(l *stream.Ledger, scan func(...any) error) error {
	var d stream.DeadLetter
	err := scan(&d.Offset, &d.Index, &d.Reason, &d.Length, &d.Hash, &d.Events)
	l.Dead = append(l.Dead, d)
	return err
}

func addGap(l *stream.Ledger, scan func(...any) error) error {
	var g stream.Gap
	err := scan(&g.From, &g.To)
	l.Gaps = append(l.Gaps, g)
	return err
}

// writeLedger writes a batch's decisions.
func (wr *writer) writeLedger(ctx context.Context, p *pending, commit int64) error {
	for _, write := range []func(context.Context, *pending, int64) error{wr.writeTicks, wr.writeAhead, wr.writeDead, wr.writeGaps} {
		if err := write(ctx, p, commit); err != nil {
			return fmt.Errorf("cannot write the ledger: %w", err)
		}
	}
	return nil
}

func (wr *writer) writeTicks(ctx context.Context, p *pending, commit int64) error {
	if len(p.Ledger.Ticks) == 0 {
		return nil
	}
	var offsets, ats []int64
	var flushes []bool
	for _, t := range p.Ledger.Ticks {
		offsets, ats, flushes = append(offsets, t.Offset), append(ats, t.At), append(flushes, t.Flush)
	}
	return wr.exec(ctx, "insert_ticks", p.Partition.Topic, p.Partition.Partition, offsets, ats, flushes, p.lineage, commit)
}

func (wr *writer) writeAhead(ctx context.Context, p *pending, commit int64) error {
	if len(p.Ledger.Ahead) == 0 {
		return nil
	}
	return wr.exec(ctx, "insert_ahead", p.Partition.Topic, p.Partition.Partition, p.Ledger.Ahead, p.lineage, commit)
}

func (wr *writer) writeDead(ctx context.Context, p *pending, commit int64) error {
	if len(p.Ledger.Dead) == 0 {
		return nil
	}
	var offsets, indices, lengths, events []int64
	var reasons, hashes []string
	for _, d := range p.Ledger.Dead {
		offsets, indices, reasons = append(offsets, d.Offset), append(indices, int64(d.Index)), append(reasons, string(d.Reason))
		lengths, events = append(lengths, d.Length), append(events, d.Events)
		hashes = append(hashes, strconv.FormatUint(d.Hash, 10))
	}
	return wr.exec(ctx, "insert_dead", p.Partition.Topic, p.Partition.Partition, offsets, indices, reasons, lengths, hashes, events, p.lineage, commit)
}

func (wr *writer) writeGaps(ctx context.Context, p *pending, commit int64) error {
	if len(p.Ledger.Gaps) == 0 {
		return nil
	}
	var from, to []int64
	for _, g := range p.Ledger.Gaps {
		from, to = append(from, g.From), append(to, g.To)
	}
	return wr.exec(ctx, "insert_gaps", p.Partition.Topic, p.Partition.Partition, from, to, p.lineage, commit)
}
