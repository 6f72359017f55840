package proof

import "github.com/inferlake/inferlake/stream"

// tellAll tells each moment when it happens.
func (s *script) tellAll() {
	s.tellArrival()
	s.plan(s.about(stream.PhaseQueued, s.queued))
	scheduled := s.about(stream.PhaseScheduled, s.scheduled)
	scheduled.SetInt(stream.RequestOccurrence, 1)
	if s.chance(0.5) {
		scheduled.SetInt(stream.RequestEngineStep, 1+(s.scheduled-s.started)/(30*millisecond))
	}
	s.plan(scheduled)
	if s.role == stream.RoleDecode && s.chance(0.5) {
		transfer := s.about(stream.PhaseKVTransfer, s.scheduled)
		transfer.SetInt(stream.RequestKVTransferBytes, s.prompt<<17)
		transfer.SetInt(stream.RequestKVTransferNano, s.prompt*1000)
		s.plan(transfer)
	}
	s.tellTokens()
	s.tellDisturbances()
	if s.boundless {
		return
	}
	end := s.end()
	if s.chance(0.3) {
		s.marked(end) // again, with a higher rank
	}
	if s.chance(0.3) {
		s.measured(end)
	}
	s.plan(end)
}

func (s *script) tellArrival() {
	received := s.about(stream.PhaseReceived, s.received)
	s.describe(received)
	if s.chance(0.5) {
		s.usage(received)
	}
	received.SetInt(stream.RequestStream, s.rng.Int64N(2))
	received.SetInt(stream.RequestMaxTokens, 4096)
	received.SetInt(stream.RequestRunningRequests, s.rng.Int64N(100))
	if s.chance(0.01) {
		received.SetInt(stream.RequestProbe, 1)
	}
	s.plan(received)
}

// tellTokens tells the first token and the progress, cumulative.
func (s *script) tellTokens() {
	if s.role == stream.RoleGateway {
		s.plan(s.about(stream.PhaseFirstByte, s.first))
	}
	s.plan(s.about(stream.PhaseFirstToken, s.first))
	if s.answer < s.last && s.chance(0.3) {
		s.plan(s.about(stream.PhaseFirstAnswerToken, s.answer))
	}
	every := s.between(4*second, 12*second)
	for t := s.first + every; t < s.last; t += every {
		tokens := s.about(stream.PhaseTokens, t)
		tokens.SetInt(stream.RequestOutputTokens, 1+(t-s.first)/(20*millisecond))
		tokens.SetInt(stream.RequestDraftedTokens, (t-s.first)/(15*millisecond))
		tokens.SetInt(stream.RequestPrefilledTokens, s.prompt-s.prompt/10)
		tokens.SetInt(stream.RequestEngineStep, 1+(t-s.started)/(30*millisecond))
		s.plan(tokens)
		if s.chance(0.002) {
			return // silent until the end, for longer than it may be
		}
	}
}

func (s *script) tellDisturbances() {
	for n := range s.preemptions {
		preempted := s.about(stream.PhasePreempted, s.first+(s.last-s.first)*(n+1)/(s.preemptions+2))
		if s.chance(0.8) {
			preempted.SetInt(stream.RequestOccurrence, n+1)
		}
		preempted.SetInt(stream.RequestPreemptedNano, (n+1)*150*millisecond)
		s.plan(preempted)
	}
	if s.chance(0.05) {
		s.plan(s.about(stream.PhaseClientGone, s.between(s.first, s.last+second)))
	}
}

// tellEnds tells the arrival and, with all marks, the end.
func (s *script) tellEnds() {
	s.tellArrival()
	if s.boundless {
		return
	}
	end := s.end()
	s.marked(end)
	s.measured(end)
	s.plan(end)
}

// tellOnce tells everything in one finished event.
func (s *script) tellOnce() {
	end := s.end()
	s.describe(end)
	s.marked(end)
	if s.chance(0.5) {
		s.measured(end)
	}
	s.plan(end)
}

// tellDerived tells the end and durations: the arrival follows from them.
func (s *script) tellDerived() {
	end := s.end()
	s.describe(end)
	s.measured(end)
	if s.chance(0.5) {
		end.SetInt(stream.RequestFirstTokenUnixNano, s.first)
	}
	s.plan(end)
}

// tellPreempted tells nothing but that the request was preempted: a record without a mark.
func (s *script) tellPreempted() { s.plan(s.about(stream.PhasePreempted, s.first)) }

// tellAncient claims to have begun years ago; what it measured says otherwise.
func (s *script) tellAncient() {
	const years = 5 * 365 * 86400 * second
	old := *s
	old.received, old.queued, old.scheduled = s.received-years, s.queued-years, s.scheduled-years
	end := old.end()
	old.describe(end)
	old.marked(end)
	s.measured(end)
	s.plan(end)
}
