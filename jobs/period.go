package jobs

import (
	"fmt"
	"time"
)

// Unit is how long a period is, by the calendar.
type Unit string

// The units. A week begins on Monday and is numbered as in ISO 8601.
const (
	Day   Unit = "day"
	Week  Unit = "week"
	Month Unit = "month"
)

// Period is a day, week or month of a time zone: [From, To).
type Period struct {
	Name     string // like 2026-11-30, 2026-W48 or 2026-11
	From, To time.Time

	unit Unit
	date time.Time // its first day, as a midnight of UTC
	zone *time.Location
}

// period is the one that a date lies in.
func (u Unit) period(date time.Time, zone *time.Location) Period {
	first := u.first(date)
	return Period{Name: u.name(first), From: instant(first, zone), To: instant(u.next(first), zone), unit: u, date: first, zone: zone}
}

func (u Unit) first(date time.Time) time.Time {
	switch u {
	case Week:
		return date.AddDate(0, 0, -(int(date.Weekday())+6)%7)
	case Month:
		return date.AddDate(0, 0, 1-date.Day())
	}
	return date
}

func (u Unit) next(first time.Time) time.Time {
	switch u {
	case Week:
		return first.AddDate(0, 0, 7)
	case Month:
		return first.AddDate(0, 1, 0)
	}
	return first.AddDate(0, 0, 1)
}

func (u Unit) name(first time.Time) string {
	switch u {
	case Week:
		year, week := first.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", year, week)
	case Month:
		return first.Format("2006-01")
	}
	return first.Format(time.DateOnly)
}

// Next is the period that begins where this one ends.
func (p Period) Next() Period { return p.unit.period(p.unit.next(p.date), p.zone) }

// Before is the period that ends where this one begins.
func (p Period) Before() Period { return p.unit.period(p.date.AddDate(0, 0, -1), p.zone) }

// Empty says that clocks jumped over the whole period, as those of Apia did over 30 December 2011.
func (p Period) Empty() bool { return !p.From.Before(p.To) }

func (p Period) String() string {
	return fmt.Sprintf("%s (%s to %s UTC)", p.Name, p.From.Format(time.DateTime), p.To.Format(time.DateTime))
}

// at is the period that a moment lies in.
func (u Unit) at(t time.Time, zone *time.Location) Period {
	p := u.period(wallOf(t, zone).Truncate(24*time.Hour), zone)
	for !t.Before(p.To) {
		p = p.Next()
	}
	for t.Before(p.From) {
		p = p.Before()
	}
	return p
}

// parse reads a period's name.
func (u Unit) parse(name string, zone *time.Location) (Period, error) {
	date, err := u.date(name)
	if err == nil {
		if p := u.period(date, zone); p.Name == name {
			return p, nil
		}
	}
	return Period{}, fmt.Errorf("there is no %s %q: its name is like %s", u, name, examples[u])
}

var examples = map[Unit]string{Day: "2026-11-30", Week: "2026-W48", Month: "2026-11"}

func (u Unit) date(name string) (time.Time, error) {
	switch u {
	case Week:
		var year, week int
		if _, err := fmt.Sscanf(name, "%4d-W%2d", &year, &week); err != nil {
			return time.Time{}, err
		}
		return time.Date(year, time.January, 4+7*(week-1), 0, 0, 0, 0, time.UTC), nil // the 4th is always in week 1
	case Month:
		return time.Parse("2006-01", name)
	}
	return time.Parse(time.DateOnly, name)
}
