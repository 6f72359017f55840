package warehouse

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream/fault"

	text "github.com/inferlake/inferlake/sql"
)

// Levels are the lengths of windows in seconds; each but the first sums the one before. 900 divides every time zone's
// offset.
var Levels = []int64{10, 60, 900, 86400}

// series is a table of windows: additive deltas under a key.
type series struct {
	table *aggregate.Table
	key   string // its dimensions, as SQL
	sums  string // what is summed, as SQL
	sum   string // name of the statement that sums deltas
	noted string // name of the sums that retention notes of rows that it removes
}

var seriesTables = []series{
	seriesOf(aggregate.RequestWindows, aggregate.Measures[0].Name, "sum_windows", "noted_request_windows"),
	seriesOf(aggregate.RequestSketch, "n", "sum_request_sketches", "noted_sketches"),
	seriesOf(aggregate.EngineWindows, "samples", "sum_windows", "noted_sample_windows"),
	seriesOf(aggregate.GPUWindows, "samples", "sum_windows", "noted_sample_windows"),
	seriesOf(aggregate.NodeWindows, "samples", "sum_windows", "noted_sample_windows"),
	seriesOf(aggregate.KubeWindows, "samples", "sum_windows", "noted_sample_windows"),
}

// seriesOf cuts a table's columns behind the window's into the key and, from the first that is summed, the sums.
func seriesOf(t *aggregate.Table, firstSum, statement, noted string) series {
	dims := t.Columns[2:]
	first := slices.IndexFunc(dims, func(c aggregate.Column) bool { return c.Name == firstSum })
	var key, sums []string
	for _, c := range dims[:first] {
		key = append(key, text.Name(c.Name))
	}
	for _, c := range dims[first:] {
		sums = append(sums, sumOf(c))
	}
	return series{t, strings.Join(key, ", "), strings.Join(sums, ", "), statement, noted}
}

// sumOf merges a column of deltas, as SQL. A sum is of 128 bits; the column may have but 64.
func sumOf(c aggregate.Column) string {
	merged := c.Sum() + "(" + text.Name(c.Name) + ")"
	if c.Type == aggregate.BigInt && c.Sum() == "sum" {
		return "v1.bigint(" + merged + ")"
	}
	return merged
}

// span is a range of commits of one level of a series.
type span struct {
	series
	level        int64
	after, until int64
}

// statement fills a statement about the span.
func (s span) statement(name string, more ...string) string {
	return text.Statement(name, append([]string{
		"sum", text.Statement(s.sum), "key", s.key, "sums", s.sums, "table", text.Name(s.table.Name), "columns", columns(s.table), "level", strconv.FormatInt(s.level, 10),
		"after", strconv.FormatInt(s.after, 10), "until", strconv.FormatInt(s.until, 10),
		"length", strconv.FormatInt(s.level*int64(time.Second), 10)}, more...)...)
}

// Rollup takes the deltas that each level has not seen into it, in a transaction with the levels' positions; where they are many, a
// part of them in each of several. Without new deltas it does nothing.
func (w *Warehouse) Rollup(ctx context.Context) error {
	return untilDone(func() (more bool, err error) {
		err = w.writer.do(ctx, func(ctx context.Context) error {
			more, err = w.writer.rollupSome(ctx)
			return err
		})
		return more, err
	})
}

// rollup takes in all at once.
func (wr *writer) rollup(ctx context.Context) error {
	return untilDone(func() (bool, error) { return wr.rollupSome(ctx) })
}

// untilDone calls f as long as it says that there is more to do.
func untilDone(f func() (more bool, err error)) error {
	for {
		if more, err := f(); !more || err != nil {
			return err
		}
	}
}

// rollupSome takes in as many deltas as one transaction should, and says whether there may be more.
func (wr *writer) rollupSome(ctx context.Context) (more bool, err error) {
	behind, err := wr.behind(ctx)
	if behind {
		err = wr.numbered(ctx, func(commit int64) (rows int64, batches int, err error) {
			for _, s := range seriesTables {
				n, err := wr.rollupSeries(ctx, s, commit)
				if err != nil {
					return 0, 0, fmt.Errorf("%s: %w", s.table.Name, err)
				}
				rows += n
			}
			return rows, 0, nil
		})
	}
	if err != nil {
		return false, fmt.Errorf("cannot roll up windows: %w", err)
	}
	return behind, nil
}

// behind says whether some level has deltas to take in.
func (wr *writer) behind(ctx context.Context) (bool, error) {
	for _, s := range seriesTables {
		for i, level := range Levels[1:] {
			after, err := wr.rollupPosition(ctx, s, level)
			if err != nil {
				return false, err
			}
			var deltas int64
			query := span{s, level, after, wr.commit}.statement("count_deltas", "below", strconv.FormatInt(Levels[i], 10))
			if err := wr.conn.QueryRowContext(ctx, query).Scan(&deltas); err != nil {
				return false, fmt.Errorf("cannot count the deltas of %s: %w", s.table.Name, err)
			}
			if deltas > 0 {
				return true, nil
			}
		}
	}
	return false, nil
}

// rollupSeries sums level by level: a level takes in what the one below has just got.
func (wr *writer) rollupSeries(ctx context.Context, s series, commit int64) (rows int64, err error) {
	for i, level := range Levels[1:] {
		after, err := wr.rollupPosition(ctx, s, level)
		if err != nil {
			return 0, err
		}
		until, err := wr.enough(ctx, span{s, level, after, commit}, Levels[i])
		if err != nil {
			return 0, err
		}
		query := span{s, level, after, until}.statement("rollup",
			"below", strconv.FormatInt(Levels[i], 10), "commit", strconv.FormatInt(commit, 10))
		result, err := wr.conn.ExecContext(ctx, query)
		if err != nil {
			return 0, fmt.Errorf("cannot sum level %d: %w", level, err)
		}
		added, err := result.RowsAffected()
		if err != nil {
			return 0, err
		}
		rows += added
		fault.Point(fault.InRollup)
		if err := wr.exec(ctx, "insert_rollup_position", s.table.Name, level); err != nil {
			return 0, err
		}
		if err := wr.exec(ctx, "move_rollup_position", s.table.Name, level, until); err != nil {
			return 0, err
		}
	}
	return rows, nil
}

// enough is the commit of the span through which the level below has as many deltas as are summed at once: their sums must fit in
// memory.
func (wr *writer) enough(ctx context.Context, s span, below int64) (until int64, err error) {
	query := s.statement("commit_of_delta", "below", strconv.FormatInt(below, 10), "most", strconv.FormatInt(wr.summedRows, 10))
	if err := wr.conn.QueryRowContext(ctx, query).Scan(&until); err != nil {
		return 0, fmt.Errorf("cannot count the deltas of %s: %w", s.table.Name, err)
	}
	return until, nil
}

func (wr *writer) rollupPosition(ctx context.Context, s series, level int64) (commit int64, err error) {
	err = wr.conn.QueryRowContext(ctx, text.Statement("rollup_position"), s.table.Name, level).Scan(&commit)
	if err != nil {
		err = fmt.Errorf("cannot read the position of level %d of %s: %w", level, s.table.Name, err)
	}
	return commit, err
}
