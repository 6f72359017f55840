package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zeebo/xxh3"
)

// LogID is what a log says of itself; "" is not known.
type LogID struct {
	Cluster string
	TopicID string
}

// Identifier is a Log that knows its identity.
type Identifier interface {
	Identify(ctx context.Context) (LogID, error)
}

// ErrPastEnd is what a Log's Read returns for a position beyond its end: the log was made anew, or lost its tail.
var ErrPastEnd = errors.New("position is past the end of the log")

// Lineage says which log was folded: its identity, and its anchor, the last record that was folded. The same offset may
// hold another record when a topic is made anew, lost its tail, or is read from another cluster.
type Lineage struct {
	LogID
	AnchorNext int64 // offset + 1 of the anchor; 0: none
	AnchorHash uint64
}

// Covered is what came of one lane of a producer's boot: what a new lineage has to know, to see what it brings again.
type Covered struct {
	Producer, Boot   string
	Lane             int64
	Source, Instance string
	Runs             []int64 // sequence numbers seen, as pairs [from, to), ascending
	Announced        int64   // greatest number that a heartbeat told; −1: none
	Received         int64
	Duplicates       int64
	Heartbeats       int64
	Bridged          int64 // holes between runs that count as covered
	FirstAt, LastAt  int64 // ns since 1970 UTC; 0: none
	Stopped          bool
}

// passed moves the position over a record, and the anchor, unless the log could not give the record: it may another time.
func (l *Loop[D]) passed(rec *Record) {
	l.pos = rec.Offset + 1
	if rec.Refused == Accepted {
		l.last = rec
	}
}

// anchor makes the record folded last the lineage's anchor. It is done before its bytes are gone, and before a commit.
func (l *Loop[D]) anchor() {
	if l.last != nil {
		l.lineage.AnchorNext, l.lineage.AnchorHash = l.last.Offset+1, hashRecord(l.last)
		l.last = nil
	}
}

func hashRecord(rec *Record) uint64 { return xxh3.HashSeed(rec.Value, xxh3.Hash(rec.Key)) }

const (
	pastEndTries = 3 // a broker that has just become leader may not know the end yet
	pastEndPause = 300 * time.Millisecond
)

// otherLog compares the log with the lineage of what was folded up to next, and says why it is another one; "" when it
// is the same as far as can be told.
func (l *Loop[D]) otherLog(ctx context.Context, next int64) (why string, err error) {
	why, err = l.otherIdentity(ctx)
	if next == 0 {
		l.lineage.LogID, why = l.found, "" // nothing was folded: any log will do
	}
	if why != "" || err != nil || next == 0 {
		return why, err
	}
	for range pastEndTries {
		if why, err = l.otherAnchor(ctx, next); !errors.Is(err, ErrPastEnd) {
			return why, err
		}
		sleep(ctx, pastEndPause)
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return fmt.Sprintf("it ends before offset %d, up to which it was folded", next), nil
}

// otherIdentity compares the ids, where both are known.
func (l *Loop[D]) otherIdentity(ctx context.Context) (why string, err error) {
	log, ok := l.Log.(Identifier)
	if !ok {
		return "", nil
	}
	if l.found, err = log.Identify(ctx); err != nil {
		return "", err
	}
	had := &l.lineage.LogID
	switch {
	case had.Cluster != "" && l.found.Cluster != "" && had.Cluster != l.found.Cluster:
		return fmt.Sprintf("its cluster is %s, and was %s", l.found.Cluster, had.Cluster), nil
	case had.TopicID != "" && l.found.TopicID != "" && had.TopicID != l.found.TopicID:
		return fmt.Sprintf("its topic id is %s, and was %s", l.found.TopicID, had.TopicID), nil
	}
	had.Cluster, had.TopicID = cmp.Or(l.found.Cluster, had.Cluster), cmp.Or(l.found.TopicID, had.TopicID)
	return "", nil
}

// otherAnchor reads the anchor again. One that is gone tells nothing: retention has passed it, or compaction took it.
func (l *Loop[D]) otherAnchor(ctx context.Context, next int64) (why string, err error) {
	at, pos := l.lineage.AnchorNext-1, l.lineage.AnchorNext-1
	if at < 0 {
		pos = next
	}
	for {
		fetch, err := l.Log.Read(ctx, pos)
		switch {
		case err != nil:
			return "", err
		case fetch.End < next:
			return "", ErrPastEnd
		case at < 0 || fetch.Start > at:
			return "", nil
		case len(fetch.Records) > 0:
			rec := &fetch.Records[0]
			if rec.Offset == at && rec.Refused == Accepted && hashRecord(rec) != l.lineage.AnchorHash {
				return fmt.Sprintf("its record at offset %d is another than the one that was folded", at), nil
			}
			return "", nil
		case fetch.Next > at:
			return "", nil
		case ctx.Err() != nil:
			return "", ctx.Err()
		}
	}
}

// confirm makes sure, after reads failed, that the log is still the one that was folded. If it is another, its lineage is
// begun.
func (l *Loop[D]) confirm(ctx context.Context) (same bool, err error) {
	why, err := l.otherLog(ctx, l.pos)
	if err != nil {
		l.unreadable(ctx, err)
		return false, l.commitDue(ctx)
	}
	l.suspect = false
	if why == "" {
		return true, nil
	}
	if err := l.commitAndWait(ctx); err != nil {
		return false, err
	}
	return false, l.turn(ctx, why, nil)
}

// turn begins a new lineage at the log's start, in one commit with the end of the old one: what was open is lost, and
// the position is 0 again. The fold stands at the position of the old log, or is empty and has covered to know.
func (l *Loop[D]) turn(ctx context.Context, why string, covered []Covered) error {
	l.Options.Logger.Error("the log is another one than was folded: it is folded from its start as a new lineage",
		"topic", l.Partition.Topic, "partition", l.Partition.Partition, "position", l.from, "why", why)
	l.Fold.Restart(covered)
	l.lineage = Lineage{LogID: l.found}
	l.lease.Trying, l.lease.Tried, l.trying = 0, 0, 0
	l.pos, l.tickedAt, l.careful = 0, -1, false
	l.turning, l.sinceSnap = why, l.Options.SnapshotEvents
	err := l.commitAndWait(ctx)
	l.turning = ""
	return err
}
