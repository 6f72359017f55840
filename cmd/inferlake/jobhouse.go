package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/inferlake/inferlake/jobs"
	"github.com/inferlake/inferlake/jobs/focus"
	"github.com/inferlake/inferlake/jobs/render"
	"github.com/inferlake/inferlake/sql"
	"github.com/inferlake/inferlake/stream/fault"
	"github.com/inferlake/inferlake/warehouse"
)

// jobHouse is the warehouse as jobs need it.
type jobHouse struct{ *localHouse }

// newRunner runs jobs on the warehouse that this process has open.
func newRunner(h *localHouse, log *slog.Logger) *jobs.Runner {
	files := jobs.Files{Output: filepath.Join(string(h.data), "reports"), Passed: fault.Point}
	return &jobs.Runner{House: jobHouse{h}, Deliveries: []jobs.Delivery{files}, Attached: attachments(h), Log: log, Passed: fault.Point}
}

// attachments are what a job can have besides reports, by name.
func attachments(h *localHouse) map[string]jobs.Attachment {
	return map[string]jobs.Attachment{"focus": h.attachFocus}
}

// attachFocus is the period's rows of FOCUS, by tenant, once they hold to every rule.
func (h *localHouse) attachFocus(ctx context.Context, seal string, _ jobs.Period) (jobs.File, error) {
	export := exportFocus{By: "tenant", Rows: "all", Account: "inferlake", Provider: "own", AsOf: seal}
	out, err := h.report(ctx, export.question())
	if err != nil {
		return jobs.File{}, err
	}
	result, err := focus.Verify(bytes.NewReader(out.Content))
	if err == nil && len(result.Refusals) > 0 {
		err = fmt.Errorf("its rows break %d rules of FOCUS, the first is %v", len(result.Refusals), result.Refusals[0])
	}
	return jobs.File{Name: "focus.csv", Content: out.Content}, err
}

// Settle attributes only when it may be enough: that takes longer than looking.
func (h jobHouse) Settle(ctx context.Context, enough time.Time) (settled time.Time, err error) {
	settled, err = h.completeThrough(ctx, "", sql.Report{Horizon: sql.HorizonSettled})
	if err != nil || settled.Before(enough) {
		return settled, err
	}
	return settled, attribute(ctx, h.Warehouse, false)
}

// Seal leaves a seal of another version of the reports as it is: an attempt that was cut short goes on after an upgrade.
func (h jobHouse) Seal(ctx context.Context, name string, from, to time.Time) error {
	if s, err := h.FindSeal(ctx, name); err == nil && s.From.Equal(from) && s.To.Equal(to) {
		return nil
	}
	_, err := h.Warehouse.Seal(ctx, warehouse.Seal{Name: name, From: from, To: to, Hash: sql.Version()})
	return err
}

func (h jobHouse) Unseal(ctx context.Context, name string) error { return h.DropSeal(ctx, name) }

// AsOf lends the warehouse as of a seal.
func (h jobHouse) AsOf(ctx context.Context, seal string, read func(jobs.Reading) error) error {
	return h.Warehouse.AsOf(ctx, seal, func(a warehouse.AsOf) error { return read(jobReading{a, h.data}) })
}

// jobReading draws reports as of a seal.
type jobReading struct {
	warehouse.AsOf
	data folder
}

func (h jobReading) Table(ctx context.Context, r sql.Report, arguments []sql.Argument) (render.Table, error) {
	result, err := h.Query(ctx, r.Query, named(arguments))
	if err != nil {
		return render.Table{}, err
	}
	return tableOf(result, r, arguments), nil
}

func (h jobReading) Parquet(ctx context.Context, r sql.Report, arguments []sql.Argument) ([]byte, error) {
	dir, err := os.MkdirTemp(string(h.data), "export-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a place for the Parquet file: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "report.parquet")
	if err := h.CopyParquet(ctx, r.Query, named(arguments), file); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}
