package proof

import (
	"fmt"
	"math"

	"github.com/inferlake/inferlake/stream"
)

// script is one request: its marks, and how it is told. Times are ns on the wall clock.
type script struct {
	*engine
	id                string
	lane              int64
	ordinal, attempt  int64
	choice            int64
	epoch             int64 // of the monotonic clock against the wall
	tenant            uint64
	class, adapter    string
	exclusive, silent bool // token convention; silent: none is named
	boundless         bool // its end is never told

	received, queued, scheduled, first, answer, last, finished int64
	prompt, cached, written, output, preemptions               int64
}

// request begins a request and plans all that will be told about it.
func (e *engine) request(t int64) {
	s := &script{engine: e, received: t, id: e.newID(), lane: e.rng.Int64N(lanes), epoch: e.started - 1000*second}
	if e.numbered() {
		e.ordinal++
		s.ordinal = e.ordinal
	}
	if e.chance(0.02) {
		s.attempt = 1
	}
	s.tenant = e.rng.Uint64N(50) * 0x9e3779b97f4a7c15
	s.class = e.class()
	s.adapter = []string{"", "", "lora-1"}[e.rng.IntN(3)]
	s.boundless = e.chance(0.05)
	s.exclusive, s.silent = e.chance(0.3), e.chance(0.2)
	s.marks()
	s.counts()
	choices := int64(1)
	if e.chance(0.03) {
		choices = 3
	}
	for s.choice = range choices {
		s.tell()
	}
}

// class is a request class: of a few, or of as many as the options ask for.
func (e *engine) class() string {
	if e.o.Classes > 0 {
		return fmt.Sprint("class-", e.rng.IntN(e.o.Classes))
	}
	return []string{"", "chat", "batch"}[e.rng.IntN(3)]
}

// newID is a new id, or one that was used before.
func (e *engine) newID() string {
	if len(e.recent) > 0 && e.chance(0.01) {
		return e.recent[e.rng.IntN(len(e.recent))]
	}
	id := fmt.Sprintf("r-%x", e.rng.Uint64())
	if len(e.recent) < 500 {
		e.recent = append(e.recent, id)
	} else {
		e.recent[e.rng.IntN(len(e.recent))] = id
	}
	return id
}

// marks draws a life: exponential, so some are very long.
func (s *script) marks() {
	life := int64(s.rng.ExpFloat64() * s.o.Life * float64(second))
	micros := func(ns float64) int64 { return int64(ns) / 1000 * 1000 }
	s.queued = s.received + micros(s.rng.Float64()*3e6)
	s.scheduled = s.queued + micros(s.rng.ExpFloat64()*float64(life)*0.1)
	s.first = s.scheduled + micros(s.rng.ExpFloat64()*0.8e9)
	s.answer = s.first + micros(s.rng.Float64()*2e9)
	s.last = s.first + micros(float64(life))
	s.finished = s.last + micros(s.rng.Float64()*5e6)
	if s.chance(0.005) {
		s.scheduled = s.queued - 700*1000 // clocks that disagree
	}
}

func (s *script) counts() {
	s.prompt = 1 + int64(math.Exp(s.rng.NormFloat64()+6))
	if s.chance(0.6) {
		s.cached = s.rng.Int64N(s.prompt + 1)
	}
	if s.chance(0.1) {
		s.written = s.rng.Int64N(2000)
	}
	if s.chance(0.005) {
		s.cached = s.prompt + 17 // more than there are
	}
	s.output = 1 + (s.last-s.first)/(20*millisecond)
	if s.chance(0.02) {
		s.output = 1
	}
	if s.chance(0.1) {
		s.preemptions = 1 + s.rng.Int64N(3)
	}
}

// tell plans the events, in one of the ways in which sources tell of requests.
func (s *script) tell() {
	switch p := s.rng.Float64(); {
	case p < 0.65:
		s.tellAll()
	case p < 0.80:
		s.tellEnds()
	case p < 0.95:
		s.tellOnce()
	case p < 0.99:
		s.tellDerived()
	case p < 0.995:
		s.tellPreempted()
	default:
		s.tellAncient()
	}
}

