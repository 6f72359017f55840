package lifecycle

import (
	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// Unknown is a number that nobody said; it is left out.
const Unknown = -1

// Request is what the events of one request have in common.
type Request struct {
	ID      string
	Lane    int64
	Ordinal int64 // from 1

	Model, Version, Class string
	Tenant, Session       int64 // hashes, 0: none
	Images                int64 // or Unknown
}

// End is what the last event of a request tells. Numbers may be Unknown; Reason, LastToken, ClientGone and Pass are
// left out when 0.
type End struct {
	Outcome    stream.Outcome
	Reason     stream.FinishReason
	HTTPStatus int64

	Prompt, Cached, Output int64 // tokens, the cached ones inside the prompt
	LastToken, ClientGone  int64 // ns since 1970
	E2E, TTFT              int64 // ns, as measured by the source
	Pass                   int64
}

// Moment begins the event of a phase at a time; the caller adds what it knows and sends it.
func (w *Writer) Moment(in *Instance, r *Request, phase stream.Phase, at int64) *stream.Event {
	e := w.Begin(stream.KindRequest, r.Lane, in, at)
	e.SetText(stream.RequestRequestID, r.ID)
	e.SetInt(stream.RequestOrdinal, r.Ordinal)
	e.SetInt(stream.RequestPhase, int64(phase))
	return e
}

// Received writes that a request arrived, with what was on the engine just before where that is known.
func (w *Writer) Received(in *Instance, r *Request, at, running, waiting int64) error {
	e := w.Moment(in, r, stream.PhaseReceived, at)
	describe(e, r)
	known(e, stream.RequestRunningRequests, running)
	known(e, stream.RequestWaitingRequests, waiting)
	return w.Send()
}

func describe(e *stream.Event, r *Request) {
	text(e, stream.RequestModel, r.Model)
	text(e, stream.RequestModelVersion, r.Version)
	text(e, stream.RequestRequestClass, r.Class)
	number(e, stream.RequestTenant, r.Tenant)
	number(e, stream.RequestSession, r.Session)
	known(e, stream.RequestImages, r.Images)
}

// Phase writes queued, scheduled or first_token as the model told it.
func (w *Writer) Phase(in *Instance, r *Request, o *stepmodel.Output, at int64) error {
	e := w.Moment(in, r, phases(o.Kind), at)
	number(e, stream.RequestEngineStep, o.Pass)
	if o.Kind == stepmodel.Scheduled && in.PrefixCache {
		e.SetInt(stream.RequestCachedLocalTokens, o.Cached)
	}
	return w.Send()
}

func phases(k stepmodel.Kind) stream.Phase {
	switch k {
	case stepmodel.Queued:
		return stream.PhaseQueued
	case stepmodel.Scheduled:
		return stream.PhaseScheduled
	case stepmodel.FirstToken:
		return stream.PhaseFirstToken
	}
	panic("lifecycle: a moment of the model that is no phase")
}

// FirstToken writes a first token that was measured.
func (w *Writer) FirstToken(in *Instance, r *Request, at int64) error {
	w.Moment(in, r, stream.PhaseFirstToken, at)
	return w.Send()
}

// Finished writes the end of a request.
func (w *Writer) Finished(in *Instance, r *Request, end *End, at int64) error {
	e := w.Moment(in, r, stream.PhaseFinished, at)
	describe(e, r)
	e.SetInt(stream.RequestOutcome, int64(end.Outcome))
	number(e, stream.RequestFinishReason, int64(end.Reason))
	number(e, stream.RequestHTTPStatus, end.HTTPStatus)
	e.SetInt(stream.RequestTokenConvention, int64(stream.TokensInclusive))
	known(e, stream.RequestPromptTokens, end.Prompt)
	known(e, stream.RequestCachedLocalTokens, end.Cached)
	known(e, stream.RequestOutputTokens, end.Output)
	number(e, stream.RequestLastTokenUnixNano, end.LastToken)
	number(e, stream.RequestClientGoneUnixNano, end.ClientGone)
	known(e, stream.RequestE2ENano, end.E2E)
	known(e, stream.RequestTTFTEngineNano, end.TTFT)
	number(e, stream.RequestEngineStep, end.Pass)
	return w.Send()
}
