package simulate

import (
	"math"
	"time"
)

// shape is the load at a time against the mean of a working day.
type shape struct {
	load   *Traffic
	bursts []interval
	peak   float64 // never exceeded
}

type interval struct {
	begin, end int64 // µs since 1970
	factor     float64
}

func newShape(s *Scenario, w window) *shape {
	p := &shape{load: &s.Traffic, peak: (1 + s.Traffic.Swing) * max(1, s.Traffic.Weekend)}
	for _, b := range s.Traffic.Bursts {
		p.burst(w, b)
	}
	for _, n := range s.Incidents {
		if n.Kind == "burst" {
			p.burst(w, Burst{At: n.At, For: n.For, Factor: n.Factor})
		}
	}
	return p
}

func (p *shape) burst(w window, b Burst) {
	at := w.at(b.At)
	p.bursts = append(p.bursts, interval{at, at + b.For.Microseconds(), b.Factor})
	p.peak *= max(1, b.Factor)
}

// at is the load at a time, µs since 1970.
func (p *shape) at(micros int64) float64 {
	const dayMicros = 24 * 3600e6
	hour := math.Mod(float64(micros), dayMicros) / dayMicros * 24
	f := 1 + p.load.Swing*math.Cos((hour-p.load.PeakHour)/24*2*math.Pi)
	if d := time.UnixMicro(micros).UTC().Weekday(); d == time.Saturday || d == time.Sunday {
		f *= p.load.Weekend
	}
	for _, b := range p.bursts {
		if micros >= b.begin && micros < b.end {
			f *= b.factor
		}
	}
	return f
}

// over is the mean and the greatest load of a window, minute by minute.
func (p *shape) over(begin, end int64) (mean, top float64) {
	const step = 60_000_000
	n := 0
	for at := begin; at < end || n == 0; at += step {
		f := p.at(at)
		mean, top, n = mean+f, max(top, f), n+1
	}
	return max(1e-9, mean/float64(n)), top
}
