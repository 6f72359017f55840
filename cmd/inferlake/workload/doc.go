// Package workload makes the log that benchmarks are run on, the same for the same options.
//
//   - Workload: a fleet in steady state, its events in the order in which they are sent. It knows the wire format and
//     nothing of the fold.
//   - Answer: what the fold must make of the events sent so far, worked out from the requests' own numbers.
//
// Every event has the full envelope: ids of 36 characters, a trace id, a monotonic clock and all dimensions. The load
// begins with a ramp, after which the number of open requests stays about the same.
package workload
