package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Runner runs jobs, one at a time.
type Runner struct {
	House      House
	Deliveries []Delivery
	Attached   map[string]Attachment
	Log        *slog.Logger
	Now        func() time.Time  // nil: the clock's
	Passed     func(step string) // is told each step of a run that is done; nil: nobody

	mu sync.Mutex // one run at a time
}

// Attachment makes a file that is no report: it is named, and says the same as of one seal.
type Attachment func(ctx context.Context, seal string, p Period) (File, error)

// Steps of a run, after each of which a process may die and nothing be lost or doubled.
const (
	Began     = "job_began"     // the history says that it runs
	Sealed    = "job_sealed"    // the period is sealed
	Drawn     = "job_drawn"     // all files are made, none is written
	Writing   = "job_writing"   // one file is written, in a folder that nobody looks into
	Written   = "job_written"   // all are, in that folder
	Delivered = "job_delivered" // they are in their place, the history does not know
	Booked    = "job_booked"    // the lines of the statement are kept, the history does not know
)

// Steps are all steps.
var Steps = []string{Began, Sealed, Drawn, Writing, Written, Delivered, Booked}

// ErrEarly says that a period is not complete yet.
var ErrEarly = errors.New("the period is not complete yet")

func (r *Runner) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}

func (r *Runner) passed(step string) {
	if r.Passed != nil {
		r.Passed(step)
	}
}

// Run makes one period, whether it is due or made already; one that was made is the same again.
func (r *Runner) Run(ctx context.Context, j Job, period string) (Run, error) {
	p, err := r.plan(j)
	if err != nil {
		return Run{}, err
	}
	of, err := p.Period.parse(period, p.zone)
	if err != nil {
		return Run{}, fmt.Errorf("the job %s: %w", j.Name, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	past, err := r.history(ctx, j.Name)
	if err != nil {
		return Run{}, err
	}
	return r.run(ctx, p, of, past[of.Name])
}

// plan checks a job, and that its attachments are known.
func (r *Runner) plan(j Job) (planned, error) {
	p, err := j.plan()
	for _, name := range j.Attach {
		if _, ok := r.Attached[name]; !ok && err == nil {
			err = fmt.Errorf("the job %s: there is nothing to attach named %q", j.Name, name)
		}
	}
	return p, err
}

// run makes one period and keeps what became of it.
func (r *Runner) run(ctx context.Context, p planned, of Period, past Run) (Run, error) {
	run := Run{Job: p.Name, Period: of.Name, From: of.From, To: of.To, State: running, Attempts: past.Attempts + 1, Seal: p.Name + "." + of.Name}
	if err := r.complete(ctx, p, of); err != nil {
		return run, err
	}
	if past.State == done {
		run.State = done
		return run, r.publish(ctx, p, of, &run) // again: what is done stays so, whatever comes of it
	}
	if err := r.note(ctx, p, run); err != nil {
		return run, err
	}
	r.passed(Began)
	err := r.publish(ctx, p, of, &run)
	if ctx.Err() != nil {
		return run, ctx.Err() // told to stop: the next start goes on
	}
	run.State = done
	if err != nil {
		run.State, run.Error, run.Files = failed, err.Error(), nil
	}
	return run, errors.Join(err, r.note(ctx, p, run))
}

// complete refuses a period of which something may be missing.
func (r *Runner) complete(ctx context.Context, p planned, of Period) error {
	needed := of.To.Add(p.Grace)
	settled, err := r.House.Settle(ctx, needed)
	if err != nil {
		return fmt.Errorf("cannot see whether %s is complete: %w", of.Name, err)
	}
	if settled.Before(needed) {
		return fmt.Errorf("%w: %s needs what happened until %s UTC, and it is known until %s (report completeness)", ErrEarly, of, needed.Format(time.DateTime), knownUntil(settled))
	}
	return nil
}

func knownUntil(t time.Time) string {
	if t.IsZero() {
		return "no time at all"
	}
	return t.UTC().Format(time.DateTime)
}

// publish seals, draws, delivers and books.
func (r *Runner) publish(ctx context.Context, p planned, of Period, run *Run) error {
	if err := r.House.Seal(ctx, run.Seal, of.From, of.To); err != nil {
		return err
	}
	r.passed(Sealed)
	made, files, err := r.make(ctx, p, of, run)
	if err != nil {
		return err
	}
	r.passed(Drawn)
	for _, f := range files {
		run.Files = append(run.Files, f.Name)
	}
	for _, d := range r.Deliveries {
		if err := d.Deliver(ctx, Publication{Job: p.Name, Period: of.Name, Output: p.Output, Files: files}); err != nil {
			return err
		}
	}
	r.passed(Delivered)
	if err := r.book(ctx, p, of, run.Seal, made); err != nil {
		return err
	}
	r.passed(Booked)
	return nil
}

// make draws what is published. Where that cannot be, and never was, the seal is taken back: what is put right later must be seen
// by the next attempt.
func (r *Runner) make(ctx context.Context, p planned, of Period, run *Run) (made drawing, files []File, err error) {
	if made, err = r.draw(ctx, p, of, run.Seal); err == nil {
		files, err = made.files(p, of, run.Seal)
	}
	if err != nil && run.State == running && ctx.Err() == nil {
		err = errors.Join(err, r.House.Unseal(ctx, run.Seal))
	}
	return made, files, err
}
