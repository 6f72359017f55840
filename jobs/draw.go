package jobs

import (
	"context"
	"fmt"
	"slices"

	"github.com/inferlake/inferlake/jobs/render"
)

// drawing is all that a run makes, before it is written in formats.
type drawing struct {
	reports  []drawnReport
	attached []File
}

// drawnReport is a report of a period, and what of it differs from the period before.
type drawnReport struct {
	plannedReport
	table      render.Table
	difference *render.Table // nil: nothing is compared
	parquet    []byte        // nil: not asked for
}

// draw reads all reports as of the seal, and refuses a statement that does not balance.
func (r *Runner) draw(ctx context.Context, p planned, of Period, seal string) (made drawing, err error) {
	for _, report := range p.reports {
		d, err := r.drawReport(ctx, p, of, seal, report)
		if err != nil {
			return made, fmt.Errorf("cannot make the report %s of %s: %w", report.as, of.Name, err)
		}
		made.reports = append(made.reports, d)
	}
	for _, name := range p.Attach {
		file, err := r.Attached[name](ctx, seal, of)
		if err != nil {
			return made, fmt.Errorf("cannot make %s of %s: %w", name, of.Name, err)
		}
		made.attached = append(made.attached, file)
	}
	return made, nil
}

func (r *Runner) drawReport(ctx context.Context, p planned, of Period, seal string, report plannedReport) (d drawnReport, err error) {
	d.plannedReport = report
	args, err := report.arguments(p.Name, of)
	if err != nil {
		return d, err
	}
	if d.table, err = r.House.Table(ctx, seal, report.Report, args); err != nil {
		return d, err
	}
	if err := balanced(report.Report, d.table); err != nil {
		return d, err
	}
	if slices.Contains(p.Formats, "parquet") {
		if d.parquet, err = r.House.Parquet(ctx, seal, report.Report, args); err != nil {
			return d, err
		}
	}
	if len(report.compare) == 0 {
		return d, nil
	}
	return d, r.compare(ctx, p, of, seal, &d)
}

// compare sets the report of the period before against this one, both as of the same seal.
func (r *Runner) compare(ctx context.Context, p planned, of Period, seal string, d *drawnReport) error {
	args, err := d.arguments(p.Name, of.Before())
	if err != nil {
		return err
	}
	before, err := r.House.Table(ctx, seal, d.Report, args)
	if err != nil {
		return fmt.Errorf("the period before: %w", err)
	}
	t, err := difference(d.table, before, d.compare)
	t.Title = fmt.Sprintf("%s: %s against %s", d.table.Title, of.Name, of.Before().Name)
	d.difference = &t
	return err
}
