// Package lifecycle writes the events of an engine's life for the producers that make traffic up or play it again:
// package replay and package simulate.
//
// There are four nouns. A Writer numbers events and hands them on, one lane at a time. An Instance is an engine as
// its events name it. A Request is what the events of one request have in common, an End what its last one tells.
//
// Invariants:
//
//	W1  The numbers of a lane are 0, 1, 2, … in the order of writing.
//	W2  All events of a lane belong to one topic (Topic), so that whoever folds a partition sees whole lanes.
//	W3  The same calls give the same events.
package lifecycle
