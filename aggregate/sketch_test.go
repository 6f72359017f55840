package aggregate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBucketMidIsNear(t *testing.T) {
	for _, v := range []int64{1, 2, 63, 64, 65, 127, 128, 129, 255, 1000, 1e6, 1e9 + 7, 86_400e9, math.MaxInt64} {
		if e := math.Abs(float64(BucketMid(Bucket(v))-v)) / float64(v); e > 0.008 {
			t.Errorf("value %d: middle %d is off by %.3f %%", v, BucketMid(Bucket(v)), e*100)
		}
	}
	for v := int64(1); v < 1<<16; v++ {
		if Bucket(v+1) < Bucket(v) || Bucket(v+1) > Bucket(v)+1 {
			t.Fatalf("buckets of %d and %d are not neighbours", v, v+1)
		}
	}
}

// Quantiles are near the exact nearest rank, never fall, and stay within min and max (case W34).
func TestQuantiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		n := 1 + rng.IntN(200)
		values := make([]int64, n)
		var s Sketch
		for i := range values {
			values[i] = int64(rng.ExpFloat64() * 1e8)
			s.Add(values[i], 1)
		}
		slices.Sort(values)
		last := int64(-1)
		for _, q := range []float64{0, 0.1, 0.5, 0.9, 0.95, 0.96, 0.97, 0.99, 1} {
			got := s.Quantile(q)
			exact := values[max(1, int(math.Ceil(q*float64(n))))-1]
			if got < last || got < values[0] || got > values[n-1] {
				t.Fatalf("q%v = %d: not monotone or outside %d..%d", q, got, values[0], values[n-1])
			}
			if math.Abs(float64(got-exact)) > 0.01*float64(exact)+1 {
				t.Fatalf("q%v = %d, exact %d", q, got, exact)
			}
			last = got
		}
	}
}

// Cases W35 and W36: merging keeps zeros, counts and the range, also into an empty sketch.
func TestMerge(t *testing.T) {
	var a, b, empty Sketch
	for _, v := range []int64{0, 0, 5} {
		a.Add(v, 1)
	}
	b.Add(1e9, 1)
	a.Merge(&b)
	var held int64
	for _, n := range a.cnt {
		held += n
	}
	if a.N != 4 || held+a.Zero != 4 || a.Quantile(0) != 0 || math.Abs(float64(a.Quantile(1))-1e9) > 1e7 {
		t.Errorf("merge of [0 0 5] and [1e9]: n %d, held %d, p0 %d, p100 %d", a.N, held+a.Zero, a.Quantile(0), a.Quantile(1))
	}
	for v := int64(1001); v <= 1100; v++ {
		b.Add(v, 1)
	}
	b.Add(1e9, -1)
	empty.Merge(&b)
	if empty.Min != 1001 || empty.Quantile(0) != 1001 {
		t.Errorf("merge into an empty sketch: min %d, p0 %d, want 1001", empty.Min, empty.Quantile(0))
	}
}

// Taking back what was added leaves nothing.
func TestTakeBack(t *testing.T) {
	var s Sketch
	s.Add(123456, 1)
	s.AddBuckets([]int64{0, 70, 300}, []int64{1, 2, 3}, 1)
	s.AddBuckets([]int64{0, 70, 300}, []int64{1, 2, 3}, -1)
	s.Add(123456, -1)
	if !s.empty() {
		t.Errorf("left over: %+v", s)
	}
}
