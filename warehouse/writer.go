package warehouse

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"

	text "github.com/inferlake/inferlake/sql"
)

// writer is the one goroutine that changes the database.
type writer struct {
	conn   *sql.Conn
	w      *Warehouse
	commit int64 // number of the last commit

	viewRows   int64 // least rows that are loaded through an Arrow view
	summedRows int64 // deltas of a table that are rolled up or compacted at once, about

	last [2]partitions // that were in the last two commits
	took time.Duration // for the last commit

	batches chan *pending // unbuffered: who has sent waits for the answer
	tasks   chan *task
	stop    chan struct{}
	stopped chan struct{}
	once    sync.Once // closes stop
}

// linger is how long batches of other partitions are waited for at most.
const linger = 20 * time.Millisecond

type partitions map[stream.TopicPartition]bool

func (p partitions) hold(others partitions) bool {
	for o := range others {
		if !p[o] {
			return false
		}
	}
	return true
}

// pending is a batch that waits for its answer.
type pending struct {
	stream.Batch[aggregate.Delta]
	state   string // hash of its snapshot, which is durable; "": none
	lineage int64  // of its rows
	answer  stream.Answer
	done    chan error
}

// task is another change, done between two commits.
type task struct {
	run  func(ctx context.Context) error
	done chan error
}

var errClosed = errors.New("the warehouse is closed")

func startWriter(ctx context.Context, conn *sql.Conn, w *Warehouse, o Options) (*writer, error) {
	wr := &writer{
		conn: conn, w: w, viewRows: cmp.Or(o.viewRows, 1024), summedRows: cmp.Or(o.summedRows, 2_000_000),
		batches: make(chan *pending), tasks: make(chan *task),
		stop: make(chan struct{}), stopped: make(chan struct{}),
	}
	if err := wr.learnCommit(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	go wr.loop(context.Background())
	return wr, nil
}

// loop serves until it is stopped. No caller's context ends a transaction that others share.
func (wr *writer) loop(ctx context.Context) {
	defer close(wr.stopped)
	var left *pending
	for {
		if left != nil {
			left = wr.commitGroup(ctx, left)
			continue
		}
		select {
		case p := <-wr.batches:
			left = wr.commitGroup(ctx, p)
		case t := <-wr.tasks:
			t.done <- t.run(ctx)
		case <-wr.stop:
			return
		}
	}
}

// commitGroup commits first with what it is gathered with, and returns a batch that has to wait on.
func (wr *writer) commitGroup(ctx context.Context, first *pending) (left *pending) {
	group, left := wr.gather(first)
	begun := time.Now()
	wr.answer(ctx, group)
	wr.took = time.Since(begun)
	return left
}

// gather takes one batch a partition: those that wait, and those of partitions that were in the last two commits. A commit
// costs little more with them, so they are waited for as long as the last one took, up to linger.
func (wr *writer) gather(first *pending) (group []*pending, left *pending) {
	group, taken := []*pending{first}, partitions{first.Partition: true}
	defer func() { wr.last = [2]partitions{wr.last[1], taken} }()
	patience := time.After(min(wr.took, linger))
	for {
		p := wr.waiting()
		if p == nil && !(taken.hold(wr.last[0]) && taken.hold(wr.last[1])) {
			p = wr.soon(patience)
		}
		switch {
		case p == nil:
			return group, nil
		case taken[p.Partition]:
			return group, p
		}
		taken[p.Partition] = true
		group = append(group, p)
	}
}

// waiting returns a batch that waits, or nil.
func (wr *writer) waiting() *pending {
	select {
	case p := <-wr.batches:
		return p
	default:
		return nil
	}
}

// soon returns a batch that comes while there is patience, or nil.
func (wr *writer) soon(patience <-chan time.Time) *pending {
	select {
	case p := <-wr.batches:
		return p
	case <-patience:
		return nil
	}
}

// answer applies the group; when that fails, each batch by itself, so that one bad batch does not hold up the others.
func (wr *writer) answer(ctx context.Context, group []*pending) {
	err := wr.apply(ctx, group)
	if err != nil && len(group) > 1 {
		for _, p := range group {
			p.done <- wr.apply(ctx, []*pending{p})
		}
		return
	}
	for _, p := range group {
		p.done <- err
	}
}

// do runs a change between two commits.
func (wr *writer) do(ctx context.Context, run func(ctx context.Context) error) error {
	t := &task{run: run, done: make(chan error, 1)}
	select {
	case wr.tasks <- t:
		return <-t.done
	case <-ctx.Done():
		return ctx.Err()
	case <-wr.stopped:
		return errClosed
	}
}

// numbered runs f in a transaction with the next commit number; f returns the rows it added and the batches they came in.
func (wr *writer) numbered(ctx context.Context, f func(commit int64) (rows int64, batches int, err error)) error {
	commit := wr.commit + 1
	err := transact(ctx, wr.conn, func() error {
		rows, batches, err := f(commit)
		if err != nil {
			return err
		}
		return wr.exec(ctx, "insert_commit", commit, time.Now().UnixMicro(), rows, batches)
	})
	if err == nil {
		wr.commit = commit
		return nil
	}
	return errors.Join(err, wr.learnCommit(ctx)) // whether it was made is not known
}

func (wr *writer) learnCommit(ctx context.Context) error {
	if err := wr.conn.QueryRowContext(ctx, text.Statement("last_commit")).Scan(&wr.commit); err != nil {
		return fmt.Errorf("cannot read the last commit: %w", err)
	}
	return nil
}

// exec runs a statement by name. Statements are not kept prepared: a plan made while a table was empty goes on to answer
// from what its columns held then.
func (wr *writer) exec(ctx context.Context, name string, args ...any) error {
	if _, err := wr.conn.ExecContext(ctx, text.Statement(name), args...); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// close stops the loop, and writes DuckDB's log into the database file.
func (wr *writer) close() error {
	wr.once.Do(func() { close(wr.stop) })
	<-wr.stopped
	_, err := wr.conn.ExecContext(context.Background(), text.Statement("checkpoint"))
	if err != nil {
		err = fmt.Errorf("cannot write the log into the database file: %w", err)
	}
	return errors.Join(err, wr.conn.Close())
}
