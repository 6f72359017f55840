package aggregate

import "github.com/inferlake/inferlake/stream"

// Restart begins another log under the same name. What is open has lost its end, and what the windows hold will not grow
// any more: both go out. What came of each lane stays known, so that records that the new log has too are duplicates.
func (f *Fold) Restart(covered []stream.Covered) {
	for n := f.requests.open.front; n != 0; n = f.requests.open.front {
		f.lose(n, FlagLogGap)
	}
	f.emit(maxTime)
	f.out.writeRequests(f.log, &f.requests)
	lanes := f.coverage
	f.reset()
	f.coverage = lanes
	for i := range covered {
		f.recall(&covered[i])
	}
	f.limitLanes(nil)
	f.coverage.last = nil // it may be one of those that went
}

// recall takes what came of a lane from where it was kept.
func (f *Fold) recall(c *stream.Covered) {
	l := &lane{laneKey: laneKey{f.texts.intern(c.Producer), f.texts.intern(c.Boot), c.Lane},
		source: f.texts.intern(c.Source), instance: f.texts.intern(c.Instance),
		announced: c.Announced, received: c.Received, duplicates: c.Duplicates, heartbeats: c.Heartbeats, bridged: c.Bridged,
		firstAt: c.FirstAt, lastAt: c.LastAt, stopped: c.Stopped}
	for i := 0; i+1 < len(c.Runs); i += 2 {
		l.runs = append(l.runs, run{c.Runs[i], c.Runs[i+1]})
	}
	l.touched = l.lastAt
	f.coverage.lanes[l.laneKey] = l
}

// pairs are the runs as Covered has them; nil when there are none.
func (l *lane) pairs() (pairs []int64) {
	for _, r := range l.runs {
		pairs = append(pairs, r.from, r.to)
	}
	return pairs
}
