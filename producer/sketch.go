package producer

import (
	"slices"

	"github.com/inferlake/inferlake/stream"
)

// sketch counts inter-token latencies in the buckets of stream.LatencyBucket, ascending as the wire wants them.
type sketch struct {
	buckets []int64
	counts  []int64
}

// add counts n tokens that took so many ns each.
func (s *sketch) add(ns, n int64) {
	b := stream.LatencyBucket(ns)
	i, found := slices.BinarySearch(s.buckets, b)
	if !found {
		s.buckets = slices.Insert(s.buckets, i, b)
		s.counts = slices.Insert(s.counts, i, 0)
	}
	s.counts[i] += n
}

func (s *sketch) reset() {
	s.buckets, s.counts = s.buckets[:0], s.counts[:0]
}
