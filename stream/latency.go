package stream

import "math/bits"

// LatencyBuckets is how many buckets of inter-token latency there are.
const LatencyBuckets = 57*64 + 64

const maxLatencyCount = 1 << 40 // tokens in one bucket

// LatencyBucket is the index of the bucket for a latency in ns, as itl_bucket carries it: exact below 128 ns, then
// 64 buckets an octave, so that a bucket's middle is within 0.8 % of what fell into it. Negative latencies have none: -1.
func LatencyBucket(ns int64) int64 {
	if ns < 64 {
		return max(ns, -1)
	}
	e := bits.Len64(uint64(ns)) - 7
	return int64(e)*64 + ns>>e
}