// about is an event about the request; the engine's monotonic clock says when, where there is one.
func (s *script) about(phase stream.Phase, t int64) *stream.Event {
	v := s.event(stream.KindRequest, s.lane, t)
	v.SetText(stream.RequestRequestID, s.id)
	v.SetInt(stream.RequestPhase, int64(phase))
	if s.attempt != 0 {
		v.SetInt(stream.RequestAttempt, s.attempt)
	}
	if s.choice != 0 {
		v.SetInt(stream.RequestChoice, s.choice)
	}
	if s.ordinal != 0 {
		v.SetInt(stream.RequestOrdinal, s.ordinal)
		v.SetText(stream.EventClockDomain, fmt.Sprint("mono-", s.index))
		v.SetInt(stream.EventMonoNano, t-s.epoch)
		v.SetInt(stream.EventTimeUnixNano, (t+s.rng.Int64N(300_000))/1000*1000) // the wall clock wavers
	}
	return v
}

// plan lets an event happen at its moment; events lie a little, or contradict another one, now and then.
func (s *script) plan(v *stream.Event) {
	t := v.Num(stream.EventTimeUnixNano)
	if t > s.until {
		return // the engine is gone by then
	}
	if s.chance(0.003) && stream.Phase(v.Num(stream.RequestPhase)) != stream.PhaseReceived {
		v.SetInt(stream.EventTimeUnixNano, t+3600*second) // a clock far ahead
	}
	if s.chance(0.03) {
		s.contradict(t, v)
	}
	s.at(t, v)
}

// contradict plans what another source says about the same moment: of another rank, with other names and counts.
func (s *script) contradict(t int64, v *stream.Event) {
	w := new(stream.Event)
	v.CopyTo(w)
	w.SetText(stream.EventSource, "tail")
	w.SetInt(stream.EventRank, s.rng.Int64N(4))
	w.SetText(stream.RequestModel, fmt.Sprint("model-", s.rng.IntN(3)))
	w.SetInt(stream.RequestTenant, int64(s.rng.Uint64()))
	w.SetInt(stream.RequestPromptTokens, s.prompt+s.rng.Int64N(3)-1)
	if v.Has(stream.RequestOutcome) {
		w.SetInt(stream.RequestOutcome, s.outcome(1))
		w.SetInt(stream.EventTimeUnixNano, v.Num(stream.EventTimeUnixNano)+s.between(-2000, 3000)*1000)
		w.Unset(stream.EventMonoNano)
		w.SetInt(stream.RequestOutputTokens, max(0, s.output+s.rng.Int64N(5)-2))
	}
	s.at(t+s.rng.Int64N(30*second), w)
}

// describe adds the dimensions.
func (s *script) describe(v *stream.Event) {
	v.SetText(stream.RequestModel, s.model)
	v.SetText(stream.RequestModelVersion, "v1")
	v.SetInt(stream.RequestTenant, int64(s.tenant))
	v.SetText(stream.RequestJoinKey, "join-"+s.id)
	for f, text := range map[stream.Field]string{stream.RequestRequestClass: s.class, stream.RequestAdapter: s.adapter} {
		if text != "" {
			v.SetText(f, text)
		}
	}
}

// usage adds the prompt's counts in the request's convention.
func (s *script) usage(v *stream.Event) {
	prompt := s.prompt
	if s.exclusive && !s.silent {
		prompt = max(0, prompt-s.cached-s.written)
		v.SetInt(stream.RequestTokenConvention, int64(stream.TokensExclusive))
	} else if !s.silent {
		v.SetInt(stream.RequestTokenConvention, int64(stream.TokensInclusive))
	}
	v.SetInt(stream.RequestPromptTokens, prompt)
	if s.cached > 0 || s.exclusive {
		v.SetInt(stream.RequestCachedLocalTokens, s.cached/2)
		v.SetInt(stream.RequestCachedHostTokens, s.cached-s.cached/2)
	}
	if s.written > 0 {
		v.SetInt(stream.RequestCacheWrite5mTokens, s.written)
	}
}

