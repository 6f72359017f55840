package aggregate

import "github.com/inferlake/inferlake/stream"

// repeatedMarkFields are kept of a mark that can come again: a request that was preempted stays in the batch more than once, and its
// row has only totals.
var repeatedMarkFields = []stream.Field{
	stream.RequestRequestID, stream.RequestAttempt, stream.RequestChoice, stream.RequestOrdinal, stream.RequestPhase, stream.RequestOccurrence,
	stream.RequestEngineStep, stream.RequestOutputTokens, stream.RequestPrefilledTokens, stream.RequestCachedLocalTokens,
}

func repeatedMarkTable() []Column {
	cols := append(speakerColumns(), Column{"at", Timestamp, "Time of the mark, UTC."})
	for _, f := range repeatedMarkFields {
		cols = append(cols, fieldColumn(f))
	}
	return cols
}

// repeatedMark writes a preemption, or a scheduling after the first, as it came.
func (f *Fold) repeatedMark(e *stream.Event, at stream.Position) {
	switch stream.Phase(e.Num(stream.RequestPhase)) {
	case stream.PhasePreempted:
	case stream.PhaseScheduled:
		if e.Num(stream.RequestOccurrence) < 2 {
			return
		}
	default:
		return
	}
	f.out.spoken(RequestMarks, f.log, e, at, repeatedMarkFields)
}
