package simulate

import (
	"math"

	"github.com/inferlake/inferlake/stream"
)

// scaler is a deployment's autoscaler: it wants as many engines as the requests under way need, at once when that is
// more, and after a while when it is fewer.
type scaler struct {
	service *service
	size    int   // engines wanted
	wish    int   // by the last decision
	since   int64 // µs since 1970: fewer do from then on; 0: they do not
}

func newScaler(v *service) scaler { return scaler{service: v} }

// on says whether the deployment scales at all.
func (c *scaler) on() bool { return c.service.deployment.Autoscale.Max > 0 }

func (c *scaler) schedule(m *simulation) {
	c.wish = c.size
	if !c.on() {
		return
	}
	every := c.service.deployment.Autoscale.Every.Microseconds()
	m.every(m.window.begin+every, every, c.decide)
}

func (c *scaler) decide(at int64) error {
	a := &c.service.deployment.Autoscale
	p := c.service.serving(at).decoding()
	var open int64
	for _, s := range p.seats {
		open += s.open
	}
	c.wish = min(max(int(math.Ceil(float64(open)/a.Target)), a.Min), a.Max)
	switch {
	case c.wish > c.size:
		c.size, c.since = c.wish, 0
	case c.wish == c.size:
		c.since = 0
	case c.since == 0:
		c.since = at
	case at-c.since >= a.DownAfter.Microseconds():
		c.size, c.since = c.size-1, 0
	}
	return c.follow(p, at)
}

// follow starts and drains engines until there are as many as wanted, the last ones first.
func (c *scaler) follow(p *pool, at int64) error {
	n := 0
	for _, s := range p.seats {
		if s.held() && s.state != stream.StateDraining {
			n++
		}
	}
	for i := 0; n < c.size && i < len(p.seats); i++ {
		if s := p.seats[i]; !s.held() {
			n++
			if err := s.start(at); err != nil {
				return err
			}
		}
	}
	for i := len(p.seats) - 1; n > c.size && i >= 0; i-- {
		if s := p.seats[i]; s.held() && s.state != stream.StateDraining {
			n--
			if err := s.drain(at, at+1_000_000); err != nil {
				return err
			}
		}
	}
	return nil
}
