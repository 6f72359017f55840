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
	Attempt int64 // from 0
	Ordinal int64 // from 1
	JoinKey string

	Model, Version, Class string
	Deployment, Namespace string // where the instance's own do not hold
	Tenant, Session       int64  // hashes, 0: none
	Images                int64  // or Unknown
	Probe, Retry          bool
}

// End is what the last event of a request tells. Numbers may be Unknown; Reason, the marks, Pass and what comes after
// them are left out when 0.
type End struct {
	Outcome    stream.Outcome
	Reason     stream.FinishReason
	HTTPStatus int64

	Prompt, Cached, Output int64 // tokens, the cached ones inside the prompt
	LastToken, ClientGone  int64 // ns since 1970
	E2E, TTFT              int64 // ns, as measured by the source
	Pass                   int64

	// Marks that were not told when they happened, ns since 1970.
	Received, Queued, Scheduled, FirstByte, FirstToken int64

	Recomputed, Drafted, Accepted int64 // tokens
	Preemptions, Preempted        int64 // times, and ns in all
}

// Set says how it ended.
func (e *End) Set(outcome stream.Outcome, reason stream.FinishReason, status int64) {
	e.Outcome, e.Reason, e.HTTPStatus = outcome, reason, status
}

// Moment begins the event of a phase at a time; the caller adds what it knows and sends it.
func (w *Writer) Moment(in *Instance, r *Request, phase stream.Phase, at int64) *stream.Event {
	e := w.Begin(stream.KindRequest, r.Lane, in, at)
	e.SetText(stream.RequestRequestID, r.ID)
	number(e, stream.RequestAttempt, r.Attempt)
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
	text(e, stream.RequestJoinKey, r.JoinKey)
	text(e, stream.RequestModel, r.Model)
	text(e, stream.RequestModelVersion, r.Version)
	text(e, stream.RequestRequestClass, r.Class)
	text(e, stream.RequestDeployment, r.Deployment)
	text(e, stream.RequestNamespace, r.Namespace)
	number(e, stream.RequestTenant, r.Tenant)
	number(e, stream.RequestSession, r.Session)
	known(e, stream.RequestImages, r.Images)
	flag(e, stream.RequestProbe, r.Probe)
	flag(e, stream.RequestRetry, r.Retry)
}

// Phase writes queued, scheduled, preempted or first_token as the model told it.
func (w *Writer) Phase(in *Instance, r *Request, o *stepmodel.Output, at int64) error {
	e := w.Moment(in, r, phases(o.Kind), at)
	number(e, stream.RequestEngineStep, o.Pass)
	if o.Kind == stepmodel.Scheduled && in.PrefixCache {
		e.SetInt(stream.RequestCachedLocalTokens, o.Cached)
		e.SetInt(stream.RequestTokenConvention, int64(stream.TokensInclusive))
	}
	if o.Kind == stepmodel.Preempted || o.Stay > 1 {
		e.SetInt(stream.RequestOccurrence, o.Stay)
		e.SetInt(stream.RequestOutputTokens, o.Tokens)
	}
	if o.Kind == stepmodel.Preempted {
		e.SetInt(stream.RequestPrefilledTokens, o.Kept)
	}
	return w.Send()
}

func phases(k stepmodel.Kind) stream.Phase {
	switch k {
	case stepmodel.Queued:
		return stream.PhaseQueued
	case stepmodel.Scheduled:
		return stream.PhaseScheduled
	case stepmodel.Preempted:
		return stream.PhasePreempted
	case stepmodel.FirstToken:
		return stream.PhaseFirstToken
	}
	panic("lifecycle: a moment of the model that is no phase")
}

// Mark writes that a request reached a phase, first_token, first_byte or client_gone, about which no more is known.
func (w *Writer) Mark(in *Instance, r *Request, phase stream.Phase, at int64) error {
	w.Moment(in, r, phase, at)
	return w.Send()
}

// Transferred writes that a request's KV cache came from another engine: how long that took, ns, and its bytes.
func (w *Writer) Transferred(in *Instance, r *Request, at, took, bytes int64) error {
	e := w.Moment(in, r, stream.PhaseKVTransfer, at)
	e.SetInt(stream.RequestOccurrence, 1)
	e.SetInt(stream.RequestKVTransferNano, took)
	e.SetInt(stream.RequestKVTransferBytes, bytes)
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
	marks(e, end)
	known(e, stream.RequestE2ENano, end.E2E)
	known(e, stream.RequestTTFTEngineNano, end.TTFT)
	number(e, stream.RequestEngineStep, end.Pass)
	number(e, stream.RequestRecomputedTokens, end.Recomputed)
	number(e, stream.RequestDraftedTokens, end.Drafted)
	number(e, stream.RequestAcceptedTokens, end.Accepted)
	number(e, stream.RequestPreemptions, end.Preemptions)
	number(e, stream.RequestPreemptedNano, end.Preempted)
	return w.Send()
}

func marks(e *stream.Event, end *End) {
	number(e, stream.RequestReceivedUnixNano, end.Received)
	number(e, stream.RequestQueuedUnixNano, end.Queued)
	number(e, stream.RequestScheduledUnixNano, end.Scheduled)
	number(e, stream.RequestFirstByteUnixNano, end.FirstByte)
	number(e, stream.RequestFirstTokenUnixNano, end.FirstToken)
	number(e, stream.RequestLastTokenUnixNano, end.LastToken)
	number(e, stream.RequestClientGoneUnixNano, end.ClientGone)
}
