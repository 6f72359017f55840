package simulate

import (
	"math"

	"github.com/inferlake/inferlake/producer/stepmodel"
)

// turn is one request about to arrive.
type turn struct {
	session *session
	at      int64 // µs since 1970
	prompt  int64 // tokens
	output  int64 // tokens of the whole answer
	blocks  []uint64
}

// session is a user's turns with one deployment: each prompt begins with all that was said before.
type session struct {
	id         uint64
	class      *Class
	deployment int
	tenant     int
	context    int64 // tokens said so far
	blocks     []uint64
	left       int64 // turns
}

// traffic draws arrivals: sessions begin as a Poisson process whose rate follows the shape of the load,
// their turns follow.
type traffic struct {
	scenario *Scenario
	window   window
	shape    *shape
	rate     float64 // sessions a µs where the shape is 1
	dice     dice
	next     stepmodel.Timeline[*session]
	sessions uint64
	fresh    int64 // µs: when the next session begins
}

// maxContext ends a session whose prompt grew beyond it.
const maxContext = 16_384

func newTraffic(s *Scenario, seed uint64, w window) *traffic {
	t := &traffic{scenario: s, window: w, shape: newShape(s, w), dice: newDice(seed, 1), fresh: w.begin}
	var turns, shares float64
	for i := range s.Classes {
		turns += float64(s.Classes[i].Share) * s.Classes[i].Turns
		shares += float64(s.Classes[i].Share)
	}
	mean, _ := t.shape.over(w.begin, w.quiet)
	t.rate = float64(s.Requests) / (turns / shares) / float64(w.quiet-w.begin) / mean
	t.begin()
	return t
}

// begin moves fresh to the next session's begin: thinning of a process at the peak rate.
func (t *traffic) begin() {
	for {
		t.fresh += max(1, t.dice.waits(1e-6/(t.rate*t.shape.peak)))
		if t.fresh >= t.window.quiet || t.dice.Float64()*t.shape.peak < t.shape.at(t.fresh) {
			return
		}
	}
}

// each gives every turn in order of arrival.
func (t *traffic) each(do func(*turn) error) error {
	for t.fresh < t.window.quiet {
		if err := t.followUps(t.fresh, do); err != nil {
			return err
		}
		if err := t.take(t.fresh, t.newSession(), do); err != nil {
			return err
		}
		t.begin()
	}
	return t.followUps(t.window.quiet, do)
}

func (t *traffic) followUps(until int64, do func(*turn) error) error {
	return t.next.Before(until, func(at int64, s **session) error { return t.take(at, *s, do) })
}

func (t *traffic) newSession() *session {
	s := t.scenario
	t.sessions++
	c := &s.Classes[t.dice.share(len(s.Classes), func(i int) int64 { return s.Classes[i].Share })]
	return &session{
		id: t.sessions, class: c,
		deployment: t.dice.share(len(s.Deployments), func(i int) int64 { return s.Deployments[i].Share }),
		tenant:     t.dice.share(s.Tenants, func(i int) int64 { return 1_000_000 / int64(i+1) }),
		context:    c.Shared,
		left:       1 + int64(t.dice.ExpFloat64()/math.Log(c.Turns/max(1e-9, c.Turns-1))), // geometric
	}
}

// take draws a session's next turn, gives it and plans the one after.
func (t *traffic) take(at int64, s *session, do func(*turn) error) error {
	c := s.class
	next := &turn{session: s, at: at}
	next.prompt = s.context + t.dice.lognormal(c.Prompt, c.PromptSpread, maxContext)
	next.output = t.dice.lognormal(c.Output, c.OutputSpread, c.MaxOutput)
	next.blocks = s.upTo(next.prompt, t.scenario.Cache.BlockTokens)
	s.context = next.prompt + next.output
	s.left--
	if s.left > 0 && s.context < maxContext {
		t.next.Put(at+2_000_000+t.dice.waits(c.Think.Seconds()), s)
	}
	return do(next)
}

// upTo is the hashes of the whole blocks of a session's first tokens. Blocks within the class's shared beginning are
// the same in all its sessions.
func (s *session) upTo(tokens, blockTokens int64) []uint64 {
	for n := uint64(len(s.blocks)); int64(n+1)*blockTokens <= tokens; n++ {
		owner := mix(s.id, 7)
		if int64(n+1)*blockTokens <= s.class.Shared {
			owner = mix(uint64(s.class.Shared), 11)
		}
		s.blocks = append(s.blocks, mix(owner, n))
	}
	return s.blocks[:len(s.blocks):len(s.blocks)]
}
