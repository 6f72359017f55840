package warehouse

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"github.com/inferlake/inferlake/stream/fault"

	text "github.com/inferlake/inferlake/sql"
)

// Quarter is the length of the time over which GPU time is attributed at once.
const Quarter = 15 * time.Minute

const (
	speedBlock     = time.Minute // over which an engine without step runs has one speed
	attributedRows = 4_000_000   // runs, and four for each request, that are attributed in one transaction
)

// Attributed is what an attribution did.
type Attributed struct {
	Quarters int64 // quarters of an hour of instances that were attributed, most of them for the first time
	Until    int64 // commit up to which rows are taken into account
}

// Attribute divides the busy time of instances among the requests that were in it: each quarter of an hour that ended and holds
// anything new, as one piece, replacing what was there. With partial, the quarter that has not ended is attributed as far as it goes.
// What is found is a function of the rows and of the fits; a quarter keeps the fit that it was first attributed by, the newest of its
// kind of instance then.
func (w *Warehouse) Attribute(ctx context.Context, partial bool) (done Attributed, err error) {
	w.attributing.Lock()
	defer w.attributing.Unlock()
	a := attribution{conn: w.writer.conn, do: w.writer.do, transact: w.writer.numbered, partial: partial}
	if a.until, err = w.LastCommit(ctx); err == nil {
		done, err = a.all(ctx)
	}
	if err != nil {
		return done, fmt.Errorf("cannot attribute GPU time to requests: %w", err)
	}
	return done, nil
}

// all attributes what is dirty, and moves the position up to which rows are taken into account once all of it is done.
func (a *attribution) all(ctx context.Context) (done Attributed, err error) {
	done.Until = a.until
	if err := a.begin(ctx); err != nil {
		return done, err
	}
	chunks, err := a.chunks(ctx)
	if err != nil || len(chunks) == 0 {
		return done, err
	}
	for _, c := range chunks {
		if err := a.attribute(ctx, c); err != nil {
			return done, err
		}
		done.Quarters += c.quarters
	}
	return done, a.do(ctx, func(ctx context.Context) error {
		return a.transact(ctx, func(commit int64) (int64, int, error) {
			_, err := a.conn.ExecContext(ctx, text.Statement("move_attribution"), a.until, a.openFrom(), commit)
			return 1, 0, err
		})
	})
}

// begin finds what is dirty.
func (a *attribution) begin(ctx context.Context) error {
	err := a.do(ctx, func(ctx context.Context) error {
		if err := a.conn.QueryRowContext(ctx, text.Statement("attributed_commit")).Scan(&a.after, &a.open); err != nil {
			return err
		}
		return a.conn.QueryRowContext(ctx, text.Statement("known_through")).Scan(&a.through)
	})
	if err != nil {
		return err
	}
	return a.run(ctx, "make_changed", "make_units", "make_held", "make_dirty", "make_fitted")
}

// openFrom is where the quarter begins that is left for later, nil where none is.
func (a *attribution) openFrom() any {
	if a.partial {
		return nil
	}
	return a.through / Quarter.Nanoseconds() * Quarter.Nanoseconds()
}

// attribution is one run over all that is dirty.
type attribution struct {
	conn         *sql.Conn // of the writer, used only in do: batches are committed between two steps
	do           func(context.Context, func(context.Context) error) error
	transact     func(context.Context, func(commit int64) (rows int64, batches int, err error)) error
	after, until int64 // commits whose rows are new
	open         int64 // ns since 1970: rows from here on were not attributed, whatever their commits
	through      int64 // ns since 1970: what is known
	partial      bool
	chunk
	commit int64
}

// chunk is consecutive quarters that are attributed together.
type chunk struct {
	first, last int64 // numbers of quarters since 1970
	quarters    int64
	rows        int64
}

// steps make tables out of tables, in this order.
var steps = []string{"choose_dirty", "make_runs", "show_near", "make_groups", "make_stays", "make_pieces", "make_step_marks", "make_step_shares",
	"make_interval_marks", "make_intervals", "make_interval_shares", "make_allocations", "make_amounts", "make_spans", "make_booked"}

// results are the tables that an attribution fills.
var results = []string{"allocations", "request_gpu_time", "charges"}

func (a *attribution) run(ctx context.Context, names ...string) error {
	for _, name := range names {
		err := a.do(ctx, func(ctx context.Context) error {
			_, err := a.conn.ExecContext(ctx, a.statement(name))
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (a *attribution) statement(name string, more ...string) string {
	whole := int64(1)
	if a.partial {
		whole = 0
	}
	pairs := more
	for _, p := range []struct {
		key   string
		value int64
	}{
		{"quarter", Quarter.Nanoseconds()}, {"block", speedBlock.Nanoseconds()}, {"through", a.through}, {"whole", whole},
		{"after", a.after}, {"open", a.open}, {"until", a.until}, {"first", a.first}, {"last", a.last}, {"commit", a.commit},
		{"since", a.first * Quarter.Nanoseconds()}, {"before", (a.last + 1) * Quarter.Nanoseconds()},
	} {
		pairs = append(pairs, p.key, strconv.FormatInt(p.value, 10))
	}
	return text.Statement(name, pairs...)
}

// chunks cuts the dirty quarters where they hold about as many rows as one transaction takes.
func (a *attribution) chunks(ctx context.Context) (all []chunk, err error) {
	err = a.do(ctx, func(ctx context.Context) error {
		return each(ctx, a.conn, a.statement("dirty_loads"), nil, func(scan scanner) error {
			var quarter, instances, rows int64
			err := scan(&quarter, &instances, &rows)
			if n := len(all); n == 0 || all[n-1].rows+rows > attributedRows {
				all = append(all, chunk{first: quarter})
			}
			c := &all[len(all)-1]
			c.last, c.quarters, c.rows = quarter, c.quarters+instances, c.rows+rows
			return err
		})
	})
	return all, err
}

// attribute does one chunk, in one transaction.
func (a *attribution) attribute(ctx context.Context, c chunk) error {
	a.chunk = c
	if err := a.run(ctx, steps...); err != nil {
		return err
	}
	return a.do(ctx, func(ctx context.Context) error {
		return a.transact(ctx, func(commit int64) (int64, int, error) { return a.publish(ctx, commit) })
	})
}

// publish replaces what the chunk's quarters held.
func (a *attribution) publish(ctx context.Context, commit int64) (rows int64, batches int, err error) {
	a.commit = commit
	for _, table := range results {
		n, err := a.replace(ctx, table)
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", table, err)
		}
		rows += n
		fault.Point(fault.InRollup)
	}
	return rows, 0, nil
}

// replace puts a table's new rows in the place of those that were there.
func (a *attribution) replace(ctx context.Context, table string) (rows int64, err error) {
	for _, name := range []string{"keep_sealed_dirty", "delete_dirty"} {
		if _, err := a.conn.ExecContext(ctx, a.statement(name, "table", table, "kept", kept(table))); err != nil {
			return 0, err
		}
	}
	result, err := a.conn.ExecContext(ctx, a.statement("insert_"+table))
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
