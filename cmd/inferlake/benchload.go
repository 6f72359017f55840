package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow/memory/mallocator"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/cmd/inferlake/workload"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/warehouse"
)

type benchLoad struct {
	benchSettings
	Rows int64 `help:"Rows of requests a commit." default:"491520"`
	Runs int   `help:"Commits that are measured, each beside a CREATE TABLE AS of the same rows." default:"5"`
}

// loadFigures are what the benchmark measured.
type loadFigures struct {
	Benchmark string `json:"benchmark"`
	Rows      int64  `json:"rows"`
	Columns   int64  `json:"columns"`
	Cores     int    `json:"cores"`
	Commit    spread `json:"commit_rows_per_second"`
	CommitCPU spread `json:"commit_cpu_ns_per_row"`
	Create    spread `json:"create_table_as_rows_per_second"`
	CreateCPU spread `json:"create_table_as_cpu_ns_per_row"`
	Ratio     spread `json:"commit_rate_of_create_rate"`
	Checked   string `json:"checked"`
}

func (c *benchLoad) Run(ctx context.Context, p program, log *slog.Logger) (err error) {
	dir, err := os.MkdirTemp("", "inferlake-bench-")
	if err != nil {
		return fmt.Errorf("cannot make a place for the benchmark: %w", err)
	}
	defer os.RemoveAll(dir)
	house, err := warehouse.Open(ctx, filepath.Join(dir, "house"), warehouse.Options{Log: log, Threads: c.Cores})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, house.Close()) }()
	yard, err := warehouse.NewYardstick(ctx, filepath.Join(dir, "yardstick.duckdb"), c.Cores)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, yard.Close()) }()
	rows, output := endedRequests(c.Rows)
	defer rows.Batch.Release()
	f := loadFigures{Benchmark: "duckdb-load", Rows: rows.Batch.NumRows(), Columns: rows.Batch.NumCols(), Cores: c.Cores,
		Checked: "rows and output tokens of all commits"}
	end, err := c.begin()
	if err != nil {
		return err
	}
	defer end()
	if err := c.measure(ctx, house, yard, rows, &f); err != nil {
		return err
	}
	if err := c.check(ctx, house, f.Rows, output); err != nil {
		return err
	}
	return c.print(p, f)
}

// endedRequests are rows as the fold makes them, outside of Go's heap, and their output tokens.
func endedRequests(n int64) (rows aggregate.TableRows, output int64) {
	fold := aggregate.NewFold(stream.TopicPartition{Topic: stream.TopicRequests}, aggregate.Rules{}, mallocator.NewMallocator())
	defer fold.Close()
	load := workload.New(workload.Options{})
	var e stream.Event
	for i := range n {
		_, tokens := load.Tokens(i)
		output += tokens
		for m := range workload.Moments {
			load.Moment(&e, i, m, false)
			fold.Apply(&e, stream.Position{Offset: i, Index: int32(m)})
		}
	}
	d := fold.Cut()
	for _, t := range d.Rows {
		if t.Table == aggregate.Requests {
			rows = t
			continue
		}
		t.Batch.Release()
	}
	return rows, output
}

// measure commits and creates by turns.
func (c *benchLoad) measure(ctx context.Context, house *warehouse.Warehouse, yard *warehouse.Yardstick, rows aggregate.TableRows, f *loadFigures) error {
	tp := stream.TopicPartition{Topic: stream.TopicRequests}
	lease, err := house.Acquire(ctx, tp, "bench")
	if err != nil {
		return err
	}
	var commit, commitCPU, create, createCPU, ratio []float64
	for i := range int64(c.Runs) {
		watch := startWatch()
		answer, err := house.Commit(ctx, stream.Batch[aggregate.Delta]{Partition: tp, Generation: lease.Generation, Seq: i + 1, From: i, To: i + 1,
			Rules: "bench", Delta: aggregate.Delta{Rows: []aggregate.TableRows{rows}}})
		committed := watch.read()
		if err != nil || answer != stream.Applied {
			return errors.Join(err, fmt.Errorf("the commit was not applied: %v", answer))
		}
		watch = startWatch()
		if err := yard.Create(ctx, rows); err != nil {
			return err
		}
		created := watch.read()
		commit, commitCPU = append(commit, committed.perSecond(f.Rows)), append(commitCPU, committed.perEvent(f.Rows))
		create, createCPU = append(create, created.perSecond(f.Rows)), append(createCPU, created.perEvent(f.Rows))
		ratio = append(ratio, created.Wall.Seconds()/committed.Wall.Seconds())
	}
	f.Commit, f.CommitCPU, f.Create, f.CreateCPU, f.Ratio = spreadOf(commit), spreadOf(commitCPU), spreadOf(create), spreadOf(createCPU), spreadOf(ratio)
	return nil
}

func (c *benchLoad) check(ctx context.Context, house *warehouse.Warehouse, rows, output int64) error {
	n := int64(c.Runs)
	return compareRows(ctx, house, "requests", "SELECT concat_ws('|', count(*), sum(output_tokens)) FROM requests",
		[]string{fmt.Sprintf("%d|%d", n*rows, n*output)})
}

func (f loadFigures) String() string {
	return fmt.Sprintf("%s, %d cores, %d rows of %d columns a transaction\ncommit with its position: %.2f M rows/s (%.2f to %.2f), %.0f CPU-ns/row\n"+
		"CREATE TABLE AS:          %.2f M rows/s (%.2f to %.2f), %.0f CPU-ns/row\nratio %.2f (%.2f to %.2f)\nchecked: %s",
		f.Benchmark, f.Cores, f.Rows, f.Columns, f.Commit.Median/1e6, f.Commit.Least/1e6, f.Commit.Most/1e6, f.CommitCPU.Median,
		f.Create.Median/1e6, f.Create.Least/1e6, f.Create.Most/1e6, f.CreateCPU.Median, f.Ratio.Median, f.Ratio.Least, f.Ratio.Most, f.Checked)
}
