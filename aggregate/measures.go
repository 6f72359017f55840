package aggregate

import "github.com/inferlake/inferlake/stream"

// Measures are the sum columns of request_windows.
var Measures = []Measure{
	{"arrivals", "requests", AtMoment, at((*Request).received), one, "Requests received."},
	{"finished", "requests", AtMoment, at((*Request).finished), one, "Requests ended, whatever the outcome."},
	{"ok", "requests", AtMoment, at((*Request).finished), outcome(stream.OutcomeOK), "Ended well."},
	{"errors", "requests", AtMoment, at((*Request).finished), outcome(stream.OutcomeError), "Ended by an error."},
	{"timeouts", "requests", AtMoment, at((*Request).finished), outcome(stream.OutcomeTimeout), "Ended by a time-out."},
	{"rejected", "requests", AtMoment, at((*Request).finished), outcome(stream.OutcomeRejected), "Refused."},
	{"cancelled", "requests", AtMoment, at((*Request).finished), outcome(stream.OutcomeCancelled), "Cancelled by the client or aborted."},
	{"lost", "requests", AtMoment, at((*Request).finished), outcome(stream.OutcomeLost), "Their end was never told."},
	{"unknown_outcome", "requests", AtMoment, at((*Request).finished), outcome(stream.OutcomeUnknown), "Ended, how is not known."},
	{"http_4xx", "requests", AtMoment, at((*Request).finished), httpClass(4), "Ended with an HTTP status of 400 to 499."},
	{"http_5xx", "requests", AtMoment, at((*Request).finished), httpClass(5), "Ended with an HTTP status of 500 to 599."},
	{"first_tokens", "requests", AtMoment, at((*Request).firstToken), one, "Requests whose first token came."},
	{"clients_gone", "requests", AtMoment, at((*Request).clientGone), one, "Requests whose client left."},
	{"preemptions", "preemptions", AtMoment, at((*Request).finished), number(stream.RequestPreemptions), "Preemptions of the requests that ended."},
	{"unknown_usage", "requests", AtMoment, at((*Request).finished), unknownUsage, "Ended without token counts."},
	{"cache_known", "requests", AtMoment, at((*Request).finished), cacheKnown, "Ended with the number of cached tokens known."},
	{"late_requests", "requests", AtMoment, at((*Request).finished), lateRow, "Rows with an event behind the watermark."},

	{"prompt_tokens", "tokens", SpreadBack, (*Request).promptSpan, (*Request).promptTokens, "Prompt tokens, cached ones included; of n choices at the first."},
	{"cached_tokens", "tokens", SpreadBack, (*Request).promptSpan, (*Request).cachedTokens, "Prompt tokens read from a cache."},
	{"cache_known_prompt_tokens", "tokens", SpreadBack, (*Request).promptSpan, (*Request).cacheKnownPromptTokens, "Prompt tokens of requests whose cached tokens are known."},
	{"output_tokens", "tokens", SpreadBack, (*Request).outputSpan, (*Request).outputTokens, "Output tokens."},
	{"reasoning_tokens", "tokens", SpreadBack, (*Request).outputSpan, number(stream.RequestReasoningTokens), "Output tokens spent on reasoning."},
	{"waiting_ns", "ns", SpreadBack, (*Request).waitingSpan, span((*Request).waitingSpan), "Time that requests waited: ÷ window = mean waiting requests."},
	{"running_ns", "ns", SpreadBack, (*Request).runningSpan, span((*Request).runningSpan), "Time that requests ran: ÷ window = mean running requests."},
	{"prefill_ns", "ns", SpreadBack, (*Request).prefillSpan, span((*Request).prefillSpan), "Time in prefill."},
	{"decode_ns", "ns", SpreadBack, (*Request).decodeSpan, span((*Request).decodeSpan), "Time in decode."},
}

// Distributions are the measures of request_sketches; itl comes as a sketch from the source.
var Distributions = []Distribution{
	{"ttft", "ns", (*Request).firstToken, (*Request).ttft, "Time to first token on the row's own leg."},
	{"queue", "ns", (*Request).scheduled, (*Request).queueTime, "Queued to scheduled."},
	{"prefill", "ns", (*Request).firstToken, (*Request).prefillTime, "Scheduled to first token."},
	{"decode", "ns", (*Request).endedWell, (*Request).decodeTime, "First to last token, of requests that ended well."},
	{"tpot", "ns", (*Request).endedWell, (*Request).tpot, "Time per output token after the first, of requests that ended well."},
	{"e2e", "ns", (*Request).endedWell, (*Request).e2e, "Received to finished, of requests that ended well."},
	{"prompt_length", "tokens", (*Request).finished, known(stream.RequestPromptTokens), "Prompt tokens of a request."},
	{"output_length", "tokens", (*Request).finished, (*Request).outputLength, "Output tokens of a request."},
}

// ITL is the distribution that sources send as a sketch: one observation a token after the first.
const ITL = "itl"
