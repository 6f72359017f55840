// Package simulate makes a fleet up: deployments of models on GPUs, gateways before them, users in sessions, what goes
// wrong, and the events that all of it would send.
//
// A Scenario is what exists and what happens to it, read from YAML; Options are the time, the amount and the seed. From
// both, traffic draws turns of sessions. A turn becomes a call: attempts, each with a gate (its leg at a gateway) and legs
// on engines. A service is a deployment at work: generations, one a version, of pools of seats. A seat is a place for an
// engine, boot after boot; its passes run in package stepmodel. Samples of engines, GPUs (meter), nodes and Kubernetes are
// computed from the seats' state; incidents change it. A voice is a process that speaks. The ledger gets the truth.
//
// Invariants:
//
//	S1  Same Scenario, same Options: the same events, to the byte. Nothing reads a clock. The ledger changes none.
//	S2  Events come in order of time.
//	S3  Samples follow from the passes of the engines: GPU samples from those of the engine that holds the GPU.
//	S4  GPU time in the ledger, summed over the legs of a boot, is the boot's busy time, to the nanosecond, and that of its
//	    runs of passes; startup + busy + idle is the boot's life.
//	S5  A leg that began has an end, unless its engine died.
package simulate
