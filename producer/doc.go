// Package producer sends events to Inferlake. An engine, a gateway or an operator's program imports it. The nouns:
//
//   - Client lives in a serving process, one for each boot. It never makes the engine wait: what does not fit its
//     buffer is dropped, counted, and visible downstream as a gap in the sequence.
//   - Call is one request in that process: Begin, then what happens to it, then Finish.
//   - Value is one field of a sample: what the engine, a step or a GPU looked like.
//   - Sender is the other way to send: nothing is lost, the caller waits. Replays and simulators use it.
//
// Only counts, times and identities are sent; there is no field for a prompt or a completion, and a tenant's name
// leaves the process as a keyed hash or not at all.
package producer
