package simulate

import (
	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/stream"
)

// fate is how a request will end, drawn when it arrives.
type fate struct {
	end    lifecycle.End
	output int64 // tokens that the engine will give
}

// fateOf draws it. A cancelled or failed request stops somewhere in its answer.
func fateOf(d dice, s *Scenario, t *turn) fate {
	f := fate{output: t.output, end: lifecycle.End{
		Outcome: stream.OutcomeOK, Reason: stream.ReasonStop, HTTPStatus: 200,
		Prompt: t.prompt, Cached: lifecycle.Unknown, E2E: lifecycle.Unknown, TTFT: lifecycle.Unknown,
	}}
	if t.output >= t.session.class.MaxOutput {
		f.end.Reason = stream.ReasonLength
	}
	switch at := d.Int64N(1_000_000); {
	case at < s.CancelledPPM:
		f.end.Outcome, f.end.Reason, f.end.HTTPStatus = stream.OutcomeCancelled, stream.ReasonAbort, 499
		f.output = 1 + d.Int64N(t.output)
	case at < s.CancelledPPM+s.FailedPPM:
		f.end.Outcome, f.end.Reason, f.end.HTTPStatus = stream.OutcomeError, stream.ReasonError, 500
		f.output = 1 + d.Int64N(t.output)
	}
	f.end.Output = f.output
	return f
}
