package jobs

import (
	"fmt"
	"testing"
	"time"
)

// zones are those whose clocks are hardest: halves and quarters of an hour, jumps of half an hour, summer time in the south,
// one that is suspended for Ramadan, jumps at midnight, the first and the last to begin a day.
var zones = []string{"UTC", "Asia/Kolkata", "Asia/Kathmandu", "America/St_Johns", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe",
	"Pacific/Apia", "Africa/Casablanca", "Africa/Cairo", "America/Havana", "America/Santiago", "Pacific/Chatham", "Pacific/Kiritimati"}

func zoneOf(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

var years = [2]time.Time{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2029, 1, 1, 0, 0, 0, 0, time.UTC)}

// names of the day, week and month that a clock shows, by means other than those of the package.
var shown = map[Unit]func(time.Time) string{
	Day: func(t time.Time) string { return t.Format("2006-01-02") },
	Week: func(t time.Time) string {
		year, week := t.ISOWeek()
		return fmt.Sprintf("%d-W%02d", year, week)
	},
	Month: func(t time.Time) string { return t.Format("2006-01") },
}

// A period is the time in which clocks show its name: every quarter of an hour lies in the one period that it shows, and
// periods follow each other without a gap.
func TestPeriodsAreWhatClocksShow(t *testing.T) {
	for _, name := range zones {
		zone := zoneOf(t, name)
		for unit, label := range shown {
			p := unit.at(years[0], zone)
			for q := years[0]; q.Before(years[1]); q = q.Add(15 * time.Minute) {
				if !q.Before(p.To) {
					next := p.Next()
					if !next.From.Equal(p.To) || next.Before().Name != p.Name {
						t.Fatalf("%s: %v is followed by %v", name, p, next)
					}
					p = next
				}
				if want := label(q.In(zone)); p.Name != want || q.Before(p.From) {
					t.Fatalf("%s: %v lies in %v, clocks show %s", name, q, p, want)
				}
			}
			if again, err := unit.parse(p.Name, zone); err != nil || !again.From.Equal(p.From) || !again.To.Equal(p.To) {
				t.Errorf("%s: %s reads as %v, %v, want %v", name, p.Name, again, err, p)
			}
		}
	}
}

// Each period is run once, in order, when it is due, though the process looks every two hours or five only; at hours
// that clocks jump over, or show twice, too.
func TestEachPeriodOnce(t *testing.T) {
	schedules := map[Unit][]string{
		Day:   {"0 0 * * *", "30 1 * * *", "30 2 * * *", "15 3 * * *"},
		Week:  {"30 2 * * 0", "0 0 * * 1"},
		Month: {"30 2 2 * *", "0 0 1 * *"},
	}
	for _, name := range zones[1:12] {
		for unit, all := range schedules {
			for _, schedule := range all {
				onceIn(t, name, Job{Name: "j", Schedule: schedule, Zone: name, Period: unit, Reports: []Report{{Name: "seals"}}})
			}
		}
	}
}

func onceIn(t *testing.T, name string, job Job) {
	p, err := job.plan()
	if err != nil {
		t.Fatal(err)
	}
	look := map[Unit]time.Duration{Day: 2 * time.Hour, Week: 5 * time.Hour, Month: 5 * time.Hour}[job.Period]
	made := map[string]bool{}
	want := p.Period.at(years[0].Add(-24*time.Hour*40), p.zone)
	made[want.Before().Name] = true
	runs := 0
	for tick := want.From; tick.Before(years[1]); tick = tick.Add(look) {
		for _, got := range p.due(tick, made) {
			if made[got.Name] || got.Name != want.Name {
				t.Fatalf("%s %q: at %v %s is run, and it is the turn of %s", name, job.Schedule, tick, got.Name, want.Name)
			}
			if late := tick.Sub(p.dueAt(got)); late < 0 || late >= look {
				t.Fatalf("%s %q: %s is run %v after %v", name, job.Schedule, got.Name, late, p.dueAt(got))
			}
			made[got.Name], want, runs = true, want.Next(), runs+1
			delete(made, got.Before().Before().Name) // the history need not grow for this
		}
	}
	if least := map[Unit]int{Day: 365*3 + 30, Week: 52*3 + 4, Month: 36}[job.Period]; runs < least {
		t.Errorf("%s %q: %d runs, at least %d were due", name, job.Schedule, runs, least)
	}
}

