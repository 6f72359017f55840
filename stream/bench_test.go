package stream

import (
	"fmt"
	"testing"
)

// benchEvents are what a gateway says of its requests: received, first_token and finished of each.
func benchEvents(n int) (es []*Event) {
	for i := range n {
		e := &Event{}
		e.Reset(KindRequest)
		e.SetText(EventProducer, "gw-1")
		e.SetText(EventBoot, "b1773027000")
		e.SetInt(EventLane, 3)
		e.SetInt(EventSeq, int64(1000+i))
		e.SetText(EventSource, "gateway")
		e.SetText(EventInstance, "gw-1")
		e.SetInt(EventRole, int64(RoleGateway))
		e.SetInt(EventTimeUnixNano, 1773027000123456789+int64(i)*1234567)
		e.SetText(RequestRequestID, fmt.Sprintf("req-%016x", i/3))
		e.SetInt(RequestOrdinal, int64(i/3))
		e.SetInt(RequestPhase, int64([]Phase{PhaseReceived, PhaseFirstToken, PhaseFinished}[i%3]))
		e.SetText(RequestModel, "llama-3-8b")
		if i%3 == 0 {
			e.SetInt(RequestPromptTokens, int64(100+i))
		}
		if i%3 == 2 {
			e.SetInt(RequestOutcome, int64(OutcomeOK))
			e.SetInt(RequestOutputTokens, int64(300+i))
			e.SetInt(RequestHTTPStatus, 200)
		}
		es = append(es, e)
	}
	return es
}

func perEvent(b *testing.B, n, bytes int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/event")
	b.ReportMetric(float64(bytes)/float64(n), "B/event")
	b.ReportAllocs()
}

func benchEncode(b *testing.B, encode func(dst []byte, e *Event) []byte) {
	es := benchEvents(99)
	var dst []byte
	for b.Loop() {
		dst = dst[:0]
		for _, e := range es {
			dst = encode(dst, e)
		}
	}
	perEvent(b, len(es), len(dst))
}

func BenchmarkProtobufEncode(b *testing.B) { benchEncode(b, AppendEvent) }
func BenchmarkJSONEncode(b *testing.B)     { benchEncode(b, AppendJSON) }

func benchDecode(b *testing.B, content string, encode func(dst []byte, e *Event) []byte) {
	es := benchEvents(99)
	var recs []Record
	size := 0
	for _, e := range es {
		recs = append(recs, Record{Key: []byte("gw-1/3"), Value: encode(nil, e), ContentType: content})
		size += len(recs[len(recs)-1].Value)
	}
	var d Decoder
	n := 0
	do := func(_ int32, e *Event, _ Reason) { n += int(e.Kind) }
	for b.Loop() {
		for i := range recs {
			d.Decode(&recs[i], do)
		}
	}
	perEvent(b, len(es), size)
}

func BenchmarkProtobufDecode(b *testing.B) { benchDecode(b, ContentProtobuf, AppendEvent) }
func BenchmarkJSONDecode(b *testing.B)     { benchDecode(b, ContentJSON, AppendJSON) }

func BenchmarkColumnsEncode(b *testing.B) {
	es := benchEvents(99)
	var w ColumnsWriter
	var dst []byte
	for b.Loop() {
		w.Reset()
		for _, e := range es {
			w.Add(e)
		}
		dst = w.AppendTo(dst[:0])
	}
	perEvent(b, len(es), len(dst))
}

func BenchmarkColumnsDecode(b *testing.B) {
	var w ColumnsWriter
	es := benchEvents(99)
	for _, e := range es {
		w.Add(e)
	}
	rec := Record{Key: []byte("gw-1/3"), Value: w.AppendTo(nil), ContentType: ContentColumns}
	var d Decoder
	n := 0
	do := func(_ int32, e *Event, _ Reason) { n += int(e.Kind) }
	for b.Loop() {
		d.Decode(&rec, do)
	}
	perEvent(b, len(es), len(rec.Value))
}
