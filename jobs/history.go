package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/inferlake/inferlake/sql"
)

// Run is a run of a job for a period, as the history has it.
type Run struct {
	Job, Period string
	From, To    time.Time
	State       string // running, failed or done
	Attempts    int64
	At          time.Time // of the last change of its state
	Error       string
	Seal        string
	Files       []string
}

// The states of a run. One that a killed process left running is run again.
const (
	running = "running"
	failed  = "failed"
	done    = "done"
)

// history reads the runs of a job by the names of their periods.
func (r *Runner) history(ctx context.Context, job string) (map[string]Run, error) {
	rows, err := r.House.Rows(ctx, sql.Statement("job_history"), map[string]any{"job": job})
	if err != nil {
		return nil, fmt.Errorf("cannot read the history of the job %s: %w", job, err)
	}
	all := map[string]Run{}
	for _, row := range rows {
		run := Run{Job: job, Period: row["period"].(string), State: row["state"].(string), Attempts: row["attempts"].(int64), At: row["changed_at"].(time.Time)}
		run.Error, _ = row["error"].(string)
		all[run.Period] = run
	}
	return all, nil
}

// note adds a state to the history.
func (r *Runner) note(ctx context.Context, p planned, run Run) error {
	err := r.House.Put(ctx, "insert_job_run", run.Job, run.Period, run.From.UnixMicro(), run.To.UnixMicro(), p.Zone, run.State,
		run.Attempts, r.now().UnixMicro(), run.Error, run.Seal, run.Files)
	if err != nil {
		return fmt.Errorf("cannot keep that %s of %s is %s: %w", run.Job, run.Period, run.State, err)
	}
	return nil
}
