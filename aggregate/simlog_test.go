package aggregate

import (
	"sort"
	"sync"
	"time"

	"github.com/inferlake/inferlake/stream"
)

// simLog is a log in memory that fills as time goes by. Its offsets have holes, as transactions leave them, and
// retention takes its oldest records away.
type simLog struct {
	records []stream.Record
	arrives []time.Time // of each record, ascending

	mu    sync.Mutex
	start int64
}

// append adds a record behind the last one.
func (l *simLog) append(arrives time.Time, r stream.Record, hole int64) {
	r.Offset = hole
	if n := len(l.records); n > 0 {
		r.Offset += l.records[n-1].Offset + 1
	}
	l.records = append(l.records, r)
	l.arrives = append(l.arrives, arrives)
}

// arrived counts the records that are there at a time.
func (l *simLog) arrived(now time.Time) int {
	return sort.Search(len(l.arrives), func(i int) bool { return l.arrives[i].After(now) })
}

// end is the high watermark when n records have arrived; behind the last one lies a commit marker.
func (l *simLog) end(n int) int64 {
	switch n {
	case 0:
		return 0
	case len(l.records):
		return l.records[n-1].Offset + 2
	}
	return l.records[n-1].Offset + 1
}

func (l *simLog) first() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.start
}

// expire takes away what is on the log now, but for the newest records.
func (l *simLog) expire(now time.Time, keep int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.start = max(l.start, l.end(max(0, l.arrived(now)-keep)))
}

// at is the index of the first record at or behind an offset.
func (l *simLog) at(offset int64) int {
	return sort.Search(len(l.records), func(i int) bool { return l.records[i].Offset >= offset })
}

// fetch is what a read finds.
func (l *simLog) fetch(now time.Time, from int64, most int) stream.Fetch {
	n := l.arrived(now)
	f := stream.Fetch{Start: l.first(), End: l.end(n)}
	f.Next = max(from, f.Start)
	i := l.at(f.Next)
	for ; i < n && len(f.Records) < most; i++ {
		f.Records = append(f.Records, l.records[i])
		f.Next = l.records[i].Offset + 1
	}
	if i >= n {
		f.Next = max(f.Next, f.End)
	}
	return f
}

// wait is how long a read waits for the next record, poll at most.
func (l *simLog) wait(now time.Time, poll time.Duration) time.Duration {
	if n := l.arrived(now); n < len(l.arrives) {
		return min(poll, l.arrives[n].Sub(now))
	}
	return poll
}
