package workload

import "github.com/inferlake/inferlake/stream"

// tell writes one moment of a request's life as an event. seq is left to the lane.
func (w *Workload) tell(e *stream.Event, r *request, phase int) {
	n, in := &w.names, r.instance
	id, trace := w.ids.of(r)
	e.Reset(stream.KindRequest)
	e.SetText(stream.EventProducer, n.producer[in])
	e.SetText(stream.EventBoot, n.boot[in])
	e.SetInt(stream.EventLane, n.lane[in])
	e.SetText(stream.EventSource, "engine")
	e.SetInt(stream.EventRank, 2)
	e.SetText(stream.EventInstance, n.instance[in])
	e.SetInt(stream.EventRole, int64(stream.RoleEngine))
	e.SetInt(stream.EventTimeUnixNano, r.at[phase])
	e.SetInt(stream.EventMonoNano, r.at[phase]-Start+3600*second)
	e.SetText(stream.EventClockDomain, n.boot[in])
	e.SetText(stream.RequestRequestID, id)
	e.SetInt(stream.RequestOrdinal, r.number+1)
	e.SetInt(stream.RequestPhase, int64(phases[phase]))
	e.SetText(stream.RequestTraceID, trace)
	e.SetText(stream.RequestModel, n.model[in])
	e.SetText(stream.RequestModelVersion, n.version[in])
	if r.adapter != 0 {
		e.SetText(stream.RequestAdapter, adapterNames[r.adapter])
	}
	e.SetText(stream.RequestRequestClass, classNames[r.class])
	e.SetInt(stream.RequestTenant, int64(mix(r.luck%1000)))
	w.details(e, r, phase)
}

// details are what only some moments tell.
func (w *Workload) details(e *stream.Event, r *request, phase int) {
	switch phases[phase] {
	case stream.PhaseReceived:
		e.SetInt(stream.RequestPromptTokens, r.prompt)
		e.SetInt(stream.RequestMaxTokens, 4096)
		e.SetInt(stream.RequestStream, 1)
		e.SetInt(stream.RequestRunningRequests, int64(r.luck>>9%200))
		e.SetInt(stream.RequestWaitingRequests, int64(r.luck>>17%50))
	case stream.PhaseScheduled:
		e.SetInt(stream.RequestEngineStep, r.number*7)
		e.SetInt(stream.RequestCachedLocalTokens, r.cached)
		e.SetInt(stream.RequestTokenConvention, int64(stream.TokensInclusive))
	case stream.PhaseTokens:
		e.SetInt(stream.RequestOutputTokens, r.output*int64(phase-first)/int64(finished-first))
	case stream.PhaseFinished:
		e.SetInt(stream.RequestOutcome, int64(stream.OutcomeOK))
		e.SetInt(stream.RequestFinishReason, int64(stream.ReasonStop))
		e.SetInt(stream.RequestTokenConvention, int64(stream.TokensInclusive))
		e.SetInt(stream.RequestPromptTokens, r.prompt)
		e.SetInt(stream.RequestCachedLocalTokens, r.cached)
		e.SetInt(stream.RequestOutputTokens, r.output)
		e.SetInt(stream.RequestLastTokenUnixNano, r.at[phase]-millisecond)
		e.SetInt(stream.RequestE2ENano, r.at[phase]-r.at[0])
		e.SetInt(stream.RequestEngineStep, r.number*7+r.output)
	}
}
