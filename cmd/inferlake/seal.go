package main

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"time"

	"github.com/inferlake/inferlake/sql"
	"github.com/inferlake/inferlake/warehouse"
)

// sealCommand seals, lists and drops.
type sealCommand struct {
	Make sealMake `cmd:"" default:"withargs" help:"Seal a period as the warehouse has it now."`
	List sealList `cmd:"" help:"Print the seals (report seals)."`
	Drop sealDrop `cmd:"" help:"Take a seal back, and what was kept for it alone."`
}

type sealMake struct {
	Name string `arg:"" help:"Name of the seal, like 2026-11."`
	From string `required:"" help:"Start of the period, UTC, inclusive." placeholder:"TIME"`
	To   string `required:"" help:"End of the period, UTC, exclusive." placeholder:"TIME"`
}

type sealList struct {
	Format string `help:"table, json, csv or markdown." enum:"table,json,csv,markdown" default:"table"`
}

type sealDrop struct {
	Name string `arg:"" help:"Name of the seal."`
}

// sealQuestion asks for a seal, sealName names one, and sealed says what was sealed.
type (
	sealQuestion struct {
		Name string    `json:"name"`
		From time.Time `json:"from"`
		To   time.Time `json:"to"`
	}
	sealName struct {
		Name string `json:"name"`
	}
	sealed struct {
		Commit  int64 `json:"commit"`
		Settled bool  `json:"settled"` // nothing of the period is known to be missing
	}
)

func (c *sealMake) Run(ctx context.Context, p program, log *slog.Logger, data folder) error {
	q, err := c.question()
	if err != nil {
		return err
	}
	h, done, err := data.open(ctx, log)
	if err != nil {
		return err
	}
	defer done()
	s, err := h.seal(ctx, q)
	if err != nil {
		return err
	}
	if !s.Settled {
		fmt.Fprintf(p.stderr, "%s was sealed before its end was settled (report completeness): what comes later are corrections\n", q.Name)
	}
	_, err = fmt.Fprintf(p.stdout, "sealed %s: %s to %s UTC as of commit %d\n", q.Name, q.From.Format(time.DateTime), q.To.Format(time.DateTime), s.Commit)
	return err
}

var sealNames = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

func (c *sealMake) question() (q sealQuestion, err error) {
	if !sealNames.MatchString(c.Name) {
		return q, fmt.Errorf("a seal cannot be named %q: letters, digits, dots, dashes and underscores make a name", c.Name)
	}
	q.Name = c.Name
	if q.From, err = sealTime("from", c.From); err != nil {
		return q, err
	}
	if q.To, err = sealTime("to", c.To); err != nil {
		return q, err
	}
	if !q.From.Before(q.To) {
		return q, fmt.Errorf("cannot seal a period that ends at %s, before it begins", c.To)
	}
	return q, nil
}

func sealTime(flag, text string) (time.Time, error) {
	t, err := sql.ParseTime(text)
	if err != nil {
		return t, fmt.Errorf("--%s cannot be %q: it takes a time like 2026-01-31 or 2026-01-31T12:00:00Z (UTC)", flag, text)
	}
	return t, nil
}

func (c *sealList) Run(ctx context.Context, p program, log *slog.Logger, data folder) error {
	report := reportCommand{Name: "seals", Format: c.Format}
	return report.Run(ctx, p, log, data)
}

func (c *sealDrop) Run(ctx context.Context, log *slog.Logger, data folder) error {
	h, done, err := data.open(ctx, log)
	if err != nil {
		return err
	}
	defer done()
	_, err = h.dropSeal(ctx, sealName{c.Name})
	return err
}

func (h *localHouse) seal(ctx context.Context, q sealQuestion) (sealed, error) {
	s, err := h.Seal(ctx, warehouse.Seal{Name: q.Name, From: q.From, To: q.To, Hash: sql.Version()})
	if err != nil {
		return sealed{}, err
	}
	r, err := h.QueryAt(ctx, q.Name, "SELECT coalesce(settled_through >= $until, false) FROM v1.horizon", map[string]any{"until": q.To})
	if err != nil {
		return sealed{}, err
	}
	return sealed{s.Commit, r.Rows[0][0] == true}, nil
}

func (h *localHouse) dropSeal(ctx context.Context, name sealName) (none, error) {
	return none{}, h.DropSeal(ctx, name.Name)
}

// sealOf looks up the seals that a question names. As of a seal a report is of its period, unless the question says
// another; note says that the report may not say what was published.
func (h *localHouse) sealOf(ctx context.Context, report sql.Report, q *reportQuestion) (note string, err error) {
	if name := q.Params["seal"]; name != "" {
		if _, err := h.FindSeal(ctx, name); err != nil {
			return "", err
		}
	}
	if q.AsOf == "" {
		return "", nil
	}
	s, err := h.FindSeal(ctx, q.AsOf)
	if err != nil {
		return "", err
	}
	period := map[string]string{"from": s.From.Format(time.RFC3339Nano), "to": s.To.Format(time.RFC3339Nano)}
	for _, p := range report.Params {
		if text, ok := period[p.Name]; ok && q.Params[p.Name] == "" {
			if q.Params == nil {
				q.Params = map[string]string{}
			}
			q.Params[p.Name] = text
		}
	}
	if s.Hash != sql.Version() {
		note = fmt.Sprintf("%s was sealed by another version of the reports: this one may say something else", q.AsOf)
	}
	return note, nil
}
