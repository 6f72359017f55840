package main

import (
	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
)

// foldAhead folds events a few at a time, as a loop does. Events that were added must stay valid until fold.
type foldAhead struct {
	to     *aggregate.Fold
	events []*stream.Event
	places []stream.Position
	times  []int64 // of their records, ns since 1970 UTC
}

// add folds what waits once a decoder would hold no more.
func (a *foldAhead) add(e *stream.Event, at stream.Position, timestamp int64) {
	if len(a.events) == stream.Held {
		a.fold()
	}
	a.events, a.places, a.times = append(a.events, e), append(a.places, at), append(a.times, timestamp)
}

// fold folds what waits.
func (a *foldAhead) fold() {
	a.to.Expect(a.events)
	for i, e := range a.events {
		a.to.Begin(a.places[i].Offset, a.times[i], false)
		a.to.Apply(e, a.places[i])
	}
	a.events, a.places, a.times = a.events[:0], a.places[:0], a.times[:0]
}
