package aggregate

import (
	"fmt"
	"testing"

	"github.com/inferlake/inferlake/stream"
)

func TestSizeAll(t *testing.T) {
	fold := NewFold(stream.TopicPartition{Topic: "t"}, Rules{}, nil)
	e := fullEvent(77)
	fold.Begin(1, e.Num(stream.EventTimeUnixNano), false)
	fmt.Println(fold.Apply(e, stream.Position{Offset: 123456, Index: 3}))
	n := fold.requests.open.front
	s := fold.requests.slots.at(n)
	r := fold.requests.load(fold.requests.work, n)
	b := r.pack(nil, &fold.requests.words)
	fmt.Println(len(b), s.class)
	fmt.Println(r.what())
}

func fullEvent(i int64) *stream.Event {
	e := new(stream.Event)
	e.Reset(stream.KindRequest)
	now := int64(1_735_689_600e9) + i*1000_000
	for f := stream.EventProducer; f < stream.EngineModel; f++ {
		info := &stream.Fields[f]
		switch {
		case f == stream.EventSchemaVersion || f == stream.RequestOutcome || f == stream.RequestFinishReason || f == stream.RequestHTTPStatus || f == stream.RequestFinishedUnixNano:
		case f == stream.RequestRequestID || f == stream.RequestJoinKey:
			e.SetText(f, fmt.Sprintf("%08x-1234-4abc-9def-%012x", i*7919, i*104729))
		case f == stream.RequestTraceID:
			e.SetText(f, fmt.Sprintf("%032x", i*104729))
		case f == stream.EventRank:
			e.SetInt(f, 2)
		case f == stream.RequestPhase:
			e.SetInt(f, int64(stream.PhaseTokens))
		case f == stream.RequestITLBucket:
			e.SetInts(f, []int64{700, 701, 702, 704, 706, 708, 709, 710, 715, 721, 730, 744})
		case f == stream.RequestITLCount:
			e.SetInts(f, []int64{1, 5, 9, 30, 44, 70, 60, 30, 14, 4, 1, 1})
		case info.Type == stream.Text:
			e.SetText(f, info.Name+"-some-name")
		case info.Type == stream.Hash:
			e.SetInt(f, i*0x1234567890abcdf)
		case info.Type == stream.Time:
			e.SetInt(f, now+int64(f)*20_000_000)
		case info.Type == stream.Bool, info.Type == stream.Enum:
			e.SetInt(f, 1)
		case info.Merge == stream.Measured, f == stream.RequestPreemptedNano, f == stream.RequestKVTransferNano:
			e.SetInt(f, 1_234_567_890)
		case f == stream.RequestKVTransferBytes:
			e.SetInt(f, 1<<30)
		case f == stream.EventMonoNano:
			e.SetInt(f, 3600e9+i*1000)
		case info.Type == stream.Int, info.Type == stream.Signed:
			e.SetInt(f, 1000+int64(f)*37)
		}
	}
	return e
}
