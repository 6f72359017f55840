package stream

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Known places, and everywhere: buckets ascend, and an octave has 64 of them.
func TestLatencyBucket(t *testing.T) {
	for _, c := range []struct{ ns, want int64 }{
		{-1, -1}, {0, 0}, {63, 63}, {64, 64}, {127, 127}, {128, 128}, {129, 128}, {130, 129}, {255, 191}, {256, 192},
		{math.MaxInt64, LatencyBuckets - 1},
	} {
		if got := LatencyBucket(c.ns); got != c.want {
			t.Errorf("%d ns lies in bucket %d, want %d", c.ns, got, c.want)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 10000 {
		v := randomInt(r)
		if v > 200 && LatencyBucket(v+v/50) <= LatencyBucket(v) {
			t.Errorf("%d and 2 %% more lie in one bucket", v)
		}
		if LatencyBucket(v/2) > LatencyBucket(v) {
			t.Errorf("buckets do not ascend at %d", v)
		}
	}
}
