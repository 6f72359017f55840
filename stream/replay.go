package stream

import "slices"

// replayLedger hands out a ledger's decisions in the order of the log.
type replayLedger struct {
	pending []Tick
	gaps    []Gap
	lost    []Gap // those of gaps not told yet
	future  map[int64]bool
	killers map[int64]bool
}

func newReplayLedger(l Ledger) *replayLedger {
	r := &replayLedger{pending: slices.Clone(l.Ticks), future: map[int64]bool{}, killers: map[int64]bool{}}
	slices.SortStableFunc(r.pending, func(a, b Tick) int { return int(min(max(a.Offset-b.Offset, -1), 1)) })
	r.gaps, r.lost = l.Gaps, l.Gaps
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

// before takes the decisions that came before the record at offset, in the order in which they were taken: a tick where a
// gap begins came before the gap was found.
func (r *replayLedger) before(offset int64, tick func(Tick), gap func(Gap)) {
	for len(r.lost) > 0 && r.lost[0].To <= offset {
		r.ticks(r.lost[0].From, tick)
		gap(r.lost[0])
		r.lost = r.lost[1:]
	}
	r.ticks(offset, tick)
}

// due says that before has something to tell before the record at offset, or that the record is a killer.
func (r *replayLedger) due(offset int64) bool {
	return len(r.lost) > 0 && r.lost[0].To <= offset || len(r.pending) > 0 && r.pending[0].Offset <= offset || r.killers[offset]
}

// knows says that the ledger tells of a gap that holds g.
func (r *replayLedger) knows(g Gap) bool {
	return slices.ContainsFunc(r.gaps, func(k Gap) bool { return k.From <= g.From && g.To <= k.To })
}

// ahead says that the record's timestamp was not believed.
func (r *replayLedger) ahead(offset int64) bool { return r.future[offset] }

// killer says that the record is to be skipped, because folding it killed the process.
func (r *replayLedger) killer(offset int64) bool { return r.killers[offset] }
