package producer

import (
	"time"

	"github.com/inferlake/inferlake/stream"
)

// FirstToken tells that the first output token was made; it counts as one token. Tokens calls it where it was not.
func (k *Call) FirstToken() {
	now, ok := k.enter()
	if !ok {
		return
	}
	defer k.mu.Unlock()
	k.firstToken(now, 1)
}

// firstToken marks the first token, made together with the others of n.
func (k *Call) firstToken(now time.Time, n int64) {
	if k.first > 0 {
		return
	}
	e := k.open(stream.PhaseFirstToken, now)
	e.SetInt(stream.RequestOutputTokens, n)
	k.first, k.last, k.lastWall, k.tokens = k.told, k.told, now.UnixNano(), n
	k.line.commit(now)
}

// Tokens tells how many output tokens were made so far: n is cumulative. It sends nothing by itself, but for a sign
// of life every Options.Progress; the times between tokens gather in a sketch that goes with Finish. When n grows by
// more than one, the tokens share the time since the last call.
func (k *Call) Tokens(n int64) {
	now, ok := k.enter()
	if !ok {
		return
	}
	defer k.mu.Unlock()
	if n <= k.tokens {
		return
	}
	if k.first == 0 {
		k.firstToken(now, n)
		return
	}
	k.observe(now, n)
	if time.Duration(k.last-k.told) >= k.c.o.Progress {
		e := k.open(stream.PhaseTokens, now)
		e.SetInt(stream.RequestOutputTokens, k.tokens)
		k.line.commit(now)
	}
}

func (k *Call) observe(now time.Time, n int64) {
	at, grown := k.c.mono(now), n-k.tokens
	if k.sketch == nil {
		k.sketch = k.c.sketches.Get().(*sketch)
	}
	k.sketch.add((at-k.last)/grown, grown)
	k.last, k.lastWall, k.tokens = at, now.UnixNano(), n
}

// Finish tells how the request ended, with its counts and the durations that this process measured.
func (k *Call) Finish(o Outcome) {
	now, ok := k.enter()
	if !ok {
		return
	}
	defer k.mu.Unlock()
	k.done = true
	e := k.open(stream.PhaseFinished, now)
	k.resume(k.told)
	k.setPreempted(e)
	if k.tokens > 0 {
		e.SetInt(stream.RequestOutputTokens, k.tokens)
		e.SetInt(stream.RequestLastTokenUnixNano, k.lastWall)
	}
	o.fill(e)
	k.setDurations(e)
	k.setSketch(e)
	k.line.commit(now)
	k.dropSketch()
}

// setDurations sets the durations between moments that were seen.
func (k *Call) setDurations(e *stream.Event) {
	between := func(f stream.Field, from, to int64) {
		if from > 0 && to > 0 {
			e.SetInt(f, to-from)
		}
	}
	between(stream.RequestQueueNano, k.queued, k.scheduled)
	between(stream.RequestPrefillNano, k.scheduled, k.first)
	between(stream.RequestDecodeNano, k.first, k.last)
	between(stream.RequestE2ENano, k.received, k.told)
	between(stream.RequestTTFTEngineNano, k.received, k.first)
	between(stream.RequestTTFTScheduledNano, k.scheduled, k.first)
}

func (k *Call) setSketch(e *stream.Event) {
	if k.sketch != nil {
		e.SetInts(stream.RequestITLBucket, k.sketch.buckets)
		e.SetInts(stream.RequestITLCount, k.sketch.counts)
	}
}

// dropSketch gives the sketch to the next call; the event that carried it was encoded.
func (k *Call) dropSketch() {
	if k.sketch != nil {
		k.sketch.reset()
		k.c.sketches.Put(k.sketch)
		k.sketch = nil
	}
}
