package jobs

import (
	"time"
	_ "time/tzdata" // zones must be known on machines without a database of them
)

// wallOf is what clocks in a zone show, as the time of UTC with the same figures.
func wallOf(t time.Time, zone *time.Location) time.Time {
	_, offset := t.In(zone).Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// around is longer than clocks ever jump.
const around = 26 * time.Hour

// instant is when clocks in a zone show a time for the first time. One that they jump over is the moment of the jump.
func instant(wall time.Time, zone *time.Location) time.Time {
	before, after := asIfAt(wall, wall.Add(-around), zone), asIfAt(wall, wall.Add(around), zone)
	if after.Before(before) && wallOf(after, zone).Equal(wall) {
		return after
	}
	if wallOf(before, zone).Equal(wall) {
		return before
	}
	if wallOf(after, zone).Equal(wall) {
		return after
	}
	jump, _ := before.In(zone).ZoneBounds()
	return jump.UTC()
}

// asIfAt reads a clock with the offset that the zone has at another time.
func asIfAt(wall, other time.Time, zone *time.Location) time.Time {
	_, offset := other.In(zone).Zone()
	return wall.Add(-time.Duration(offset) * time.Second)
}
