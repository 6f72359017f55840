package aggregate

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlake/inferlake/stream"
)

// Fold is one partition's fold: a function of the log and the ledger alone. It implements stream.Fold[Delta].
//
// Its parts: clocks say what time it is on the log; coverage says what was seen before; requests merges partial
// records until a request ends; series follows gauges and counters; windows and sampleWindows hold what the watermark
// has not passed; out collects rows until the next cut.
type Fold struct {
	log   stream.TopicPartition
	rules Rules

	clocks   clocks
	counts   stream.Counts
	coverage coverage
	requests requests
	boots    map[bootKey]boot
	windows  windows
	series   seriesSet
	samples  sampleWindows
	texts    interner

	dimensions dimensions
	givenUp    stream.GivenUp

	out output

	plain bool // merge every event at once: the reference for additions
}

// NewFold returns the fold of a log from its start. Batches are built with mem.
func NewFold(log stream.TopicPartition, rules Rules, mem memory.Allocator) *Fold {
	f := &Fold{log: log, rules: rules.WithDefaults()}
	f.out = newOutput(mem)
	f.reset()
	return f
}

// reset makes the state that of a log's start.
func (f *Fold) reset() {
	f.clocks = clocks{bound: f.rules.OutOfOrderness.Nanoseconds(), skew: f.rules.Skew.Nanoseconds()}
	f.counts = stream.Counts{}
	f.coverage = coverage{lanes: map[laneKey]*lane{}}
	f.requests = newRequests()
	f.boots = map[bootKey]boot{}
	f.givenUp = stream.GivenUp{}
	f.windows, f.dimensions = newWindows(), newDimensions(f.rules)
	f.series = newSeriesSet()
	f.samples = newSampleWindows()
}

// Rules names version and parameters.
func (f *Fold) Rules() string { return f.rules.String() }

// Begin starts a record.
func (f *Fold) Begin(_, timestamp int64, ahead bool) {
	f.counts.Records++
	if !ahead && f.clocks.advance(timestamp) {
		f.expire()
	}
}

// Tick moves time on without a record.
func (f *Fold) Tick(t stream.Tick) {
	if t.At != 0 && f.clocks.advance(t.At) {
		f.expire()
	}
	if t.Flush {
		f.emit(maxTime)
	}
}

// Refuse counts events that could not be folded.
func (f *Fold) Refuse(d stream.DeadLetter) {
	f.counts.Consumed += d.Events
	f.counts.Dead += d.Events
}

// Apply folds one event. It changes e.
func (f *Fold) Apply(e *stream.Event, at stream.Position) stream.Reason {
	if f.rules.refuses(e) {
		return f.refuse(e)
	}
	f.counts.Consumed++
	late, clamped := f.clocks.see(e)
	if e.Kind == stream.KindInstance {
		f.restart(e)
	}
	if beat := heartbeat(e); beat && !e.Has(stream.EventSeq) {
		f.heartbeat(e)
	} else if !f.repeated(e) {
		if beat {
			f.heartbeat(e)
		} else {
			f.fold(e, at, late, clamped)
		}
	}
	if w, crossed := f.clocks.crossed(); crossed {
		f.emit(w)
	} else {
		f.makeRoom()
	}
	return stream.Accepted
}

// makeRoom writes all windows when there are too many: deltas may be written at any time.
func (f *Fold) makeRoom() {
	if len(f.windows.deltas) > f.rules.MaxWindows || f.samples.len() > f.rules.MaxWindows {
		f.emit(maxTime)
	}
}

// repeated notes the event's sequence number and says whether it came before.
func (f *Fold) repeated(e *stream.Event) bool {
	l := f.lane(e)
	if l == nil || !f.coverage.note(l, e, e.Num(stream.EventTimeUnixNano), &f.texts) {
		return false
	}
	f.counts.Duplicate++
	return true
}

