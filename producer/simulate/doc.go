// Package simulate makes a day of traffic up: deployments of models on GPUs, users in sessions, and the events that
// their engines would send.
//
// There are four nouns. A Scenario is what exists: deployments, classes of requests, tenants, how often things go
// wrong. Options are the time, the amount and the seed. Traffic draws arrivals from both; a generation is the engines
// of one deployment at one version, running in package stepmodel.
//
// Invariants:
//
//	S1  Same Scenario, same Options: the same events, to the byte. Nothing reads a clock.
//	S2  Events come in order of time.
//	S3  GPU samples follow from the passes of the engine that holds the GPU.
package simulate
