package aggregate

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory/mallocator"

	"github.com/inferlake/inferlake/stream"
)

// busyLog is a log of requests of eight events each, with about open of them open at any time, from groups of
// instance, model and class; one event in a hundred is 30 s late. Each record holds batch events as columns.
func busyLog(requests, open, groups, batch int) []stream.Record {
	const gap = int64(100_000) // ns between arrivals: 10,000 requests a second
	start := 1_700_000_000 * second
	life := int64(open) * gap
	type pending struct {
		id    int
		phase int
	}
	phases := []stream.Phase{stream.PhaseReceived, stream.PhaseQueued, stream.PhaseScheduled, stream.PhaseFirstToken,
		stream.PhaseTokens, stream.PhaseTokens, stream.PhaseTokens, stream.PhaseFinished}
	var w stream.ColumnsWriter
	var records []stream.Record
	seq := int64(0)
	flush := func(at int64) {
		records = append(records, stream.Record{Offset: int64(len(records)), Timestamp: at, Key: []byte("p/0"),
			Value: w.AppendTo(nil), ContentType: stream.ContentColumns})
		w.Reset()
	}
	var e stream.Event
	step := life / 7
	for tick := 0; tick < requests+7*int(step/gap); tick++ {
		now := start + int64(tick)*gap
		for phase := range phases {
			id := tick - phase*int(step/gap)
			if id < 0 || id >= requests {
				continue
			}
			busyEvent(&e, id, phases[phase], phase, groups, now)
			if seq%100 == 99 {
				e.SetInt(stream.EventTimeUnixNano, now-30*second)
			}
			e.SetInt(stream.EventSeq, seq)
			seq++
			w.Add(&e)
			if w.Len() == batch {
				flush(now)
			}
		}
	}
	flush(start + int64(requests)*gap)
	return records
}

func busyEvent(e *stream.Event, id int, phase stream.Phase, n, groups int, at int64) {
	e.Reset(stream.KindRequest)
	e.SetText(stream.EventProducer, "engine-producer-1")
	e.SetText(stream.EventBoot, "7f0c9c52-2b7e-4c39-9f5e-0d6d3f6c1a11")
	e.SetInt(stream.EventLane, 0)
	e.SetText(stream.EventSource, "engine")
	e.SetText(stream.EventInstance, fmt.Sprint("engine-", id%groups%25))
	e.SetInt(stream.EventRole, int64(stream.RoleEngine))
	e.SetInt(stream.EventTimeUnixNano, at)
	e.SetText(stream.RequestRequestID, fmt.Sprintf("cmpl-%08x-4c39-9f5e-%014x", id, id*7919))
	e.SetInt(stream.RequestOrdinal, int64(id+1))
	e.SetInt(stream.RequestPhase, int64(phase))
	switch phase {
	case stream.PhaseReceived:
		e.SetText(stream.RequestModel, fmt.Sprint("model-", id%groups%8))
		e.SetText(stream.RequestModelVersion, fmt.Sprint("v", id%groups%2))
		e.SetText(stream.RequestRequestClass, "chat")
		e.SetText(stream.RequestTraceID, fmt.Sprintf("%032x", id*104729))
		e.SetInt(stream.RequestTenant, int64(id%1000))
		e.SetInt(stream.RequestPromptTokens, int64(100+id%2000))
	case stream.PhaseScheduled:
		e.SetInt(stream.RequestCachedLocalTokens, int64(id%100))
	case stream.PhaseTokens:
		e.SetInt(stream.RequestOutputTokens, int64(20*n))
	case stream.PhaseFinished:
		e.SetInt(stream.RequestOutcome, int64(stream.OutcomeOK))
		e.SetInt(stream.RequestFinishReason, int64(stream.ReasonStop))
		e.SetInt(stream.RequestPromptTokens, int64(100+id%2000))
		e.SetInt(stream.RequestOutputTokens, 200)
		e.SetInt(stream.RequestLastTokenUnixNano, at-1000)
	}
}

// BenchmarkFold decodes and folds requests of eight events; a cut every 122,880 rows is in the time.
func BenchmarkFold(b *testing.B) {
	for _, open := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint("open=", open), func(b *testing.B) {
			records := busyLog(300_000, open, 200, 500)
			b.ReportAllocs()
			b.ResetTimer()
			events, cpu := int64(0), cpuTime()
			for range b.N {
				fold := NewFold(testLog, Rules{}, mallocator.NewMallocator())
				var d stream.Decoder
				var at stream.Position
				apply := func(index int32, e *stream.Event, why stream.Reason) {
					at.Index = index
					fold.Apply(e, at)
					events++
				}
				for i := range records {
					rec := &records[i]
					at.Offset = rec.Offset
					fold.Begin(rec.Offset, rec.Timestamp, false)
					d.Decode(rec, apply)
					if fold.Pending() > 122_880 {
						fold.Cut().Release()
					}
				}
				fold.Cut().Release()
				fold.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
			b.ReportMetric(float64(cpuTime()-cpu)/float64(events), "cpu-ns/event")
		})
	}
}

func cpuTime() int64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}
