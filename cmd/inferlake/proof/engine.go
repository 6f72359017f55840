package proof

import (
	"fmt"
	"math"

	"github.com/inferlake/inferlake/stream"
)

const (
	lanes      = 4
	sampleLane = 0 // carries samples and instance events, beside requests on their own topic
)

// engine is a process that serves requests and tells of them. Odd ones number their requests and have a monotonic clock.
type engine struct {
	*Load
	index    int
	role     stream.Role
	model    string
	instance string

	boot     int
	started  int64
	until    int64 // end of this boot
	back     int64 // start of the next one
	ordinal  int64
	beatAt   int64
	sampleAt int64
	totals   [8]int64
	recent   []string // ids that were used, for the clients that use one again
}

func newEngine(l *Load, i int) *engine {
	roles := []stream.Role{stream.RoleEngine, stream.RoleEngine, stream.RoleGateway, stream.RolePrefill, stream.RoleDecode, stream.RoleEngine}
	e := &engine{Load: l, index: i, role: roles[i%len(roles)], model: fmt.Sprint("model-", i%3), instance: fmt.Sprint("engine-", i)}
	e.begin(Start)
	return e
}

// begin starts a boot: counters and sequences start again.
func (e *engine) begin(t int64) {
	e.boot++
	e.started, e.until = t, t+e.between(100*second, 400*second)
	e.back = e.until + e.between(second, 20*second)
	e.ordinal, e.totals, e.recent = 0, [8]int64{}, nil
	e.beatAt, e.sampleAt = t+10*second, t+second
	e.tell(t, stream.StateStarting)
	e.tell(t+100*millisecond, stream.StateReady)
}

// live does what the engine does in one step of time.
func (e *engine) live() {
	switch {
	case e.now < e.until:
	case e.now < e.back:
		return
	default:
		if e.chance(0.5) {
			e.tell(e.until, stream.StateStopped)
		}
		e.begin(e.back)
		return
	}
	for range e.arrivals() {
		e.request(e.now - e.rng.Int64N(step)/1000*1000)
	}
	if e.now >= e.beatAt {
		e.heartbeats()
	}
	if e.now >= e.sampleAt {
		e.samples()
	}
	if e.chance(0.0005) {
		e.poison(stream.TopicRequests, fmt.Sprintf("%s/%d", e.producer(), e.rng.IntN(lanes)))
	}
}

// arrivals is how many requests come in a step: a Poisson number.
func (e *engine) arrivals() (n int) {
	mean := e.o.Rate / float64(len(e.Load.engines)) * float64(step) / float64(second)
	for p := e.rng.Float64(); p > math.Exp(-mean); p *= e.rng.Float64() {
		n++
	}
	return n
}

func (e *engine) producer() string { return fmt.Sprint("agent-", e.index) }
func (e *engine) numbered() bool   { return e.index%2 == 1 }

// event is an event of this engine, its time in whole microseconds.
func (e *engine) event(kind stream.Kind, lane, t int64) *stream.Event {
	v := new(stream.Event)
	v.Reset(kind)
	v.SetText(stream.EventProducer, e.producer())
	v.SetText(stream.EventBoot, fmt.Sprint("boot-", e.boot))
	v.SetInt(stream.EventLane, lane)
	v.SetText(stream.EventSource, "engine")
	v.SetText(stream.EventInstance, e.instance)
	v.SetInt(stream.EventRole, int64(e.role))
	v.SetInt(stream.EventTimeUnixNano, t-t%1000)
	return v
}

// tell says that the instance entered a state.
func (e *engine) tell(t int64, state stream.Lifecycle) {
	v := e.event(stream.KindInstance, sampleLane, t)
	v.SetInt(stream.InstanceState, int64(state))
	v.SetInt(stream.InstanceBootStartedUnixNano, e.started)
	v.SetText(stream.InstanceEngine, "vllm")
	v.SetText(stream.InstanceModel, e.model)
	v.SetText(stream.InstanceDeployment, fmt.Sprint("deployment-", e.index%2))
	v.SetText(stream.InstanceNode, fmt.Sprint("node-", e.index))
	v.SetText(stream.InstanceGPUType, "h100")
	v.SetInts(stream.InstanceGPUSharesPPM, []int64{1e6, 5e5})
	v.SetTexts(stream.InstanceGPUUUIDs, []string{e.gpu(0), e.gpu(1)})
	e.at(t, v)
}

func (e *engine) heartbeats() {
	e.beatAt += 10 * second
	for i := range int64(lanes) {
		v := e.event(stream.KindInstance, i, e.now)
		v.SetInt(stream.InstanceState, int64(stream.StateHeartbeat))
		v.SetInt(stream.InstanceBootStartedUnixNano, e.started)
		e.at(e.now, v)
	}
}