// lane returns the event's lane, nil for an event that names no producer. The lanes silent longest make room for new ones.
func (f *Fold) lane(e *stream.Event) *lane {
	l, fresh := f.coverage.of(e, &f.texts)
	if l == nil {
		return nil
	}
	l.touched = f.clocks.log
	if fresh {
		f.limitLanes(l)
	}
	if len(l.runs) > f.rules.MaxRuns {
		f.givenUp.Evicted += l.bridge()
	}
	return l
}

// limitLanes forgets the lanes silent longest when there are too many, but not the one that speaks. Their last rows say so.
func (f *Fold) limitLanes(speaks *lane) {
	gone := evict(f.coverage.lanes, f.rules.MaxLanes, func(k laneKey, l *lane) (int64, string) {
		if l == speaks {
			return maxTime, ""
		}
		return l.touched, fmt.Sprintf("%q %q %d", k.producer, k.boot, k.lane)
	})
	for _, l := range gone {
		l.evicted = true
		f.coverage.change(l)
	}
	f.givenUp.Evicted += int64(len(gone))
}

// fold gives the event to the part that knows its kind.
func (f *Fold) fold(e *stream.Event, at stream.Position, late, clamped bool) {
	if late {
		f.counts.Late++
	}
	if e.Kind == stream.KindRequest {
		f.request(e, at, late, clamped)
		return
	}
	f.sample(e, at)
	f.counts.Loaded++
}

func heartbeat(e *stream.Event) bool {
	return e.Kind == stream.KindInstance && stream.Lifecycle(e.Num(stream.InstanceState)) == stream.StateHeartbeat
}

// heartbeat notes what a lane's producer says it has sent. It has no row. One without a number of its own does not count
// as received: that would make up for an event that is missing.
func (f *Fold) heartbeat(e *stream.Event) {
	f.counts.Loaded++
	l := f.lane(e)
	if l == nil {
		return
	}
	f.coverage.change(l)
	l.describe(e, &f.texts)
	l.heartbeats++
	if seq, ok := e.Int(stream.InstanceLastSeq); ok {
		l.announced = max(l.announced, seq)
	}
}

// emit writes what the windows hold up to the watermark crossing w, first booking what open requests have gained.
func (f *Fold) emit(w int64) {
	f.bookOpen()
	f.windows.emit(w, &f.out)
	f.forgetDims()
	f.samples.emit(w, &f.out)
}

// Gap notes that the log lost records: what is open may have lost its end.
func (f *Fold) Gap(stream.Gap) {
	for r := range f.requests.all(f.requests.open) {
		r.flags |= FlagLogGap
		f.requests.save(r)
	}
}

// Pending is about the number of rows that the next cut returns.
func (f *Fold) Pending() int { return f.out.rows() }

// Cut returns the rows since the last cut.
func (f *Fold) Cut() Delta {
	f.coverage.emit(f.log, &f.out)
	return f.out.cut(f.log, &f.requests)
}

// Skip drops the rows since the last cut, as if they had been returned.
func (f *Fold) Skip() {
	f.coverage.emit(f.log, &f.out)
	f.out.skip(&f.requests)
}

// Settled says that no tick would change anything.
func (f *Fold) Settled() bool {
	return f.requests.open.n == 0 && len(f.windows.deltas) == 0 && len(f.samples.deltas) == 0
}

// Close gives the memory of unfinished rows back.
func (f *Fold) Close() { f.out.close() }

// Status says how far the fold has come.
func (f *Fold) Status() stream.Status {
	s := stream.Status{LogClock: f.clocks.log, Watermark: f.clocks.watermark(), Counts: f.counts, GivenUp: f.givenUp}
	s.Open, s.Pending = int64(f.requests.open.n), f.requests.pending
	s.CompleteThrough = s.Watermark
	s.SettledThrough = s.Watermark
	if f.requests.oldest != 0 {
		s.SettledThrough = min(s.SettledThrough, f.requests.oldest)
	}
	if s.Watermark != 0 {
		s.SettledThrough = min(s.SettledThrough, s.Watermark-f.requests.longestUntold)
	}
	return s
}
