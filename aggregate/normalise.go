package aggregate

import "github.com/inferlake/inferlake/stream"

// phaseMark is the mark that a phase sets, 0 for none.
var phaseMark = [...]stream.Field{
	stream.PhaseReceived:         stream.RequestReceivedUnixNano,
	stream.PhaseQueued:           stream.RequestQueuedUnixNano,
	stream.PhaseScheduled:        stream.RequestScheduledUnixNano,
	stream.PhasePreempted:        0,
	stream.PhaseKVTransfer:       0,
	stream.PhaseFirstByte:        stream.RequestFirstByteUnixNano,
	stream.PhaseFirstToken:       stream.RequestFirstTokenUnixNano,
	stream.PhaseFirstAnswerToken: stream.RequestFirstAnswerUnixNano,
	stream.PhaseTokens:           stream.RequestLastTokenUnixNano,
	stream.PhaseClientGone:       stream.RequestClientGoneUnixNano,
	stream.PhaseFinished:         stream.RequestFinishedUnixNano,
}

// markFields are the marks of a request event.
var markFields = []stream.Field{
	stream.RequestReceivedUnixNano, stream.RequestQueuedUnixNano, stream.RequestScheduledUnixNano,
	stream.RequestFirstByteUnixNano, stream.RequestFirstTokenUnixNano, stream.RequestFirstAnswerUnixNano,
	stream.RequestClientGoneUnixNano, stream.RequestLastTokenUnixNano, stream.RequestFinishedUnixNano,
}

var markSet, cacheSet = stream.SetOf(markFields...), stream.SetOf(cacheFields...)

// normalise brings a request event into the form that merge joins: the phase's time as a mark, counts inclusive,
// progress apart from final counts. It returns the flags that this gave.
func normalise(e *stream.Event) (flags Flags, seen int64) {
	phase := stream.Phase(e.Num(stream.RequestPhase))
	if f := phaseMark[phase]; f != 0 && !e.Has(f) && e.Has(stream.EventTimeUnixNano) {
		e.SetInt(f, e.Num(stream.EventTimeUnixNano))
	}
	if phase == stream.PhasePreempted {
		n := max(1, e.Num(stream.RequestOccurrence), e.Num(stream.RequestPreemptions))
		e.SetInt(stream.RequestPreemptions, n)
	}
	if phase != stream.PhaseFinished {
		seen = e.Num(stream.RequestOutputTokens)
		e.Unset(stream.RequestOutputTokens)
	}
	return inclusive(e), seen
}

// inclusive makes prompt_tokens include the cached ones. A source that says no convention is taken as inclusive.
func inclusive(e *stream.Event) Flags {
	cached, anyCached := cachedIn(e)
	if !anyCached {
		return 0
	}
	switch stream.TokenConvention(e.Num(stream.RequestTokenConvention)) {
	case stream.TokensExclusive:
		if prompt, ok := e.Int(stream.RequestPromptTokens); ok {
			prompt += cached
			if prompt < 0 {
				return FlagUnderflow
			}
			e.SetInt(stream.RequestPromptTokens, prompt)
		}
		return 0
	case stream.TokensInclusive:
		return 0
	}
	return FlagNoConvention
}

// cacheFields lie beside the prompt tokens in the exclusive convention: tokens read from and written to caches.
var cacheFields = []stream.Field{stream.RequestCachedLocalTokens, stream.RequestCachedExternalTokens, stream.RequestCachedHostTokens,
	stream.RequestCacheWrite5mTokens, stream.RequestCacheWrite1hTokens}

// cachedIn sums the event's cacheFields.
func cachedIn(e *stream.Event) (sum int64, anyKnown bool) {
	if !e.HasAny(&cacheSet) {
		return 0, false
	}
	for _, f := range cacheFields {
		v, ok := e.Int(f)
		sum += v
		anyKnown = anyKnown || ok
	}
	return sum, anyKnown
}
