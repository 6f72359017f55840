package lifecycle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inferlake/inferlake/stream"
)

// Lanes are numbered apart, each lane keeps to one topic, what is mute keeps its place, and heartbeats say the last
// number of what was handed on.
func TestLanes(t *testing.T) {
	var got []string
	w := NewWriter("p", "b", "test", func(e *stream.Event) error {
		seq, numbered := e.Int(stream.EventSeq)
		last, _ := e.Int(stream.InstanceLastSeq)
		line := fmt.Sprintf("%s lane %d", Topic(e), e.Num(stream.EventLane))
		if numbered {
			line += fmt.Sprintf(" seq %d", seq)
		} else {
			line += fmt.Sprintf(" last %d", last)
		}
		got = append(got, line)
		return nil
	})
	in := &Instance{Name: "i", Role: stream.RoleEngine}
	r := &Request{ID: "r", Lane: 2, Ordinal: 1, Images: Unknown}
	w.State(in, stream.StateReady, 1)
	w.Mark(in, r, stream.PhaseFirstToken, 2)
	w.Mute = true
	w.Mark(in, r, stream.PhaseFirstToken, 3)
	w.Mute = false
	w.Mark(in, r, stream.PhaseFirstToken, 4)
	w.Mute = true
	w.Mark(in, r, stream.PhaseFirstToken, 5)
	w.Mute = false
	w.Heartbeats(in, 6)
	want := `inferlake.infra lane 6 seq 0
inferlake.requests lane 2 seq 0
inferlake.requests lane 2 seq 2
inferlake.requests lane 2 last 2
inferlake.infra lane 6 last 0`
	if text := strings.Join(got, "\n"); text != want || w.Events != 5 {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// Ids spread over the lanes of requests.
func TestRequestLane(t *testing.T) {
	var n [RequestLanes]int
	for i := range 1000 {
		n[RequestLane(fmt.Sprintf("azure-%d", i))]++
	}
	for lane, count := range n {
		if count < 150 {
			t.Errorf("lane %d has %d of 1000", lane, count)
		}
	}
}

// What nobody said is left out.
func TestUnknown(t *testing.T) {
	w := NewWriter("p", "b", "test", func(e *stream.Event) error {
		for _, f := range []stream.Field{stream.RequestPromptTokens, stream.RequestE2ENano, stream.RequestHTTPStatus, stream.RequestSession, stream.RequestFinishReason} {
			if e.Has(f) {
				t.Errorf("%s is told", stream.Fields[f].Name)
			}
		}
		if e.Num(stream.RequestOutputTokens) != 0 || !e.Has(stream.RequestOutputTokens) {
			t.Error("no output tokens is not told")
		}
		return nil
	})
	end := End{Outcome: stream.OutcomeError, Prompt: Unknown, Cached: Unknown, Output: 0, E2E: Unknown, TTFT: Unknown}
	w.Finished(&Instance{Name: "i"}, &Request{ID: "r", Images: Unknown}, &end, 1)
}
