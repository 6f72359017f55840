package warehouse_test

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	text "github.com/inferlake/inferlake/sql"
)

// A kind of instance is fitted anew when there is as much new data as the last fit was made of, a day of it at most.
func TestWhenAKindIsFittedAnew(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		fit, since time.Duration // what the last fit was made of, and how much there is since
		again      bool
	}{
		{0, time.Minute, true},
		{10 * time.Minute, 9 * time.Minute, false},
		{10 * time.Minute, 10 * time.Minute, true},
		{48 * time.Hour, 23 * time.Hour, false},
		{48 * time.Hour, 24 * time.Hour, true},
	} {
		t.Run(fmt.Sprint(c.fit, " and ", c.since), func(t *testing.T) {
			db := openViews(t)
			fitted, now := begin.Add(c.fit), begin.Add(c.fit+c.since)
			stamp := func(at time.Time) string { return at.Format(time.RFC3339) }
			insertRow(t, db, "instance_events", map[string]string{"instance": "i", "boot": "b", "at": stamp(begin.Add(-time.Minute)), "state": "ready",
				"role": "engine", "model": "m", "commit": "1"})
			insertRow(t, db, "step_runs", map[string]string{"instance": "i", "role": "engine", "rank_index": "0", "at": stamp(now), "passes": "1",
				"wall_ns": "1000000", "commit": "1"})
			if c.fit > 0 {
				insertRow(t, db, "fits", map[string]string{"fit": "1", "source": "steps", "model": "m", "from_at": stamp(begin), "to_at": stamp(fitted), "commit": "1"})
			}
			insertRow(t, db, "progress", map[string]string{"topic": "t", "partition": "0", "complete_through": fmt.Sprint(now.UnixNano()),
				"settled_through": fmt.Sprint(now.UnixNano())})
			if again := hasMoments(t, db); again != c.again {
				t.Errorf("fitted anew: %v, want %v", again, c.again)
			}
		})
	}
}

// hasMoments says whether there is anything to fit to steps, of the one kind that there is: its model is m.
func hasMoments(t *testing.T, db *sql.DB) bool {
	t.Helper()
	day := (24 * time.Hour).Microseconds()
	var due sql.NullInt64
	err := db.QueryRowContext(t.Context(), "SELECT due FROM (\n"+text.Statement("fit_candidates")+"\n)", sql.Named("source", "steps"), sql.Named("every", day)).Scan(&due)
	if errors.Is(err, sql.ErrNoRows) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	told := "NULL"
	if due.Valid {
		told = fmt.Sprint(due.Int64)
	}
	kind := text.Statement("candidate", "model", "'m'", "model_version", "NULL", "gpu_type", "NULL", "tensor_parallel", "NULL", "engine", "NULL", "engine_version", "NULL", "due", told)
	var rows int
	query := "SELECT count(*) FROM (" + text.Statement("pass_moments", "candidates", kind, "from", fmt.Sprint(max(0, due.Int64-day))) + "\n)"
	if err := db.QueryRowContext(t.Context(), query, sql.Named("span", day)).Scan(&rows); err != nil {
		t.Fatal(err)
	}
	return rows > 0
}

// A kind whose instances ended before there was enough for another fit is not looked at again.
func TestWhatHasEndedIsNotFittedAgain(t *testing.T) {
	db := openViews(t)
	for at, state := range map[string]string{"2026-01-01T00:00:00Z": "ready", "2026-01-01T00:15:00Z": "stopped"} {
		insertRow(t, db, "instance_events", map[string]string{"instance": "i", "boot": "b", "at": at, "state": state, "role": "engine", "model": "m", "commit": "1"})
	}
	insertRow(t, db, "fits", map[string]string{"fit": "1", "source": "steps", "model": "m", "from_at": "2026-01-01T00:00:00Z", "to_at": "2026-01-01T00:10:00Z", "commit": "1"})
	insertRow(t, db, "progress", map[string]string{"topic": "t", "partition": "0", "complete_through": fmt.Sprint(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC).UnixNano())})
	for source, want := range map[string]int{"steps": 0, "marks": 0} {
		var kinds int
		err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM ("+text.Statement("fit_candidates")+"\n)",
			sql.Named("source", source), sql.Named("every", (24*time.Hour).Microseconds())).Scan(&kinds)
		if err != nil || kinds != want {
			t.Errorf("%s: %d kinds, want %d, %v", source, kinds, want, err)
		}
	}
}
