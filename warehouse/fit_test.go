package warehouse_test

import (
	"database/sql"
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
			day := (24 * time.Hour).Microseconds()
			var kinds int
			query := "SELECT count(*) FROM (" + text.Statement("pass_moments") + ")"
			if err := db.QueryRowContext(t.Context(), query, sql.Named("span", day), sql.Named("every", day)).Scan(&kinds); err != nil {
				t.Fatal(err)
			}
			if again := kinds > 0; again != c.again {
				t.Errorf("fitted anew: %v, want %v", again, c.again)
			}
		})
	}
}
