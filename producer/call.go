package producer

import (
	"sync"
	"time"

	"github.com/inferlake/inferlake/stream"
)

// Call is one request in a serving process. Its methods may be called from any goroutine, each as often as it
// happens; what comes after Finish is ignored. None of them waits.
type Call struct {
	c       *Client
	line    *line
	id      string
	attempt Number
	choice  Number
	ordinal int64

	mu        sync.Mutex
	received  int64 // moments on the client's monotonic clock, ns; 0 is not yet
	queued    int64
	scheduled int64
	first     int64
	last      int64
	lastWall  int64 // last, ns since 1970 UTC
	told      int64 // when an event was last sent
	paused    int64 // when it was preempted
	tokens    int64
	runs      int64 // times scheduled
	preempted int64 // times preempted
	lostNano  int64 // time spent preempted
	sketch    *sketch
	done      bool
}

// begin sends the received event.
func (k *Call) begin(r *Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	e := k.open(stream.PhaseReceived, now)
	k.received = k.told
	r.describe(e, &k.c.o)
	k.line.commit(now)
}

// open begins an event of the request; the caller commits the line. The call is locked.
func (k *Call) open(phase stream.Phase, now time.Time) *stream.Event {
	k.told = max(k.c.mono(now), 1)
	e := k.line.open(stream.KindRequest, now)
	e.SetText(stream.RequestRequestID, k.id)
	k.attempt.set(e, stream.RequestAttempt)
	k.choice.set(e, stream.RequestChoice)
	e.SetInt(stream.RequestOrdinal, k.ordinal)
	e.SetInt(stream.RequestPhase, int64(phase))
	return e
}

// enter locks the call and reads the clock; false means that the call is over, and not locked.
func (k *Call) enter() (time.Time, bool) {
	k.mu.Lock()
	if k.done {
		k.mu.Unlock()
		return time.Time{}, false
	}
	return time.Now(), true
}

// Queued tells that the request waits to be scheduled.
func (k *Call) Queued() {
	now, ok := k.enter()
	if !ok {
		return
	}
	defer k.mu.Unlock()
	k.open(stream.PhaseQueued, now)
	if k.queued == 0 {
		k.queued = k.told
	}
	k.line.commit(now)
}

// Scheduled tells that the request runs, for the first time or again after Preempted.
func (k *Call) Scheduled() {
	now, ok := k.enter()
	if !ok {
		return
	}
	defer k.mu.Unlock()
	e := k.open(stream.PhaseScheduled, now)
	k.runs++
	e.SetInt(stream.RequestOccurrence, k.runs)
	if k.scheduled == 0 {
		k.scheduled = k.told
	}
	k.resume(k.told)
	k.setPreempted(e)
	k.line.commit(now)
}

// Preempted tells that the request was thrown off the GPU and will be scheduled again.
func (k *Call) Preempted() {
	now, ok := k.enter()
	if !ok {
		return
	}
	defer k.mu.Unlock()
	e := k.open(stream.PhasePreempted, now)
	k.preempted++
	k.resume(k.told)
	k.paused = k.told
	e.SetInt(stream.RequestOccurrence, k.preempted)
	k.setPreempted(e)
	k.line.commit(now)
}

// resume books the time since the request was preempted.
func (k *Call) resume(at int64) {
	if k.paused > 0 {
		k.lostNano += at - k.paused
		k.paused = 0
	}
}

func (k *Call) setPreempted(e *stream.Event) {
	if k.preempted > 0 {
		e.SetInt(stream.RequestPreemptions, k.preempted)
		e.SetInt(stream.RequestPreemptedNano, k.lostNano)
	}
}

// ClientGone tells that nobody waits for the answer any more.
func (k *Call) ClientGone() {
	now, ok := k.enter()
	if !ok {
		return
	}
	defer k.mu.Unlock()
	k.open(stream.PhaseClientGone, now)
	k.line.commit(now)
}
