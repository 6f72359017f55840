package chart

import (
	"math"
	"strconv"
	"time"
)

// scale is a value axis: where a value lies between bottom (0) and top (1), and the ticks.
type scale struct {
	low, high float64
	log       bool
	ticks     []float64
}

func (s scale) at(v float64) float64 {
	if s.log {
		return (math.Log(v) - math.Log(s.low)) / (math.Log(s.high) - math.Log(s.low))
	}
	return (v - s.low) / (s.high - s.low)
}

// Least is the least known value, of a heat map the least above 0; +Inf without one.
func (c Chart) Least() float64 {
	if c.Kind != "heat" {
		low, _, _ := c.bounds()
		return low
	}
	low := math.Inf(1)
	for _, s := range c.Series {
		for _, v := range s.Values {
			if v > 0 {
				low = min(low, v)
			}
		}
	}
	return low
}

// bounds are the least and the greatest known value, and whether all are whole numbers.
func (c Chart) bounds() (low, high float64, whole bool) {
	low, high, whole = math.Inf(1), math.Inf(-1), true
	for _, s := range c.Series {
		for _, v := range s.Values {
			if !math.IsNaN(v) {
				low, high, whole = min(low, v), max(high, v), whole && v == math.Trunc(v)
			}
		}
	}
	return low, high, whole
}

// percentSign is the unit whose whole is 100.
const percentSign = "%"

// linear is an axis from 0, or below it, to a round number at or above the greatest value.
func (c Chart) linear() scale {
	_, _, whole := c.bounds()
	low, high := c.extremes()
	if !c.Zoomed() {
		low = min(low, 0)
	}
	if c.Unit == percentSign && high > 50 && high <= 100 {
		high = 100
	}
	if high <= low {
		high = low + 1
	}
	step := roundStep((high - low) / 4)
	if whole {
		step = max(step, 1)
	}
	s := scale{low: math.Floor(low/step) * step, high: math.Ceil(high/step-1e-9) * step}
	for i := 0.0; s.low+i*step <= s.high+step/2; i++ {
		s.ticks = append(s.ticks, s.low+i*step)
	}
	return s
}

// Lines whose values differ by less than flattest of the greatest, or by more than steepest, are drawn from 0.
const flattest, steepest = 0.01, 0.25

// Zoomed says that the value axis does not begin at 0: lines alone, which say more by how they change than by their height.
func (c Chart) Zoomed() bool {
	low, high := c.extremes()
	apart := (high - low) / high
	return c.Kind == "lines" && low > 0 && apart > flattest && apart < steepest
}

// spread is how many times the least the greatest value of a band is, from which on its axis is logarithmic.
const spread = 50

// Logarithmic says that a chart has powers of ten for its axis: a band whose values are above 0 and far apart.
func (c Chart) Logarithmic() bool {
	low, high := c.extremes()
	return c.Kind == "band" && low > 0 && high/low >= spread
}

func (c Chart) extremes() (low, high float64) {
	if c.High > 0 {
		return c.Low, c.High
	}
	return c.Least(), c.Greatest()
}

func (c Chart) logarithmic() scale {
	low, high := c.extremes()
	s := scale{log: true}
	for power := math.Floor(math.Log10(low)); len(s.ticks) == 0 || s.ticks[len(s.ticks)-1] < high; power++ {
		for _, m := range []float64{1, 2, 5} {
			v := m * math.Pow(10, power)
			if next := roundStep(v * 1.1); next > low && (len(s.ticks) == 0 || s.ticks[len(s.ticks)-1] < high) {
				s.ticks = append(s.ticks, v)
			}
		}
	}
	s.low, s.high = s.ticks[0], s.ticks[len(s.ticks)-1]
	s.ticks = powers(s.ticks)
	return s
}

// powers leaves only the first and last tick and those at powers of ten.
func powers(ticks []float64) []float64 {
	var few []float64
	for i, v := range ticks {
		if power := math.Log10(v); i == 0 || i == len(ticks)-1 || math.Abs(power-math.Round(power)) < 1e-9 {
			few = append(few, v)
		}
	}
	return few
}

// roundStep is 1, 2 or 5 times a power of ten, at least step.
func roundStep(step float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, m := range []float64{1, 2, 5} {
		if step <= m*power*1.000001 {
			return m * power
		}
	}
	return 10 * power
}

// tick writes the value of a tick, thousands as k, M or G.
func tick(v float64) string {
	for _, s := range []struct {
		size   float64
		letter string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e4, "k"}} {
		if math.Abs(v) >= s.size {
			if s.letter == "k" {
				s.size = 1e3
			}
			return strconv.FormatFloat(v/s.size, 'g', 4, 64) + s.letter
		}
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// timeSteps are the distances that ticks of a time axis can have, seconds.
var timeSteps = []float64{1, 5, 10, 30, 60, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 2 * 86400, 7 * 86400, 14 * 86400, 28 * 86400, 91 * 86400, 364 * 86400}

// timeTicks are round times within a range, at most five steps apart.
func timeTicks(from, to float64) (ticks []float64, step float64) {
	for _, step = range timeSteps {
		if (to-from)/step <= 5 {
			break
		}
	}
	for t := math.Ceil(from/step) * step; t <= to; t += step {
		ticks = append(ticks, t)
	}
	return ticks, step
}

// clock writes a time of an axis: the day at midnight, else the time of day.
func clock(seconds, step float64) string {
	t := time.Unix(int64(seconds), 0).UTC()
	switch {
	case step >= 86400 || t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0:
		return t.Format("Jan 2")
	case step >= 60:
		return t.Format("15:04")
	}
	return t.Format("15:04:05")
}
