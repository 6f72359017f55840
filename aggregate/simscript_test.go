package aggregate

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/inferlake/inferlake/stream"
)

// simLane is one lane of one boot of a producer.
type simLane struct {
	producer, boot string
	lane           int64
}

// sent is an event on its way to the log.
type sent struct {
	lane    simLane
	at      time.Time // when it is told
	arrives time.Time
	event   stream.Event
}

// script writes what the producers of a day say.
type script struct {
	rng  *rand.Rand
	day  time.Time
	said []sent
}

// writeLog lets the producers speak in a few shifts, numbers what they say, and sends it over bad lines.
func (s *sim) writeLog() *simLog {
	w := &script{rng: s.rand("script"), day: s.began}
	engines := 1 + w.rng.IntN(3)
	for range 3 + w.rng.IntN(3) {
		shift := between(w.rng, 0, simulated-30*time.Minute)
		for e := range engines {
			w.shift(fmt.Sprint("engine-", e), w.day.Add(shift))
		}
	}
	w.number()
	log := w.transmit()
	if w.rng.IntN(10) == 0 {
		s.killer = log.records[w.rng.IntN(len(log.records))].Offset
	}
	return log
}

// shift is a busy quarter of an hour of an engine: one boot, or two when it dies in the middle.
func (w *script) shift(engine string, from time.Time) {
	length := between(w.rng, time.Minute, 20*time.Minute)
	boots := 1 + w.rng.IntN(2)
	for b := range boots {
		start := from.Add(length * time.Duration(b) / time.Duration(boots))
		boot := simBoot{engine, fmt.Sprint(engine, "@", start.Unix()), start, length / time.Duration(boots)}
		if w.rng.IntN(4) == 0 {
			boot.id, boot.start = engine+"@0", w.day // one that has been there all day
		}
		w.boot(boot, start)
	}
}

type simBoot struct {
	engine, id string
	start      time.Time
	length     time.Duration
}

func (w *script) boot(b simBoot, from time.Time) {
	for t := time.Duration(0); t < b.length; t += time.Minute {
		w.sample(b, from.Add(t+between(w.rng, 0, time.Second)), int64(t/time.Second))
		for lane := range int64(2) {
			if w.rng.IntN(3) == 0 {
				w.life(b, lane, from.Add(t), stream.StateHeartbeat)
			}
		}
	}
	for range 1 + w.rng.IntN(8) {
		w.request(b, from.Add(between(w.rng, 0, b.length)))
	}
	if w.rng.IntN(2) == 0 {
		w.life(b, 0, from.Add(b.length), stream.StateStopped)
	}
}

// event begins an event of a boot.
func (w *script) event(kind stream.Kind, b simBoot, lane int64, at time.Time) stream.Event {
	var e stream.Event
	e.Reset(kind)
	e.SetText(stream.EventProducer, b.engine)
	e.SetText(stream.EventBoot, b.id)
	e.SetText(stream.EventSource, "engine")
	e.SetText(stream.EventInstance, b.engine)
	e.SetInt(stream.EventRole, int64(stream.RoleEngine))
	e.SetInt(stream.EventLane, lane)
	e.SetInt(stream.EventTimeUnixNano, at.UnixNano())
	return e
}

func (w *script) say(b simBoot, at time.Time, e stream.Event) {
	w.said = append(w.said, sent{simLane{b.engine, b.id, e.Num(stream.EventLane)}, at, at, e})
}

func (w *script) life(b simBoot, lane int64, at time.Time, state stream.Lifecycle) {
	e := w.event(stream.KindInstance, b, lane, at)
	e.SetInt(stream.InstanceState, int64(state))
	e.SetInt(stream.InstanceBootStartedUnixNano, b.start.UnixNano())
	w.say(b, at, e)
}

// sample tells gauges, with or without how long they stand, and a counter that knows its start or not.
func (w *script) sample(b simBoot, at time.Time, n int64) {
	e := w.event(stream.KindEngine, b, 0, at)
	e.SetText(stream.EngineModel, "m0")
	e.SetInt(stream.EngineRunningRequests, w.rng.Int64N(50))
	e.SetInt(stream.EngineKVCacheUsageRatio, w.rng.Int64N(1e6))
	e.SetInt(stream.EngineOutputTokensTotal, n*97)
	if b.engine != "engine-0" {
		e.SetInt(stream.EngineDtNano, int64(time.Minute))
		e.SetInt(stream.EngineStartedUnixNano, b.start.UnixNano())
	}
	w.say(b, at, e)
}

// request tells a request from its arrival to its end, or to where it is lost.
func (w *script) request(b simBoot, at time.Time) {
	lane, id := w.rng.Int64N(2), fmt.Sprint("r", w.rng.IntN(60)) // ids come again: lives, corrections
	if w.rng.IntN(20) == 0 {
		id = ""
	}
	phases := []stream.Phase{stream.PhaseReceived, stream.PhaseQueued, stream.PhaseScheduled, stream.PhaseFirstToken, stream.PhaseTokens, stream.PhaseFinished}
	t, ordinal := at, w.rng.Int64N(3)/2*(1+w.rng.Int64N(1000))
	for i, phase := range phases {
		e := w.event(stream.KindRequest, b, lane, t)
		e.SetText(stream.RequestRequestID, id)
		e.SetInt(stream.RequestPhase, int64(phase))
		if ordinal != 0 {
			e.SetInt(stream.RequestOrdinal, ordinal)
		}
		w.tell(&e, phase, int64(i)*20, at)
		if w.rng.IntN(12) > 0 {
			w.say(b, t, e)
		}
		if w.rng.IntN(40) == 0 {
			return // its end is never told
		}
		t = t.Add(between(w.rng, time.Millisecond, pick(w.rng, time.Second, 15*time.Second, 10*time.Minute)))
	}
}

