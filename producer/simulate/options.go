package simulate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// Options are the time, the amount and the seed. End is needed, the rest has defaults.
type Options struct {
	End      time.Time // when the simulated time ends
	Hours    float64   // how long it is; default 24
	Seed     uint64
	Requests int64 // about how many; default 320,000

	SampleInterval time.Duration // between engine samples; default 10 s
	GPUInterval    time.Duration // between GPU samples, a multiple of it; default 30 s
}

// window is the simulated time in µs since 1970: traffic arrives in [begin, quiet), what is open finishes by about
// end.
type window struct{ begin, quiet, end int64 }

const drainMicros = 120 * 1_000_000

func (o *Options) defaults() (w window, err error) {
	if o.End.IsZero() {
		return w, fmt.Errorf("simulate: no end time given")
	}
	if o.Hours == 0 {
		o.Hours = 24
	}
	if o.Requests == 0 {
		o.Requests = 320_000
	}
	if o.SampleInterval == 0 {
		o.SampleInterval = 10 * time.Second
	}
	if o.GPUInterval == 0 {
		o.GPUInterval = 3 * o.SampleInterval
	}
	if !(o.Hours >= 0.1 && o.Hours <= 24*366) {
		return w, fmt.Errorf("simulate: hours %v: must be 0.1 to 8784", o.Hours)
	}
	if o.Requests < 0 {
		return w, fmt.Errorf("simulate: requests %d: must not be negative", o.Requests)
	}
	if o.SampleInterval < time.Millisecond || o.GPUInterval%o.SampleInterval != 0 || o.GPUInterval < 0 {
		return w, fmt.Errorf("simulate: GPU interval %s: must be a multiple of the sample interval %s", o.GPUInterval, o.SampleInterval)
	}
	w.end = o.End.UnixMicro()
	w.begin = w.end - int64(o.Hours*3600e6)
	w.quiet = w.end - drainMicros
	if w.begin <= startup {
		return w, fmt.Errorf("simulate: begins before 1970")
	}
	return w, nil
}

// rules is the version of everything that makes events out of options: a change takes new boots.
const rules = "1"

func (o *Options) boot(s *Scenario) string {
	text := fmt.Sprintf("rules %s\nend %d\nhours %v\nseed %d\nrequests %d\nintervals %d %d\n%+v",
		rules, o.End.UnixNano(), o.Hours, o.Seed, o.Requests, o.SampleInterval, o.GPUInterval, *s)
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:16]
}
