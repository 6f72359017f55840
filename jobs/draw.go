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
	err = r.House.AsOf(ctx, seal, func(house Reading) error {
		for _, report := range p.reports {
			d, err := p.drawReport(ctx, house, of, report)
			if err != nil {
				return fmt.Errorf("cannot make the report %s of %s: %w", report.as, of.Name, err)
			}
			made.reports = append(made.reports, d)
		}
		return nil
	})
	if err != nil {
		return made, err
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

func (p planned) drawReport(ctx context.Context, house Reading, of Period, report plannedReport) (d drawnReport, err error) {
	d.plannedReport = report
	args, err := report.arguments(p.Name, of)
	if err != nil {
		return d, err
	}
	if d.table, err = house.Table(ctx, report.Report, args); err != nil {
		return d, err
	}
	if err := balanced(report.Report, d.table); err != nil {
		return d, err
	}
	if slices.Contains(p.Formats, "parquet") {
		if d.parquet, err = house.Parquet(ctx, report.Report, args); err != nil {
			return d, err
		}
	}
	if len(report.compare) == 0 {
		return d, nil
	}
	d.difference, err = p.compare(ctx, house, of, &d)
	return d, err
}

// compare sets the report of the period before against this one, both as of the same seal.
func (p planned) compare(ctx context.Context, house Reading, of Period, d *drawnReport) (*render.Table, error) {
	args, err := d.arguments(p.Name, of.Before())
	if err != nil {
		return nil, err
	}
	before, err := house.Table(ctx, d.Report, args)
	if err != nil {
		return nil, fmt.Errorf("the period before: %w", err)
	}
	t, err := difference(d.table, before, d.compare)
	t.Title = fmt.Sprintf("%s (%s): %s against %s", d.table.Title, d.as, of.Name, of.Before().Name)
	return &t, err
}