// tell fills in what an event of a phase says.
func (w *script) tell(e *stream.Event, phase stream.Phase, tokens int64, arrival time.Time) {
	switch phase {
	case stream.PhaseReceived:
		e.SetText(stream.RequestModel, fmt.Sprint("m", w.rng.IntN(4)))
		e.SetInt(stream.RequestPromptTokens, 1+w.rng.Int64N(5000))
	case stream.PhaseScheduled:
		e.SetInt(stream.RequestCachedLocalTokens, w.rng.Int64N(1000))
	case stream.PhaseFirstToken:
		if w.rng.IntN(3) == 0 {
			e.SetInt(stream.RequestReceivedUnixNano, arrival.UnixNano())
		}
	case stream.PhaseTokens:
		e.SetInt(stream.RequestOutputTokens, tokens)
	case stream.PhaseFinished:
		e.SetInt(stream.RequestOutcome, 1+w.rng.Int64N(5))
		e.SetInt(stream.RequestOutputTokens, tokens+w.rng.Int64N(500))
		if w.rng.IntN(4) == 0 {
			e.SetInt(stream.RequestE2ENano, w.rng.Int64N(30e9))
		}
	}
}

// number gives each lane's events their numbers, in the order in which they were told. A heartbeat has one, or not.
func (w *script) number() {
	slices.SortStableFunc(w.said, func(a, b sent) int { return a.at.Compare(b.at) })
	next := map[simLane]int64{}
	for i := range w.said {
		e, lane := &w.said[i].event, w.said[i].lane
		if heartbeat(e) {
			e.SetInt(stream.InstanceLastSeq, max(next[lane]-1, 0))
			if lane.lane == 0 {
				continue
			}
			e.SetInt(stream.InstanceLastSeq, next[lane])
		}
		e.SetInt(stream.EventSeq, next[lane])
		next[lane]++
	}
}

// transmit loses, delays, disorders and repeats.
func (w *script) transmit() *simLog {
	var arriving []sent
	for _, s := range w.said {
		if w.rng.IntN(60) == 0 {
			continue // lost: a gap
		}
		s.arrives = s.at.Add(w.delay())
		if w.rng.IntN(150) == 0 {
			s.event.SetInt(stream.EventTimeUnixNano, s.at.Add(between(w.rng, time.Minute, 50*time.Hour)).UnixNano())
		}
		arriving = append(arriving, s)
		for w.rng.IntN(25) == 0 {
			s.arrives = s.arrives.Add(w.delay() + between(w.rng, 1, time.Hour))
			arriving = append(arriving, s)
		}
	}
	slices.SortStableFunc(arriving, func(a, b sent) int { return cmp.Or(a.arrives.Compare(b.arrives)) })
	return w.record(arriving)
}

func (w *script) delay() time.Duration {
	return between(w.rng, time.Microsecond, pick(w.rng, time.Second, time.Second, time.Second, 5*time.Second, 2*time.Minute, 2*time.Hour))
}

// record puts events on the log, now and then several in a record, some with a wrong stamp, and rubbish between them.
func (w *script) record(arriving []sent) *simLog {
	log := &simLog{}
	for i := 0; i < len(arriving); {
		s := arriving[i]
		r := stream.Record{Timestamp: w.stamp(s.arrives), Key: []byte("p/0"), Value: stream.AppendEvent(nil, &s.event), ContentType: stream.ContentProtobuf}
		n := 1
		if w.rng.IntN(8) == 0 {
			n = min(1+w.rng.IntN(4), len(arriving)-i)
			r.Value, r.ContentType = lines(arriving[i:i+n]), stream.ContentNDJSON
		}
		log.append(s.arrives, r, w.hole())
		if i += n; w.rng.IntN(100) == 0 {
			log.append(s.arrives, stream.Record{Timestamp: s.arrives.UnixNano(), Value: []byte("rubbish"), ContentType: stream.ContentJSON}, w.hole())
		}
		if w.rng.IntN(100) == 0 {
			r.Key = nil // whose is it?
			log.append(s.arrives, r, w.hole())
		}
	}
	return log
}

func lines(events []sent) (b []byte) {
	for i := range events {
		b = append(stream.AppendJSON(b, &events[i].event), '\n')
	}
	return b
}

// stamp is a record's timestamp: when it was sent, unless the producer's clock is wrong.
func (w *script) stamp(arrives time.Time) int64 {
	switch w.rng.IntN(100) {
	case 0:
		return arrives.Add(between(w.rng, time.Minute, 100000*time.Hour)).UnixNano()
	case 1:
		return arrives.Add(-between(w.rng, time.Minute, 5*time.Hour)).UnixNano()
	}
	return arrives.Add(-between(w.rng, 0, time.Second)).UnixNano()
}

func (w *script) hole() int64 { return w.rng.Int64N(10) / 9 }
