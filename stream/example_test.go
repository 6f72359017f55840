package stream_test

import (
	"fmt"

	"github.com/inferlake/inferlake/stream"
)

// One bad event in a record costs that event.
func ExampleDecoder() {
	rec := stream.Record{Key: []byte("gw-1/0"), ContentType: stream.ContentNDJSON, Value: []byte(
		`{"instance":"gw-1","time_unix_nano":"1773027000123456789","request":{"request_id":"r1","phase":"received","prompt_tokens":12}}
{"instance":"gw-1","time_unix_nano":"1773027000123456789","request":{"request_id":"r2","phase":"received","prompt_tokens":-1}}`)}
	var d stream.Decoder
	d.Decode(&rec, func(index int32, e *stream.Event, why stream.Reason) {
		if why != stream.Accepted {
			fmt.Println(index, "refused:", why)
			return
		}
		fmt.Println(index, e.Text(stream.RequestRequestID), stream.Phase(e.Num(stream.RequestPhase)), e.Num(stream.RequestPromptTokens))
	})
	// Output:
	// 0 r1 received 12
	// 1 refused: out_of_range
}

// Many events travel in one record.
func ExampleColumnsWriter() {
	var w stream.ColumnsWriter
	var e stream.Event
	for seq := range int64(3) {
		e.Reset(stream.KindRequest)
		e.SetInt(stream.EventSeq, seq)
		e.SetText(stream.EventInstance, "engine-0")
		e.SetInt(stream.EventTimeUnixNano, 1773027000123456789+seq)
		e.SetInt(stream.RequestPhase, int64(stream.PhaseQueued))
		w.Add(&e)
	}
	rec := stream.Record{Key: []byte("engine-0/0"), ContentType: stream.ContentColumns, Value: w.AppendTo(nil)}
	var d stream.Decoder
	d.Decode(&rec, func(_ int32, e *stream.Event, _ stream.Reason) {
		fmt.Println(string(stream.AppendJSON(nil, e)))
	})
	// Output:
	// {"seq":0,"instance":"engine-0","time_unix_nano":"1773027000123456789","request":{"phase":"queued"}}
	// {"seq":1,"instance":"engine-0","time_unix_nano":"1773027000123456790","request":{"phase":"queued"}}
	// {"seq":2,"instance":"engine-0","time_unix_nano":"1773027000123456791","request":{"phase":"queued"}}
}
