package stream

import (
	"math/bits"
	"time"
)

// latestTime is the first time that no clock means, ns: the year 2200.
var latestTime = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// Validate says why an event whose fields are each well-formed is still not accepted. keyed says whether its
// record has a key: without one, nothing brings the parts of a request together.
func Validate(e *Event, keyed bool) Reason {
	if v, ok := e.Int(EventSchemaVersion); ok && v != 1 {
		return ReasonVersion
	}
	if !isKind(uint64(e.Kind)) {
		return ReasonNoBody
	}
	if why := validSubject(e, keyed); why != Accepted {
		return why
	}
	return validTimes(e)
}

// validSubject asks for what the event is about.
func validSubject(e *Event, keyed bool) Reason {
	switch e.Kind {
	case KindRequest:
		return validRequest(e, keyed)
	case KindEngine, KindStep:
		return need(e.Text(EventInstance) != "", ReasonNoInstance)
	case KindInstance:
		return validInstance(e)
	case KindGPU:
		return need(e.Text(GPUGPU) != "", ReasonNoSubject)
	case KindFault:
		return need(e.Text(FaultGPU) != "", ReasonNoSubject)
	case KindNode:
		return need(e.Text(NodeNode) != "", ReasonNoSubject)
	case KindKube:
		return need(e.Text(KubePod) != "" || e.Text(KubeDeployment) != "", ReasonNoSubject)
	}
	return Accepted
}

func need(ok bool, otherwise Reason) Reason {
	if ok {
		return Accepted
	}
	return otherwise
}

func validRequest(e *Event, keyed bool) Reason {
	phase := Phase(e.Num(RequestPhase))
	switch {
	case phase == 0:
		return ReasonPhase
	case e.Text(EventInstance) == "":
		return ReasonNoInstance
	case !keyed && !(phase == PhaseFinished && (e.Has(RequestOutputTokens) || e.Has(RequestPromptTokens))):
		return ReasonUnkeyed
	case e.Has(RequestITLBucket) || e.Has(RequestITLCount):
		return validLatencies(e.Ints(RequestITLBucket), e.Ints(RequestITLCount))
	}
	return Accepted
}

// validLatencies asks for ascending buckets, each with its count, that add up to what a request may last.
func validLatencies(buckets, counts []int64) Reason {
	if len(buckets) != len(counts) {
		return ReasonRange
	}
	last, left := int64(-1), int64(maxLatencies)
	for i, b := range buckets {
		if b <= last || b > longestLatency || counts[i] <= 0 || counts[i] > maxCount {
			return ReasonRange
		}
		if floor := latencyFloor(b); floor > 0 {
			if counts[i] > left/floor {
				return ReasonRange
			}
			left -= counts[i] * floor
		}
		last = b
	}
	return Accepted
}

var longestLatency = LatencyBucket(maxDuration)

// validInstance asks for a share of each GPU that is named, where shares are given.
func validInstance(e *Event) Reason {
	if e.Text(EventInstance) == "" {
		return ReasonNoInstance
	}
	return need(!e.Has(InstanceGPUSharesPPM) || len(e.Ints(InstanceGPUSharesPPM)) == len(e.Texts(InstanceGPUUUIDs)), ReasonRange)
}

// validTimes asks for a moment, and that every moment named is one.
func validTimes(e *Event) Reason {
	times := timeBits[e.Kind]
	if e.set[0]&times[0]|e.set[1]&times[1] == 0 {
		return ReasonNoTime
	}
	finished := e.Kind == KindRequest && Phase(e.Num(RequestPhase)) == PhaseFinished
	if !finished && !e.Has(EventTimeUnixNano) {
		return ReasonNoTime
	}
	for i, word := range e.set {
		for word &= times[i]; word != 0; word &= word - 1 {
			f := fieldAt(bodyStart[e.Kind], i<<6+bits.TrailingZeros64(word))
			if v := e.num[places[f].slot]; v <= 0 || v >= latestTime {
				return ReasonRange
			}
		}
	}
	return Accepted
}
