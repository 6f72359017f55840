package stream

import "math/bits"

// LatencyBuckets is how many buckets of inter-token latency there are.
const LatencyBuckets = 57*64 + 64

// maxLatencies bounds what the latencies of one request's tokens may add up to, ns: twice what a request may last.
const maxLatencies = 2 * maxDuration

// LatencyBucket is the index of the bucket for a latency in ns, as itl_bucket carries it: exact below 128 ns, then
// 64 buckets an octave, so that a bucket's middle is within 0.8 % of what fell into it. Negative latencies have none: -1.
func LatencyBucket(ns int64) int64 {
	if ns < 64 {
		return max(ns, -1)
	}
	e := bits.Len64(uint64(ns)) - 7
	return int64(e)*64 + ns>>e
}

// latencyFloor is the least latency of a bucket.
func latencyFloor(bucket int64) int64 {
	if bucket < 64 {
		return bucket
	}
	e := bucket>>6 - 1
	return (bucket - e<<6) << e
}
