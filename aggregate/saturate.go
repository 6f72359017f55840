package aggregate

import "math"

// plus adds and stops at the ends of 64 bits. stream.FieldInfo.Bounds keeps what one event can say so small that a delta
// of honest traffic never comes near them; a flood of the greatest numbers does, and then "at least so much" is
// better than a sum that wraps around to the other sign.
//
// Up to an end the order of what is added does not matter. Beyond it, it does: what is taken back from a sum that has
// stopped leaves less than there is. Still the same log gives the same sums, in whatever batches. Deltas are merged in
// SQL, in 128 bits, and stop at the ends only where they are stored or shown (v1.bigint).
func plus(a, b int64) int64 {
	sum := a + b
	switch {
	case a > 0 && b > 0 && sum < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && sum >= 0:
		return math.MinInt64
	}
	return sum
}
