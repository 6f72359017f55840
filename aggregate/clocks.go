package aggregate

import "github.com/inferlake/inferlake/stream"

const maxTime = int64(1<<63 - 1)

// clocks are a partition's two clocks. The log clock is the greatest record time: expiry and memory run on it. The
// watermark is the greatest event time less the out-of-orderness bound: it marks late and complete and decides
// nothing else. All in ns since 1970 UTC; 0 before the first.
type clocks struct {
	bound, skew int64 // settings

	log      int64
	greatest int64 // event time
	emitted  int64 // window bound up to which the watermark had come at the last crossing
	first    int64 // earliest event time: the start of our own watch
}

// advance moves the log clock and reports whether it moved.
func (c *clocks) advance(t int64) bool {
	if t <= c.log {
		return false
	}
	c.log = t
	return true
}

func (c *clocks) watermark() int64 {
	if c.greatest == 0 {
		return 0
	}
	return c.greatest - c.bound
}

// see takes an event's times. late: its time is behind the watermark as it was. clamped: a time was ahead of the log
// by more than the skew and became the log clock.
func (c *clocks) see(e *stream.Event) (late, clamped bool) {
	limit := c.log + c.skew
	if c.log == 0 {
		limit = maxTime // no record's time was believed yet: there is nothing to hold this one to
	}
	if e.Kind == stream.KindRequest && e.HasAny(&markSet) {
		for _, f := range markFields {
			if t, ok := e.Int(f); ok && t > limit {
				e.SetInt(f, c.log)
				clamped = true
			}
		}
	}
	t, ok := e.Int(stream.EventTimeUnixNano)
	if !ok {
		t = e.Num(stream.RequestFinishedUnixNano)
		if e.Kind != stream.KindRequest || t == 0 {
			return false, clamped
		}
		e.SetInt(stream.EventTimeUnixNano, t)
	}
	if t > limit {
		t, clamped = c.log, true
		e.SetInt(stream.EventTimeUnixNano, t)
	}
	late = c.greatest != 0 && t < c.watermark()
	if c.log == 0 {
		return late, clamped
	}
	c.greatest = max(c.greatest, t)
	if c.first == 0 || t < c.first {
		c.first = t
	}
	return late, clamped
}

// crossed reports that the watermark has passed a window's end since the last crossing, and which.
func (c *clocks) crossed() (w int64, ok bool) {
	if c.greatest == 0 {
		return 0, false
	}
	w = windowOf(c.watermark())
	if w <= c.emitted {
		return 0, false
	}
	c.emitted = w
	return w, true
}
