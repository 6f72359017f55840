package warehouse

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/fault"

	text "github.com/inferlake/inferlake/sql"
)

var _ stream.Sink[aggregate.Delta] = (*Warehouse)(nil)

// Commit makes the batch durable with its position, together with the batches of other partitions that wait.
// It returns only once the batch is out of use, also when ctx ends meanwhile. The rows must lie outside Go's heap
// (arrow/memory/mallocator): DuckDB reads them where they are, and Go's rules keep pointers into its heap from C.
func (w *Warehouse) Commit(ctx context.Context, b stream.Batch[aggregate.Delta]) (stream.Answer, error) {
	p := &pending{Batch: b, done: make(chan error, 1)}
	if b.Restart != "" && (b.To != 0 || b.Snapshot == nil) {
		return 0, fmt.Errorf("cannot begin another log of %s/%d at %d: it begins at 0, with a snapshot", b.Partition.Topic, b.Partition.Partition, b.To)
	}
	if b.To < b.From && b.Restart == "" {
		return 0, fmt.Errorf("cannot commit [%d, %d) of %s/%d: it ends before it begins", b.From, b.To, b.Partition.Topic, b.Partition.Partition)
	}
	if b.Snapshot != nil {
		p.state = hashState(b.Snapshot)
		if err := w.states.write(state{b.Partition, b.To, p.state}, b.Snapshot); err != nil {
			return 0, err
		}
	}
	select {
	case w.writer.batches <- p:
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-w.writer.stopped:
		return 0, errClosed
	}
	if err := <-p.done; err != nil {
		return 0, fmt.Errorf("cannot commit [%d, %d) of %s/%d: %w", b.From, b.To, b.Partition.Topic, b.Partition.Partition, err)
	}
	return p.answer, nil
}

// apply decides on each batch and makes the accepted ones durable in one transaction.
func (wr *writer) apply(ctx context.Context, group []*pending) error {
	positions, err := wr.positions(ctx)
	if err != nil {
		return err
	}
	var accepted []*pending
	for _, p := range group {
		p.lineage = positions[p.Partition].lineage
		if p.answer = positions[p.Partition].judge(p); p.answer == stream.Applied {
			accepted = append(accepted, p)
		}
	}
	if len(accepted) == 0 {
		return nil
	}
	loads := loadsOf(accepted)
	for _, l := range loads {
		if err := l.checkSchema(); err != nil {
			return err
		}
	}
	unstage, err := wr.stage(ctx, loads)
	if err != nil {
		return err
	}
	defer unstage()
	return wr.commitAccepted(ctx, accepted, loads)
}

func (wr *writer) commitAccepted(ctx context.Context, accepted []*pending, loads []load) error {
	var dropped []state
	err := wr.numbered(ctx, func(commit int64) (rows int64, batches int, err error) {
		if err := wr.deleteReplaced(ctx, accepted, commit); err != nil {
			return 0, 0, err
		}
		for _, l := range loads {
			if err := wr.insert(ctx, l, commit); err != nil {
				return 0, 0, fmt.Errorf("cannot load %d rows into %s: %w", l.rows(), l.table.Name, err)
			}
			rows += l.rows()
		}
		fault.Point(fault.InTransaction)
		for _, p := range accepted {
			old, err := wr.advance(ctx, p, commit)
			if err != nil {
				return 0, 0, err
			}
			dropped = append(dropped, old...)
		}
		return rows, len(accepted), nil
	})
	if err == nil {
		fault.Point(fault.AfterCommit)
		wr.w.states.remove(dropped)
	}
	return err
}

// judge answers a batch by its partition's position; a position without a generation is of a partition never acquired.
// A batch may leave the offset where it is, so it is known by its number under the lease.
func (at position) judge(p *pending) stream.Answer {
	switch {
	case at.generation == 0 || p.Generation != at.generation:
		return stream.Superseded
	case p.Seq <= at.lastBatch:
		return stream.AlreadyApplied
	case p.From == at.next:
		return stream.Applied
	}
	return stream.Superseded
}

// load is what a transaction adds to one table, of one lineage where the table's rows have one.
type load struct {
	loadKey
	batches []arrow.RecordBatch
}

type loadKey struct {
	table   *aggregate.Table
	lineage int64
}

func (l load) rows() (n int64) {
	for _, b := range l.batches {
		n += b.NumRows()
	}
	return n
}

// loadsOf gathers the rows of all batches by table, in the order of Tables.
func loadsOf(group []*pending) []load {
	batches := map[loadKey][]arrow.RecordBatch{}
	for _, p := range group {
		for _, r := range p.Delta.Rows {
			key := loadKey{table: r.Table}
			if r.Table.HasPlace() {
				key.lineage = p.lineage
			}
			batches[key] = append(batches[key], r.Batch)
		}
	}
	var loads []load
	for key, rows := range batches {
		loads = append(loads, load{key, rows})
	}
	slices.SortFunc(loads, func(a, b load) int {
		return cmp.Or(cmp.Compare(slices.Index(aggregate.Tables, a.table), slices.Index(aggregate.Tables, b.table)), cmp.Compare(a.lineage, b.lineage))
	})
	return loads
}

// deleteReplaced deletes the requests that the batches bring anew, all at once: a statement costs more than its rows do.
func (wr *writer) deleteReplaced(ctx context.Context, group []*pending, commit int64) error {
	var topics []string
	var partitions, lineages, offsets, indices []int64
	for _, p := range group {
		for _, id := range p.Delta.Replaced {
			topics, partitions, lineages = append(topics, p.Partition.Topic), append(partitions, int64(p.Partition.Partition)), append(lineages, p.lineage)
			offsets, indices = append(offsets, id.Offset), append(indices, int64(id.Index))
		}
	}
	if len(offsets) == 0 {
		return nil
	}
	var sealed bool
	if err := wr.conn.QueryRowContext(ctx, text.Statement("any_seal")).Scan(&sealed); err != nil {
		return fmt.Errorf("cannot read the seals: %w", err)
	}
	if sealed {
		if err := wr.exec(ctx, "keep_sealed_requests", topics, partitions, lineages, offsets, indices, commit); err != nil {
			return fmt.Errorf("cannot keep what was sealed: %w", err)
		}
	}
	if err := wr.exec(ctx, "delete_requests", topics, partitions, lineages, offsets, indices); err != nil {
		return fmt.Errorf("cannot delete the %d requests that are replaced: %w", len(offsets), err)
	}
	return nil
}
