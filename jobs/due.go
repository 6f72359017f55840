package jobs

import (
	"slices"
	"time"
)

// due lists the periods that a job has to make at a time, oldest first: those that ended and whose moment came, no older than
// the first one of the history nor than catch-up allows, and not made yet. Without a history it is the last one alone.
func (p planned) due(now time.Time, made map[string]bool) (all []Period) {
	last := p.Period.at(now, p.zone).Before()
	for p.dueAt(last).After(now) {
		last = last.Before()
	}
	first := oldest(made)
	if len(made) == 0 {
		first = last.Name
	}
	for n := 0; n < p.CatchUp && last.Name >= first; n++ {
		if !last.Empty() && !made[last.Name] {
			all = append(all, last)
		}
		last = last.Before()
	}
	slices.Reverse(all)
	return all
}

// oldest is the earliest name; names of one unit sort as their periods do.
func oldest(made map[string]bool) (least string) {
	for name := range made {
		if least == "" || name < least {
			least = name
		}
	}
	return least
}

// dueAt is when a period is to be made: the schedule's first moment after its end.
func (p planned) dueAt(of Period) time.Time { return p.schedule.first(of.To) }
