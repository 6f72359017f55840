package warehouse

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/fault"

	text "github.com/inferlake/inferlake/sql"
)

// Keep says how long rows are kept at least; 0 is for ever. A row goes once it is older than that by both clocks: its
// event time, counted back from where the warehouse is complete through, and the time since it was loaded, counted back from
// the last commit. So an old trace that is replayed today stays as long as what happens today. Rows of days, of instances,
// of GPU faults, coverage and the ledger are kept for ever.
type Keep struct {
	Requests time.Duration
	Samples  time.Duration    // of engines, steps, GPUs, nodes and Kubernetes
	Windows  [3]time.Duration // by level: 10 s, 60 s, 900 s; each goes only as far as the next level has taken it in

	// Correctable is how long after its row was loaded a request may still be replaced: the fold's closed memory and skew.
	Correctable time.Duration
}

// Retain removes what is older than it is to be kept, in one transaction with a row of the table retention for each table
// and level. Nothing of a sealed period goes, nor of the day before it. It returns how many rows went.
func (w *Warehouse) Retain(ctx context.Context, keep Keep) (rows int64, err error) {
	err = w.writer.do(ctx, func(ctx context.Context) error {
		rows, err = w.writer.retain(ctx, keep)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("cannot remove what is old: %w", err)
	}
	return rows, nil
}

// aged is a set of rows of one table that is to go.
type aged struct {
	table  string
	form   string // aged_…: names the condition
	note   string // note_aged_…: names the statement that notes what goes
	noted  string // noted_…: names the sums that are noted
	level  int64
	before int64 // event time, ns since 1970 UTC, a day's start: the rows before go
	until  int64 // the last commit whose rows go
	log    stream.TopicPartition
}

func (a aged) fill(name string, pairs ...string) string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	return text.Statement(name, append(pairs, "table", text.Name(a.table), "name", text.Quote(a.table), "level", number(a.level),
		"before", number(a.before), "until", number(a.until), "topic", text.Quote(a.log.Topic), "partition", number(int64(a.log.Partition)))...)
}

// statement fills a statement about the rows.
func (a aged) statement(name string, pairs ...string) string {
	return a.fill(name, append([]string{"aged", a.fill(a.form), "noted", text.Statement(a.noted)}, pairs...)...)
}

// retain looks first: most of the time there is nothing to do, and then there is no commit.
func (wr *writer) retain(ctx context.Context, keep Keep) (rows int64, err error) {
	sets, err := wr.agedSets(ctx, keep)
	if err != nil {
		return 0, err
	}
	var there []aged
	for _, a := range sets {
		var n int64
		if err := wr.conn.QueryRowContext(ctx, a.statement("count_aged")).Scan(&n); err != nil {
			return 0, fmt.Errorf("cannot count the old rows of %s: %w", a.table, err)
		}
		if n > 0 {
			there, rows = append(there, a), rows+n
		}
	}
	if len(there) == 0 {
		return 0, nil
	}
	return rows, wr.numbered(ctx, func(commit int64) (int64, int, error) {
		for _, a := range there {
			for _, name := range []string{a.note, "delete_aged"} {
				if _, err := wr.conn.ExecContext(ctx, a.statement(name, "commit", strconv.FormatInt(commit, 10))); err != nil {
					return 0, 0, fmt.Errorf("%s of %s: %w", name, a.table, err)
				}
			}
			fault.Point(fault.InRetention)
		}
		return 0, 0, nil
	})
}

// retentionClocks are what age is counted from.
type retentionClocks struct {
	complete int64 // event time, ns
	loaded   int64 // time of the last commit, us
	pinned   int64 // event time, ns: what is sealed begins here
}

