package main

import (
	"context"
	"encoding/json"
	"fmt"
	"syscall"

	"github.com/inferlake/inferlake/sql"
	"github.com/inferlake/inferlake/warehouse"
)

// Limits of the process that answers a query. DuckDB's own memory limit does not bound all that it takes.
const (
	queryMemory     = 4 << 30 // address space, bytes
	queryCPUSeconds = 120
)

// queryCommand is the child of sql: it limits itself, answers one question from its standard input, and ends.
type queryCommand struct{}

type queryQuestion struct {
	Snapshot string         `json:"snapshot"`
	Query    string         `json:"query"`
	Rows     int            `json:"rows"`
	Draw     reportQuestion `json:"draw"`
}

func (queryCommand) Run(ctx context.Context, p program) error {
	var q queryQuestion
	if err := json.NewDecoder(p.stdin).Decode(&q); err != nil {
		return fmt.Errorf("cannot read the question: %w", err)
	}
	for _, limit := range []struct {
		what int
		max  uint64
	}{{syscall.RLIMIT_AS, queryMemory}, {syscall.RLIMIT_CPU, queryCPUSeconds}, {syscall.RLIMIT_FSIZE, 0}, {syscall.RLIMIT_CORE, 0}} {
		if err := syscall.Setrlimit(limit.what, &syscall.Rlimit{Cur: limit.max, Max: limit.max}); err != nil {
			return fmt.Errorf("cannot limit the query's process: %w", err)
		}
	}
	result, cut, err := warehouse.QuerySnapshot(ctx, q.Snapshot, q.Query, q.Rows)
	if err != nil {
		return err
	}
	table := tableOf(result, sql.Report{}, nil)
	if cut {
		fmt.Fprintf(p.stderr, "only the first %d rows are shown; --rows shows more\n", q.Rows)
	}
	out, err := draw(table, q.Draw)
	if err != nil {
		return err
	}
	_, err = p.stdout.Write(out.Content)
	return err
}
