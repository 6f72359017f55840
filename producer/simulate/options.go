package simulate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"time"
)

// Options are the time, the amount and the seed. End is needed; what is 0 is the scenario's.
type Options struct {
	End      time.Time // when the simulated time ends
	Hours    float64   // how long it is
	Seed     uint64
	Requests int64 // about how many

	// Truth gets the ledger: what requests, engines and incidents truly were, as lines of JSON. Events do not depend on it.
	Truth io.Writer
}

// window is the simulated time in µs since 1970: traffic arrives in [begin, quiet), what is open finishes by about
// end.
type window struct{ begin, quiet, end int64 }

// at is a point of the window, 0 to 1.
func (w window) at(share float64) int64 { return w.begin + int64(share*float64(w.end-w.begin)) }

const drainMicros = 120 * 1_000_000

// apply puts what the options say over the scenario, and returns the time.
func (o *Options) apply(s *Scenario) (w window, err error) {
	if o.End.IsZero() {
		return w, fmt.Errorf("simulate: no end time given")
	}
	if o.Hours != 0 {
		s.Hours = o.Hours
	}
	if o.Requests != 0 {
		s.Requests = o.Requests
	}
	if err := s.check(); err != nil {
		return w, fmt.Errorf("simulate: %w", err)
	}
	w.end = o.End.UnixMicro()
	w.begin = w.end - int64(s.Hours*3600e6)
	w.quiet = w.end - drainMicros
	if w.begin <= 24*3600e6 {
		return w, fmt.Errorf("simulate: %g hours before %s is before 1970", s.Hours, o.End.Format(time.RFC3339))
	}
	return w, nil
}

// rules is the version of everything that makes events out of options: a change takes new boots.
const rules = "2"

func (o *Options) boot(s *Scenario) string {
	text := fmt.Sprintf("rules %s\nend %d\nseed %d\n%+v", rules, o.End.UnixNano(), o.Seed, *s)
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:16]
}
