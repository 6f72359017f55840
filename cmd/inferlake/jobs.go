package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"gopkg.in/yaml.v3"

	"github.com/inferlake/inferlake/jobs"
	"github.com/inferlake/inferlake/jobs/render"
)

// jobsCommand looks at the schedule and runs jobs by hand. A running serve answers by its own configuration.
type jobsCommand struct {
	List jobsList `cmd:"" help:"Print the jobs, their schedules and how they last went."`
	Next jobsNext `cmd:"" help:"Print which period each job makes next, when, and what must be known by then."`
	Run  jobsRun  `cmd:"" help:"Make a period's files, due or not. A period that was made is the same again."`
}

type (
	jobsList struct{}
	jobsNext struct{}
	jobsRun  struct {
		Name   string `arg:"" help:"Name of the job."`
		Period string `required:"" help:"Period, like 2026-11-30, 2026-W48 or 2026-11." placeholder:"PERIOD"`
	}
)

// jobQuestion asks for the list (no name), or for a run.
type jobQuestion struct {
	Name   string `json:"name"`
	Period string `json:"period"`
	Next   bool   `json:"next"` // the list of what comes next
}

func (c *jobsList) Run(ctx context.Context, p program, s settings, log *slog.Logger, data folder) error {
	return askJobs(ctx, p, s, log, data, jobQuestion{})
}

func (c *jobsNext) Run(ctx context.Context, p program, s settings, log *slog.Logger, data folder) error {
	return askJobs(ctx, p, s, log, data, jobQuestion{Next: true})
}

func (c *jobsRun) Run(ctx context.Context, p program, s settings, log *slog.Logger, data folder) error {
	return askJobs(ctx, p, s, log, data, jobQuestion{Name: c.Name, Period: c.Period})
}

func askJobs(ctx context.Context, p program, s settings, log *slog.Logger, data folder, q jobQuestion) error {
	h, done, err := data.open(ctx, log)
	if err != nil {
		return err
	}
	defer done()
	if local, ok := h.(*localHouse); ok {
		local.schedule(s.Jobs, log)
	}
	out, err := h.jobs(ctx, q)
	if err != nil {
		return err
	}
	_, err = p.stdout.Write(out.Content)
	return err
}

// schedule tells a house which jobs there are.
func (h *localHouse) schedule(configured jobList, log *slog.Logger) {
	h.planned, h.runner = jobs.Shipped(configured), newRunner(h, log)
}

func (h *localHouse) jobs(ctx context.Context, q jobQuestion) (page, error) {
	if q.Name != "" {
		return h.runJob(ctx, q)
	}
	next, err := h.runner.Next(ctx, h.planned)
	if err != nil {
		return page{}, err
	}
	table := listOfJobs(next)
	if q.Next {
		table = listOfNext(next)
	}
	return draw(table, reportQuestion{Format: "table", Width: listWidth * 2})
}

func (h *localHouse) runJob(ctx context.Context, q jobQuestion) (page, error) {
	i := slices.IndexFunc(h.planned, func(j jobs.Job) bool { return j.Name == q.Name })
	if i < 0 {
		return page{}, fmt.Errorf("there is no job %q: inferlake jobs list shows them", q.Name)
	}
	run, err := h.runner.Run(ctx, h.planned[i], q.Period)
	if err != nil {
		return page{}, err
	}
	return page{Content: fmt.Appendf(nil, "made %s of %s: %s to %s UTC, as of the seal %s: %s\n", run.Period, run.Job,
		run.From.Format(time.DateTime), run.To.Format(time.DateTime), run.Seal, strings.Join(run.Files, ", "))}, nil
}

func (h *remoteHouse) jobs(ctx context.Context, q jobQuestion) (page, error) {
	return ask[page](ctx, h.server, "jobs", q)
}

func listOfJobs(all []jobs.Upcoming) render.Table {
	t := textTable("Jobs", "job", "period", "schedule", "zone", "grace", "reports", "last", "state", "error")
	for _, u := range all {
		var reports []string
		for _, r := range u.Job.Reports {
			reports = append(reports, r.Name)
		}
		state := u.Last.State
		if u.Job.Off {
			state = "off"
		}
		t.Rows = append(t.Rows, []any{u.Job.Name, string(u.Job.Period), u.Job.Schedule, u.Job.Zone, u.Job.Grace.String(),
			strings.Join(slices.Compact(reports), " "), known(u.Last.Period), known(state), known(u.Last.Error)})
	}
	return t
}

func listOfNext(all []jobs.Upcoming) render.Table {
	t := textTable("What comes next, UTC", "job", "period", "from", "to", "due", "known_until")
	for _, u := range all {
		if u.Job.Off {
			continue
		}
		row := []any{u.Job.Name, u.Period.Name}
		for _, at := range []time.Time{u.Period.From, u.Period.To, u.Due, u.Needed} {
			row = append(row, at.UTC().Format("2006-01-02 15:04"))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func textTable(title string, columns ...string) render.Table {
	t := render.Table{Title: title}
	for _, name := range columns {
		t.Columns = append(t.Columns, render.Column{Name: name, Type: "VARCHAR"})
	}
	return t
}

func known(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// jobList is jobs as a configuration has them: a list under the word jobs, or a file with one.
type jobList []jobs.Job

// Decode reads the list itself, as a configuration file gives it, or the name of a file.
func (l *jobList) Decode(ctx *kong.DecodeContext) error {
	token, err := ctx.Scan.PopValue("jobs")
	if err != nil {
		return err
	}
	if path, ok := token.Value.(string); ok {
		content, err := os.ReadFile(kong.ExpandPath(path))
		if err != nil {
			return fmt.Errorf("cannot read the jobs: %w", err)
		}
		return l.read(content)
	}
	content, err := yaml.Marshal(token.Value)
	if err != nil {
		return fmt.Errorf("cannot read the jobs: %w", err)
	}
	return l.read(content)
}

// read is strict: a word that means nothing is a mistake.
func (l *jobList) read(content []byte) error {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	if err := decoder.Decode(l); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("cannot read the jobs: %w", err)
	}
	return jobs.Check(jobs.Shipped(*l))
}