// The moments of a schedule, by hand.
func TestMoments(t *testing.T) {
	for _, c := range []struct{ zone, schedule, after, want string }{
		{"Europe/Berlin", "30 2 * * *", "2026-03-28T02:00:00Z", "2026-03-29T01:00:00Z"},       // 02:30 does not come: when clocks jump
		{"Europe/Berlin", "30 2 * * *", "2026-03-29T01:00:01Z", "2026-03-30T00:30:00Z"},       // and not again that day
		{"Europe/Berlin", "30 2 * * *", "2026-10-24T22:00:00Z", "2026-10-25T00:30:00Z"},       // 02:30 comes twice: the first
		{"Europe/Berlin", "30 2 * * *", "2026-10-25T00:30:01Z", "2026-10-26T01:30:00Z"},       // and not the second
		{"America/New_York", "30 1 * * *", "2026-11-01T05:30:01Z", "2026-11-02T06:30:00Z"},    // likewise
		{"Africa/Cairo", "0 0 * * *", "2026-04-23T00:00:00Z", "2026-04-23T22:00:00Z"},         // midnight does not come
		{"America/Havana", "30 0 * * *", "2026-10-31T12:00:00Z", "2026-11-01T04:30:00Z"},      // midnight comes twice
		{"Australia/Lord_Howe", "15 2 * * *", "2026-10-03T00:00:00Z", "2026-10-03T15:30:00Z"}, // half an hour is jumped over
		{"Asia/Kathmandu", "0 6 * * *", "2026-05-01T00:15:00Z", "2026-05-01T00:15:00Z"},       // the moment itself
		{"Pacific/Apia", "0 6 * * *", "2011-12-29T16:00:01Z", "2011-12-30T10:00:00Z"},         // a day is jumped over
		{"UTC", "0 8 2 * *", "2026-11-30T00:00:00Z", "2026-12-02T08:00:00Z"},
	} {
		s, err := parseSchedule(c.schedule, zoneOf(t, c.zone))
		if err != nil {
			t.Fatal(err)
		}
		after, _ := time.Parse(time.RFC3339, c.after)
		if got := s.first(after).UTC().Format(time.RFC3339); got != c.want {
			t.Errorf("%s %q from %s on: %s, want %s", c.zone, c.schedule, c.after, got, c.want)
		}
	}
}

// A day that a zone went without is no period.
func TestADayThatNeverWas(t *testing.T) {
	p, err := Day.parse("2011-12-30", zoneOf(t, "Pacific/Apia"))
	if err != nil || !p.Empty() {
		t.Errorf("30 December 2011 in Apia: %v, %v", p, err)
	}
}

// After a downtime each period that was missed is due, oldest first, as far back as is caught up with.
func TestCatchUp(t *testing.T) {
	p, err := Job{Name: "j", Schedule: "0 6 * * *", Zone: "Asia/Kolkata", Period: Day, CatchUp: 4, Reports: []Report{{Name: "seals"}}}.plan()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		now  string
		made map[string]bool
		want string
	}{
		{"2026-11-30T00:29:59Z", nil, "[2026-11-28]"}, // 05:59:59 in Kolkata: the 29th is not due, and nothing before was asked for
		{"2026-11-30T00:30:00Z", nil, "[2026-11-29]"},
		{"2026-11-30T00:30:00Z", map[string]bool{"2026-11-28": true}, "[2026-11-29]"},
		{"2026-11-30T07:30:00Z", map[string]bool{"2026-11-28": true}, "[2026-11-29]"}, // 7 h down over the moment
		{"2026-11-30T07:30:00Z", map[string]bool{"2026-11-28": true, "2026-11-29": true}, "[]"},
		{"2026-11-30T07:30:00Z", map[string]bool{"2026-11-27": true}, "[2026-11-28 2026-11-29]"},
		{"2026-11-30T07:30:00Z", map[string]bool{"2026-11-27": true, "2026-11-28": false, "2026-11-29": true}, "[2026-11-28]"}, // it failed
		{"2026-11-30T07:30:00Z", map[string]bool{"2026-10-01": true}, "[2026-11-26 2026-11-27 2026-11-28 2026-11-29]"},
	} {
		now, _ := time.Parse(time.RFC3339, c.now)
		names := []string{}
		for _, d := range p.due(now, c.made) {
			names = append(names, d.Name)
		}
		if got := fmt.Sprint(names); got != c.want {
			t.Errorf("at %s with %v: %s, want %s", c.now, c.made, got, c.want)
		}
	}
}
