package jobs

import (
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// schedule is moments in a time zone, in cron's words.
type schedule struct {
	spec *cron.SpecSchedule
	zone *time.Location
}

// words are cron's five fields, and @daily and its kin.
var words = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

func parseSchedule(text string, zone *time.Location) (schedule, error) {
	if strings.Contains(text, "TZ=") {
		return schedule{}, fmt.Errorf("the schedule %q cannot name a time zone: give it as the job's zone", text)
	}
	parsed, err := words.Parse(text)
	if err != nil {
		return schedule{}, fmt.Errorf("cannot read the schedule %q: %w; it is five fields of cron like \"0 6 * * *\"", text, err)
	}
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok || spec.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return schedule{}, fmt.Errorf("the schedule %q has no moments: it is five fields of cron like \"0 6 * * *\"", text)
	}
	return schedule{spec, zone}, nil
}

// first is the first moment at or after a time. A moment that clocks jump over is when they jump, one that they show twice
// is the first of the two: so a run is neither skipped in spring nor doubled in autumn.
func (s schedule) first(t time.Time) time.Time {
	for wall := wallOf(t.Add(-time.Second), s.zone); ; {
		if wall = s.spec.Next(wall); wall.IsZero() {
			return wall
		}
		if moment := instant(wall, s.zone); !moment.Before(t) {
			return moment
		}
	}
}
