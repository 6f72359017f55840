package stream

import "slices"

// replayLedger hands out a ledger's decisions in the order of the log.
type replayLedger struct {
	pending []Tick
	future  map[int64]bool
	killers map[int64]bool
}

func newReplayLedger(l Ledger) *replayLedger {
	r := &replayLedger{pending: slices.Clone(l.Ticks), future: map[int64]bool{}, killers: map[int64]bool{}}
	slices.SortStableFunc(r.pending, func(a, b Tick) int { return int(min(max(a.Offset-b.Offset, -1), 1)) })
	for _, offset := range l.Ahead {
		r.future[offset] = true
	}
	for _, d := range l.Dead {
		if d.Reason == ReasonCrashed {
			r.killers[d.Offset] = true
		}
	}
	return r
}

// ticks applies those that come before the record at offset.
func (r *replayLedger) ticks(offset int64, apply func(Tick)) {
	for len(r.pending) > 0 && r.pending[0].Offset <= offset {
		apply(r.pending[0])
		r.pending = r.pending[1:]
	}
}

// ahead says that the record's timestamp was not believed.
func (r *replayLedger) ahead(offset int64) bool { return r.future[offset] }

// killer says that the record is to be skipped, because folding it killed the process.
func (r *replayLedger) killer(offset int64) bool { return r.killers[offset] }
