package stream

import (
	"math"
	"strings"
)

// What is summed is kept far from 2^63: a request's times may be 39 hours each, its counts 4 billion, and a billion
// requests of 4 billion tokens still add up. Sums of more stop at the
// ends of 64 bits (aggregate/saturate.go). Beyond its bound a number is a unit mistaken or a clock gone wrong, and its
// event is refused. FieldInfo.Max has the exceptions.
const (
	maxDuration = 1 << 47 // ns: 39 h
	maxCount    = 1 << 32 // tokens and the like, of one request
	maxGauge    = 1 << 29 // so that value · ns over a window of 10 s is below 2^63
	maxTotal    = 1 << 60 // counters, and copies of them
	maxOther    = 1 << 48 // numbers that name or order things: seq, lane, engine_step, …
	maxReading  = 1 << 62 // of a monotonic clock, and of what has a sign
)

// Bounds are the least and the greatest number that the field may hold; for a list they are those of its elements.
func (f *FieldInfo) Bounds() (least, most int64) {
	switch f.Type {
	case Hash:
		return math.MinInt64, math.MaxInt64
	case Bool:
		return 0, 1
	case Enum:
		return 1, int64(len(*f.Enum)) - 1
	case Time:
		return 1, math.MaxInt64 // Validate knows the last year
	case Ratio:
		return 0, million
	}
	most = f.most()
	if f.Type == Signed {
		return -most, most
	}
	return 0, most
}

// most is the bound of whole numbers, by what they count.
func (f *FieldInfo) most() int64 {
	switch {
	case f.Max != 0:
		return f.Max
	case f.Merge == Counter || strings.HasSuffix(f.Name, "_total"):
		return maxTotal
	case f.Merge == Gauge:
		return maxGauge
	case f.Name == "mono_nano":
		return maxReading
	case strings.HasSuffix(f.Name, "_nano"):
		return maxDuration
	case f.Type == Signed:
		return maxReading
	case f.Merge == Count || f.Merge == Progress || f.Merge == Total || f.Merge == Whole:
		return maxCount
	}
	return maxOther
}