// agedSets lists what may go, table by table.
func (wr *writer) agedSets(ctx context.Context, keep Keep) (sets []aged, err error) {
	var c retentionClocks
	if err := wr.conn.QueryRowContext(ctx, text.Statement("retention_clocks")).Scan(&c.complete, &c.loaded, &c.pinned); err != nil {
		return nil, fmt.Errorf("cannot read how far the warehouse has come: %w", err)
	}
	requests, err := wr.agedRequests(ctx, c, keep)
	if err != nil {
		return nil, err
	}
	samples, err := wr.agedSamples(ctx, c, keep)
	if err != nil {
		return nil, err
	}
	windows, err := wr.agedWindows(ctx, c, keep)
	return append(append(requests, samples...), windows...), err
}

const dayNS = int64(24 * time.Hour)

// bound fills in which rows are older than they are kept; none where there is no such age. Bounds lie on days, so that
// there is one act a day.
func (wr *writer) bound(ctx context.Context, a *aged, c retentionClocks, age time.Duration) (some bool, err error) {
	if age <= 0 || c.complete == 0 {
		return false, nil
	}
	a.before = min(c.complete-age.Nanoseconds(), c.pinned)
	a.before -= (a.before%dayNS + dayNS) % dayNS
	a.until, err = wr.madeBefore(ctx, c.loaded-age.Microseconds())
	return a.until > 0, err
}

func (wr *writer) madeBefore(ctx context.Context, us int64) (commit int64, err error) {
	if err = wr.conn.QueryRowContext(ctx, text.Statement("made_before"), us).Scan(&commit); err != nil {
		err = fmt.Errorf("cannot read when commits were made: %w", err)
	}
	return commit, err
}

// agedRequests are by partition: none goes that the fold remembers, which could still replace it.
func (wr *writer) agedRequests(ctx context.Context, c retentionClocks, keep Keep) (sets []aged, err error) {
	all := aged{table: aggregate.Requests.Name, form: "aged_requests", note: "note_aged_samples", noted: "noted_requests"}
	if some, err := wr.bound(ctx, &all, c, keep.Requests); !some {
		return nil, err
	}
	clocks := map[stream.TopicPartition]int64{}
	err = each(ctx, wr.conn, text.Statement("log_clocks"), nil, func(scan scanner) error {
		a, clock := all, int64(0)
		err := scan(&a.log.Topic, &a.log.Partition, &clock)
		sets, clocks[a.log] = append(sets, a), clock
		return err
	})
	for i := range sets {
		if err == nil {
			var forgotten int64
			forgotten, err = wr.madeBefore(ctx, (clocks[sets[i].log]-keep.Correctable.Nanoseconds())/1000)
			sets[i].until = min(sets[i].until, forgotten)
		}
	}
	return sets, err
}

func (wr *writer) agedSamples(ctx context.Context, c retentionClocks, keep Keep) (sets []aged, err error) {
	all := aged{form: "aged_samples", note: "note_aged_samples", noted: "noted_samples"}
	if some, err := wr.bound(ctx, &all, c, keep.Samples); !some {
		return nil, err
	}
	for _, t := range []*aggregate.Table{aggregate.EngineSamples, aggregate.StepRuns, aggregate.GPUSamples, aggregate.NodeSamples, aggregate.KubeSamples} {
		a := all
		a.table = t.Name
		sets = append(sets, a)
	}
	return sets, nil
}

// agedWindows go only as far as the next level has taken them in.
func (wr *writer) agedWindows(ctx context.Context, c retentionClocks, keep Keep) (sets []aged, err error) {
	for i, age := range keep.Windows {
		all := aged{level: Levels[i], form: "aged_windows", note: "note_aged_windows"}
		if some, err := wr.bound(ctx, &all, c, age); err != nil {
			return nil, err
		} else if !some {
			continue
		}
		for _, s := range seriesTables {
			taken, err := wr.rollupPosition(ctx, s, Levels[i+1])
			if err != nil {
				return nil, err
			}
			a := all
			a.table, a.noted, a.until = s.table.Name, s.noted, min(all.until, taken)
			sets = append(sets, a)
		}
	}
	return sets, nil
}
