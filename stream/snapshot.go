package stream

import (
	"math"
	"time"
)

// takeTurn brings the first snapshot forward by a share of the interval that is far from that of other partitions, however
// many there are: multiples of the golden ratio, without what is whole. Later ones come as far apart.
func (l *Loop[D]) takeTurn(now time.Time) {
	_, share := math.Modf(float64(l.Partition.Partition) * math.Phi)
	l.snapshotAt = now.Add(-time.Duration(share * float64(l.Options.SnapshotEvery)))
	l.sinceSnap += int64(share * float64(l.Options.SnapshotEvents))
}

// snapshotDue says that enough time or events have gone by since the last snapshot.
func (l *Loop[D]) snapshotDue(now time.Time) bool {
	return now.Sub(l.snapshotAt) >= l.Options.SnapshotEvery || l.sinceSnap >= l.Options.SnapshotEvents
}

// snapshotNow takes a snapshot in the memory of the last one, whose commit is answered, unless that is far too large.
func (l *Loop[D]) snapshotNow(now time.Time) []byte {
	if len(l.snapshot) < cap(l.snapshot)/4 {
		l.snapshot = nil
	}
	l.snapshot = l.Fold.Snapshot(l.snapshot)
	l.snapshotAt, l.sinceSnap = now, 0
	return l.snapshot
}
