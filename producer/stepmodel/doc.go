// Package stepmodel is the physics behind replayed and simulated traffic: an inference engine seen one forward
// pass at a time, in whole microseconds, so that every run of it gives the same figures.
//
// There are seven nouns. A Request arrives with its lengths and the hashes of its prompt's blocks. A Profile holds
// the constants of one model on one kind of GPU. A Fleet spreads requests over replicas, each of which batches
// continuously: decoding sequences first, then prompts in chunks, first come first served, while sequences and KV
// tokens fit. A PrefixCache says how much of a prompt need not be computed. What happens comes out as Outputs:
// moments of requests, samples of a replica, and Runs of passes. A Timeline puts outputs in order of time.
//
// The time of a pass is
//
//	step = a + b·P + e·Σ((c+k)² − c²) + c_n·N + d·C
//
// with P prompt tokens computed in it in chunks of k tokens at context c, N decoding sequences and C the tokens of
// their contexts. The shape is that of Vidur, Splitwise and DistServe; e, the attention of the prompt to itself, is
// off unless asked for.
//
// Sequences reserve their KV tokens when they are admitted, or, with Config.LiveKV, take them as they grow, are preempted
// when there are none, and are computed again. Passes can have noise, drift and a speed set from outside (Jitter,
// Fleet.Speed), sequences drafts (Speculation), requests deadlines (Request.FirstBy, EndBy). With Config.Attribute the
// time of each pass is shared among its sequences, to the nanosecond: what a request truly took.
//
// Invariants:
//
//	P1  The same calls give the same outputs, to the microsecond.
//	P2  KV tokens: used and evictable ones are at most the capacity, and none are left when no request is.
//	P3  GPU time: what requests spent is what passes took.
package stepmodel
