package aggregate

import (
	"math/bits"
	"slices"
)

// Sketch counts whole numbers ≥ 0 in fixed buckets of at most 1/64 of their value, so its midpoints are within 0.8 %.
// Values below 64 have a bucket each; 0 is counted apart. It never collapses, and two sketches add exactly (up to plus).
//
// Counts may be negative in a sketch that takes observations back; min and max are never taken back.
type Sketch struct {
	N, Zero, Total int64
	Min, Max       int64 // meaningful when seen is set
	seen           bool
	idx            []uint16 // ascending; small, for they are searched
	cnt            []int64
}

// Bucket returns the index of the bucket of v ≥ 1: v itself below 64, else 64 buckets an octave.
func Bucket(v int64) int64 {
	if v < 64 {
		return v
	}
	e := bits.Len64(uint64(v)) - 7
	return int64(e)<<6 + v>>e
}

// BucketMid returns the middle of a bucket.
func BucketMid(i int64) int64 {
	if i < 128 {
		return i
	}
	e := uint(i>>6 - 1)
	low := (i - int64(e)<<6) << e
	return low + (int64(1)<<e-1)/2
}

// Add counts v ≥ 0 with the given sign, +1 or −1.
func (s *Sketch) Add(v, sign int64) {
	if sign > 0 {
		s.see(v, v)
	}
	s.N = plus(s.N, sign)
	s.Total = plus(s.Total, sign*v)
	if v == 0 {
		s.Zero = plus(s.Zero, sign)
		return
	}
	s.bucket(uint16(Bucket(v)), sign)
}

// AddBuckets counts a sketch in list form with the given sign. Its values are known by their buckets alone, so
// min, max and total take the buckets' middles. stream.Validate has seen to it that they add up to a few days.
func (s *Sketch) AddBuckets(idx, cnt []int64, sign int64) {
	for i, b := range idx {
		mid := BucketMid(b)
		if sign > 0 {
			s.see(mid, mid)
		}
		s.N = plus(s.N, sign*cnt[i])
		s.Total = plus(s.Total, sign*cnt[i]*mid)
		if b == 0 {
			s.Zero = plus(s.Zero, sign*cnt[i])
			continue
		}
		s.bucket(uint16(b), sign*cnt[i])
	}
}

func (s *Sketch) see(lo, hi int64) {
	if !s.seen {
		s.Min, s.Max, s.seen = lo, hi, true
		return
	}
	s.Min, s.Max = min(s.Min, lo), max(s.Max, hi)
}

func (s *Sketch) bucket(b uint16, n int64) {
	i, found := slices.BinarySearch(s.idx, b)
	if found {
		s.cnt[i] = plus(s.cnt[i], n)
		return
	}
	s.idx = slices.Insert(s.idx, i, b)
	s.cnt = slices.Insert(s.cnt, i, n)
}

// Merge adds another sketch.
func (s *Sketch) Merge(o *Sketch) {
	if o.seen {
		s.see(o.Min, o.Max)
	}
	s.N, s.Zero, s.Total = plus(s.N, o.N), plus(s.Zero, o.Zero), plus(s.Total, o.Total)
	for i, b := range o.idx {
		s.bucket(b, o.cnt[i])
	}
}

// Quantile returns the middle of the bucket of nearest rank, within [Min, Max]; q = 0 is Min. An empty sketch gives 0.
func (s *Sketch) Quantile(q float64) int64 {
	if s.N <= 0 {
		return 0
	}
	if q <= 0 {
		return s.Min
	}
	rank := max(1, int64(q*float64(s.N)+0.9999999999))
	if rank > s.N {
		rank = s.N
	}
	if rank <= s.Zero {
		return 0
	}
	rank -= s.Zero
	for i, n := range s.cnt {
		if rank -= n; rank <= 0 {
			return min(max(BucketMid(int64(s.idx[i])), s.Min), s.Max)
		}
	}
	return s.Max
}

// empty says that adding the sketch would change nothing.
func (s *Sketch) empty() bool {
	if s.N != 0 || s.Zero != 0 || s.Total != 0 {
		return false
	}
	for _, n := range s.cnt {
		if n != 0 {
			return false
		}
	}
	return true
}

// buckets lists the buckets whose count is not 0.
func (s *Sketch) buckets() (idx, cnt []int64) {
	idx, cnt = make([]int64, 0, len(s.idx)), make([]int64, 0, len(s.idx))
	for i, n := range s.cnt {
		if n != 0 {
			idx, cnt = append(idx, int64(s.idx[i])), append(cnt, n)
		}
	}
	return idx, cnt
}
