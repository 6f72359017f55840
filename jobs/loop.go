package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// firstRetry is how long after a failure the first new attempt is made; each further one waits twice as long, a day at most.
const firstRetry = 15 * time.Minute

// Loop runs what is due until ctx ends, and looks every so often. What fails is said, kept in the history and tried again.
func (r *Runner) Loop(ctx context.Context, all []Job, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := r.Tick(ctx, all); err != nil && ctx.Err() == nil {
			r.Log.Error("a scheduled job failed; it is tried again", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Tick runs what is due now, oldest period first.
func (r *Runner) Tick(ctx context.Context, all []Job) (err error) {
	for _, j := range all {
		if !j.Off && ctx.Err() == nil {
			err = errors.Join(err, r.tick(ctx, j))
		}
	}
	return err
}

// tick runs the due periods of one job. One that is not complete yet holds up those after it; one that failed does not.
func (r *Runner) tick(ctx context.Context, j Job) (failures error) {
	p, err := r.plan(j)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	past, err := r.history(ctx, j.Name)
	if err != nil {
		return err
	}
	for _, of := range p.due(r.now(), madeOf(past)) {
		if last := past[of.Name]; last.State == failed && r.now().Before(last.retryAt()) {
			continue
		}
		_, err := r.run(ctx, p, of, past[of.Name])
		if errors.Is(err, ErrEarly) || ctx.Err() != nil {
			return failures
		}
		if err != nil {
			failures = errors.Join(failures, fmt.Errorf("%s of %s: %w", j.Name, of.Name, err))
		}
	}
	return failures
}

func (r Run) retryAt() time.Time {
	wait := firstRetry
	for n := int64(1); n < r.Attempts && wait < 24*time.Hour; n++ {
		wait *= 2
	}
	return r.At.Add(min(wait, 24*time.Hour))
}

func madeOf(past map[string]Run) map[string]bool {
	made := map[string]bool{}
	for name, run := range past {
		made[name] = run.State == done
	}
	return made
}

// Upcoming is what a job does next.
type Upcoming struct {
	Job    Job
	Period Period
	Due    time.Time // when it is run at the earliest
	Needed time.Time // up to when all must be known
	Last   Run       // the newest period of the history; zero: none
}

// Next says what each job does next.
func (r *Runner) Next(ctx context.Context, all []Job) (next []Upcoming, err error) {
	for _, j := range all {
		u, err := r.upcoming(ctx, j)
		if err != nil {
			return nil, err
		}
		next = append(next, u)
	}
	return next, nil
}

func (r *Runner) upcoming(ctx context.Context, j Job) (u Upcoming, err error) {
	p, err := r.plan(j)
	if err != nil {
		return u, err
	}
	past, err := r.history(ctx, j.Name)
	if err != nil {
		return u, err
	}
	for _, run := range past {
		if run.Period > u.Last.Period {
			u.Last = run
		}
	}
	u.Job = p.Job
	if due := p.due(r.now(), madeOf(past)); len(due) > 0 {
		u.Period = due[0]
	} else {
		for u.Period = p.Period.at(r.now(), p.zone).Before(); madeOf(past)[u.Period.Name] || u.Period.Empty(); {
			u.Period = u.Period.Next()
		}
	}
	u.Due, u.Needed = p.dueAt(u.Period), u.Period.To.Add(p.Grace)
	return u, nil
}