// end is the finished event without marks.
func (s *script) end() *stream.Event {
	v := s.about(stream.PhaseFinished, s.finished)
	s.usage(v)
	switch p := s.rng.Float64(); {
	case p < 0.85:
		v.SetInt(stream.RequestOutcome, int64(stream.OutcomeOK))
		v.SetInt(stream.RequestFinishReason, 1+s.rng.Int64N(2))
		v.SetInt(stream.RequestHTTPStatus, 200)
	case p < 0.95:
		v.SetInt(stream.RequestOutcome, s.outcome(2))
		v.SetInt(stream.RequestHTTPStatus, s.status())
	case p < 0.98:
		v.SetInt(stream.RequestFinishReason, int64(stream.ReasonLength)) // the outcome is implied
	}
	if s.chance(0.97) {
		v.SetInt(stream.RequestOutputTokens, s.output)
	}
	if s.chance(0.2) {
		v.SetInt(stream.RequestReasoningTokens, s.output/3)
	}
	if s.chance(0.3) { // now and then less than was told on the way
		v.SetInt(stream.RequestDraftedTokens, max(0, (s.last-s.first)/(15*millisecond)-s.rng.Int64N(2)*100))
		v.SetInt(stream.RequestPrefilledTokens, s.prompt-s.rng.Int64N(2)*s.prompt/2)
	}
	s.latencies(v)
	return v
}

// outcome is any from a number on. Nothing is rejected before every name is known: a refused request admits no name to
// the windows, and the oracle does not count names.
func (s *script) outcome(from int64) int64 {
	o := s.between(from, 8)
	if o == int64(stream.OutcomeRejected) && s.now < Start+40*second {
		return int64(stream.OutcomeCancelled)
	}
	return o
}

// status is an HTTP status of a request that failed; none blames the request while names are new.
func (s *script) status() int64 {
	status := []int64{404, 418, 499, 500, 504}[s.rng.IntN(5)]
	if status < 499 && s.now < Start+40*second {
		return 500
	}
	return status
}

// latencies adds the sketch of the times between tokens: an index of docs/events.md and a count each.
func (s *script) latencies(v *stream.Event) {
	if s.output < 2 || !s.chance(0.7) {
		return
	}
	v.SetInts(stream.RequestITLBucket, []int64{0, 40, 900 + s.rng.Int64N(40), 1300})
	v.SetInts(stream.RequestITLCount, []int64{1, 2, s.output, 3})
}

// marked adds all marks to a finished event.
func (s *script) marked(v *stream.Event) {
	for f, t := range map[stream.Field]int64{
		stream.RequestReceivedUnixNano: s.received, stream.RequestQueuedUnixNano: s.queued, stream.RequestScheduledUnixNano: s.scheduled,
		stream.RequestFirstTokenUnixNano: s.first, stream.RequestLastTokenUnixNano: s.last,
	} {
		v.SetInt(f, t)
	}
}

// measured adds durations as the engine took them: not those of the marks.
func (s *script) measured(v *stream.Event) {
	v.SetInt(stream.RequestE2ENano, s.finished-s.received+s.rng.Int64N(1000))
	v.SetInt(stream.RequestTTFTEngineNano, s.first-s.received+s.rng.Int64N(1000))
	v.SetInt(stream.RequestTTFTGatewayNano, s.first-s.received+s.rng.Int64N(1000))
	v.SetInt(stream.RequestQueueNano, s.scheduled-s.queued)
	v.SetInt(stream.RequestPrefillNano, s.first-s.scheduled)
	v.SetInt(stream.RequestDecodeNano, s.last-s.first)
}
