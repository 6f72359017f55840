package workload

import (
	"fmt"

	"github.com/inferlake/inferlake/stream"
)

// Moments is the number of events of a request.
const Moments = len(phases)

// Moment writes one moment of a request as an event without a sequence number. With full every field of the contract that
// may be known before a request's end is set.
func (w *Workload) Moment(e *stream.Event, number int64, moment int, full bool) {
	r := requestOf(number, w.gap, life)
	w.tell(e, &r, moment)
	if full && moment != finished {
		fill(e, &r)
	}
}

// Tokens are the prompt and output tokens of a request.
func (w *Workload) Tokens(number int64) (prompt, output int64) {
	r := requestOf(number, w.gap, life)
	return r.prompt, r.output
}

// fill sets what an event does not say yet.
func fill(e *stream.Event, r *request) {
	for f := stream.RequestRequestID; f < stream.EngineModel; f++ {
		info := &stream.Fields[f]
		if e.Has(f) || info.Merge == stream.Terminal || info.Merge == stream.Identity || f == stream.RequestFinishedUnixNano {
			continue
		}
		v := int64(mix(r.luck + uint64(f)))
		switch {
		case f == stream.RequestJoinKey:
			e.SetText(f, uuid(uint64(v), r.luck))
		case f == stream.RequestAdapter:
			e.SetText(f, "none") // no more combinations of dimensions than without
		case f == stream.RequestITLBucket:
			e.SetInts(f, []int64{1400, 1401, 1402, 1404, 1408, 1417, 1430, 1460})
		case f == stream.RequestITLCount:
			e.SetInts(f, []int64{4, 20, 61, 90, 55, 18, 3, 1})
		case info.Type == stream.Text:
			e.SetText(f, fmt.Sprint(info.Name, "-", uint64(v)%50))
		case info.Type == stream.Hash:
			e.SetInt(f, v)
		case info.Type == stream.Time:
			e.SetInt(f, r.at[first]+int64(f)*millisecond)
		case info.Type == stream.Bool, info.Type == stream.Enum:
			e.SetInt(f, 1)
		case info.Merge == stream.Measured, f == stream.RequestPreemptedNano, f == stream.RequestKVTransferNano:
			e.SetInt(f, int64(uint64(v)%uint64(10*second)))
		default:
			e.SetInt(f, int64(uint64(v)%20_000))
		}
	}
}
