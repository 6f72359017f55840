package stream

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
)

// randomEvent makes an event of any kind that Validate accepts, with each field there or not.
func randomEvent(r *rand.Rand) *Event {
	e := &Event{}
	randomInto(r, e, Kinds[r.IntN(len(Kinds))].Kind)
	return e
}

func randomInto(r *rand.Rand, e *Event, kind Kind) {
	e.Reset(kind)
	share := r.IntN(10)
	for f := range Fields {
		if m := Fields[f].Message; (m == Envelope || m == kind) && r.IntN(10) <= share {
			randomField(r, e, Field(f))
		}
	}
	e.Unset(EventSchemaVersion)
	e.SetInt(EventTimeUnixNano, 1773027000123456789+r.Int64N(1e12))
	e.SetText(EventInstance, "gw-"+strconv.Itoa(r.IntN(3)))
	switch kind {
	case KindRequest:
		e.SetInt(RequestPhase, 1+r.Int64N(int64(len(PhaseNames)-1)))
		randomLatencies(r, e)
	case KindGPU:
		e.SetText(GPUGPU, "GPU-1")
	case KindFault:
		e.SetText(FaultGPU, "GPU-1")
	case KindNode:
		e.SetText(NodeNode, "n1")
	case KindKube:
		e.SetText(KubePod, "p1")
	case KindInstance:
		e.SetTexts(InstanceGPUUUIDs, make([]string, len(e.Ints(InstanceGPUSharesPPM))))
		if !e.Has(InstanceGPUSharesPPM) {
			e.Unset(InstanceGPUUUIDs)
		}
	}
}

func randomField(r *rand.Rand, e *Event, f Field) {
	switch info := &Fields[f]; info.Type {
	case Text:
		e.SetText(f, randomText(r))
	case Texts:
		list := []string{randomText(r)}
		for r.IntN(2) == 0 {
			list = append(list, randomText(r))
		}
		e.SetTexts(f, list)
	case Ints:
		_, most := info.Bounds()
		list := []int64{min(most, randomInt(r))}
		for r.IntN(2) == 0 {
			list = append(list, min(most, randomInt(r)))
		}
		e.SetInts(f, list)
	case Signed:
		_, most := info.Bounds()
		e.SetInt(f, min(most, randomInt(r))*int64(1-2*r.IntN(2)))
	case Hash:
		e.SetInt(f, randomInt(r)*int64(1-2*r.IntN(2)))
	case Bool:
		e.SetInt(f, r.Int64N(2))
	case Enum:
		e.SetInt(f, 1+r.Int64N(int64(len(*info.Enum)-1)))
	case Ratio:
		e.SetInt(f, r.Int64N(million+1))
	case Time:
		e.SetInt(f, 1+r.Int64N(latestTime-1))
	default:
		_, most := info.Bounds()
		e.SetInt(f, min(most, randomInt(r)))
	}
}

func randomInt(r *rand.Rand) int64 {
	return int64(r.Uint64() >> (1 + r.IntN(63)))
}

func randomText(r *rand.Rand) string {
	return []string{"", "a", "model-x", "ünïcode ☃", "\"quoted\"\\\n\t\x01", "req-" + strconv.Itoa(r.IntN(1000)), "𝄞"}[r.IntN(7)]
}

func randomLatencies(r *rand.Rand, e *Event) {
	var buckets, counts []int64
	for b := r.Int64N(900); b < 1500 && r.IntN(10) > 0; b += 1 + r.Int64N(90) {
		buckets, counts = append(buckets, b), append(counts, 1+r.Int64N(1000))
	}
	e.Unset(RequestITLBucket)
	e.Unset(RequestITLCount)
	if buckets != nil {
		e.SetInts(RequestITLBucket, buckets)
		e.SetInts(RequestITLCount, counts)
	}
}

// show writes an event as text that tells everything in it.
func show(e *Event) string {
	if e == nil {
		return "-"
	}
	s := kindNames[e.Kind]
	e.Each(func(f Field) {
		switch info := &Fields[f]; info.Type {
		case Text:
			s += fmt.Sprintf(" %s=%q", info.Name, e.Text(f))
		case Texts:
			s += fmt.Sprintf(" %s=%q", info.Name, e.Texts(f))
		case Ints:
			s += fmt.Sprintf(" %s=%d", info.Name, e.Ints(f))
		case Enum:
			s += fmt.Sprintf(" %s=%s", info.Name, info.Enum.Name(e.Num(f)))
		default:
			s += fmt.Sprintf(" %s=%d", info.Name, e.Num(f))
		}
	})
	return s
}

// decodeAll shows every event of a keyed record, or why it was refused.
func decodeAll(d *Decoder, content string, value []byte) []string {
	return decodeRecord(d, &Record{Key: []byte("p/0"), Value: value, ContentType: content})
}

func decodeRecord(d *Decoder, rec *Record) (out []string) {
	d.Decode(rec, func(index int32, e *Event, why Reason) {
		if int(index) != len(out) {
			out = append(out, fmt.Sprintf("index %d out of order", index))
		}
		if (e == nil) == (why == Accepted) {
			out = append(out, "event and reason contradict each other")
		}
		if why != Accepted {
			out = append(out, "refused: "+string(why))
			return
		}
		out = append(out, show(e))
	})
	return out
}

func showAll(es []*Event) (out []string) {
	for _, e := range es {
		out = append(out, show(e))
	}
	return slices.Clip(out)
}
