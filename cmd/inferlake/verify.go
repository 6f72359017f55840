package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
	"github.com/inferlake/inferlake/warehouse"
)

// verifyCommand checks the warehouse, or a file that was exported.
type verifyCommand struct {
	Warehouse verifyWarehouse    `cmd:"" default:"withargs" help:"Check the invariants on the warehouse."`
	Focus     verifyFocusCommand `cmd:"" help:"Check a file of FOCUS rows by every rule, and name rule, row, column and value of what is refused."`
}

type verifyWarehouse struct {
	Refold bool          `help:"Also fold the log again from its start, under the recorded decisions, and compare every view (I1). No serve may run."`
	Kafka  kafkaSettings `embed:""`
	Fold   foldSettings  `embed:"" prefix:"fold-"`
}

func (c *verifyWarehouse) Run(ctx context.Context, p program, log *slog.Logger, data folder) error {
	h, done, err := data.open(ctx, log)
	if err != nil {
		return err
	}
	defer done()
	v, err := h.verify(ctx, none{})
	if err != nil {
		return err
	}
	fmt.Fprint(p.stdout, v.Text)
	if c.Refold {
		same, err := c.refold(ctx, p, h, data, log)
		if err != nil {
			return err
		}
		v.Held = v.Held && same
	}
	if !v.Held {
		return errBroken
	}
	return nil
}

// refold folds the log again into a warehouse of its own and compares the views.
func (c *verifyWarehouse) refold(ctx context.Context, p program, h house, data folder, log *slog.Logger) (same bool, err error) {
	local, ok := h.(*localHouse)
	if !ok {
		return false, errors.New("serve is running: stop it before folding again")
	}
	if removed, err := local.Query(ctx, "FROM v1.retention LIMIT 1", nil); err != nil || len(removed.Rows) > 0 {
		return false, errors.Join(err, errors.New("retention has removed rows that the log folded again may have (SELECT * FROM v1.retention): the two cannot be compared"))
	}
	recorded, err := local.Ledger(ctx)
	if err != nil {
		return false, err
	}
	broker, err := c.Kafka.open(ctx, data, embedded.Options{})
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, broker.Close()) }()
	dir, err := os.MkdirTemp(string(data), "refold-")
	if err != nil {
		return false, fmt.Errorf("cannot make a place to fold again: %w", err)
	}
	defer os.RemoveAll(dir)
	fresh, err := warehouse.Open(ctx, dir, warehouse.Options{Log: log})
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, fresh.Close()) }()
	bar := p.progress("folding again", "events")
	total := newTotals()
	pipe := &pipeline{house: fresh, kafka: broker.Config, rules: c.Fold.rules(), log: log,
		observe: func(done stream.Committed) { bar.Set(total.add(done)) }}
	if err := errors.Join(pipe.refold(ctx, recorded), bar.Finish()); err != nil {
		return false, err
	}
	return compare(ctx, p, local.Warehouse, fresh)
}

// compare prints whether two warehouses show the same.
func compare(ctx context.Context, p program, a, b *warehouse.Warehouse) (same bool, err error) {
	have, err := fingerprints(ctx, a)
	if err != nil {
		return false, err
	}
	again, err := fingerprints(ctx, b)
	if err != nil {
		return false, err
	}
	rows := int64(0)
	for _, f := range have {
		rows += f.rows
	}
	differ := differences(have, again)
	word := "held  "
	if len(differ) > 0 {
		word = "BROKEN"
	}
	fmt.Fprintf(p.stdout, "%s  I1: the log folded again gives the same rows.\n        %d of %d views with %d rows are the same\n", word, len(have)-len(differ), len(have), rows)
	for _, d := range differ {
		fmt.Fprintln(p.stdout, "        "+d)
	}
	return len(differ) == 0, nil
}
