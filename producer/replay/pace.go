package replay

import (
	"context"
	"time"
)

// pace lets trace time pass at a multiple of real time. The zero value does not wait.
type pace struct {
	speedup float64 // trace seconds a second; 0: no waiting
	began   time.Time
	first   int64 // ns since 1970: trace time at began
}

// wait returns when the time of an event has come.
func (p *pace) wait(ctx context.Context, at int64) error {
	if p.speedup == 0 {
		return nil
	}
	if p.began.IsZero() {
		p.began, p.first = time.Now(), at
	}
	due := p.began.Add(time.Duration(float64(at-p.first) / p.speedup))
	left := time.Until(due)
	if left <= 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(left):
		return nil
	}
}
