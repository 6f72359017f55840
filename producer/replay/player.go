package replay

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// player turns rows into events.
type player struct {
	*settings
	ctx  context.Context // of the one call that the player lives for
	pace pace
	emit func(*stream.Event) error

	out       *lifecycle.Writer
	instances []lifecycle.Instance
	fleet     *stepmodel.Fleet // nil before the first row, and where latencies were measured
	line      stepmodel.Timeline[stepmodel.Output]
	order     order
	requests  map[int64]*live // by index of the row
	arrived   int64           // rows
	shift     int64           // ns to add to the times of rows
	summary   Summary
}

// live is a request under way.
type live struct {
	lifecycle.Request
	end    lifecycle.End
	beyond bool // of a row beyond MaxRows: it runs but is not told
	blocks int64
	hits   int64
}

func newPlayer(ctx context.Context, s *settings, emit func(*stream.Event) error) *player {
	return &player{settings: s, ctx: ctx, emit: emit, pace: pace{speedup: s.Speedup}, requests: map[int64]*live{},
		summary: Summary{Outcomes: map[stream.Outcome]int64{}}}
}

// identify names the producer after the files and the boot after the options.
func (p *player) identify(files ...string) (err error) {
	if p.summary.Producer, err = producerOf(files...); err != nil {
		return err
	}
	p.summary.Boot = bootOf(p.effective())
	p.out = lifecycle.NewWriter(p.summary.Producer, p.summary.Boot, "replay", p.send)
	return nil
}

// send hands an event on when its time has come.
func (p *player) send(e *stream.Event) error {
	at := e.Num(stream.EventTimeUnixNano)
	if err := p.pace.wait(p.ctx, at); err != nil {
		return err
	}
	if p.summary.From == 0 {
		p.summary.From = at
	}
	p.summary.Events++
	p.summary.To = at
	return p.emit(e)
}

// row takes a row as it was read.
func (p *player) row(r *Row) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	ready, err := p.order.add(p.File, r)
	if err != nil {
		return err
	}
	return p.order.until(ready, p.arrive)
}

// arrive plays everything up to a row's arrival, then brings it in.
func (p *player) arrive(r *Row) error {
	at, err := p.timeOf(r)
	if err != nil {
		return err
	}
	if p.arrived == 0 {
		if err := p.begin(at); err != nil {
			return err
		}
	}
	p.arrived++
	if err := p.advance(at); err != nil {
		return err
	}
	p.requests[r.index] = p.request(r)
	if r.Measured != nil {
		p.moments(r, at, p.line.Put)
		return nil
	}
	p.fleet.Arrive(stepmodel.Request{ID: r.index, Arrival: at / 1000, Prompt: r.Prompt, Output: r.Output, Blocks: r.Blocks, BlockTokens: p.format.BlockTokens})
	return nil
}

// timeOf is a row's arrival in ns since 1970.
func (p *player) timeOf(r *Row) (int64, error) {
	if r.At == NoTime {
		return p.start + p.arrived*int64(time.Second), nil
	}
	if p.arrived == 0 {
		p.shift = p.shiftOf(r.At)
	}
	if r.At > maxTime {
		return 0, fmt.Errorf("%s:%d: arrival %d ns: after %d", p.File, r.Line, r.At, maxYear)
	}
	at := r.At + p.shift
	if at <= 0 {
		return 0, fmt.Errorf("%s:%d: arrival %d ns: before 1970", p.File, r.Line, at)
	}
	return at, nil
}

func (p *player) shiftOf(first int64) int64 {
	switch {
	case first < datesFrom:
		return p.start
	case p.moved:
		return p.start - first
	}
	return 0
}

// maxTime is about the end of maxYear, ns since 1970.
const maxTime = (maxYear - 1969) * 366 * 24 * int64(time.Hour)

// datesFrom tells dates from times since a start: 2000-01-01, ns since 1970.
const datesFrom = 946_684_800 * int64(time.Second)

func (p *player) advance(at int64) error {
	if p.fleet != nil {
		p.fleet.Advance(at / 1000)
	}
	return p.line.Before(at/1000*1000, p.tell)
}

// drain lets everything finish.
func (p *player) drain() error {
	if err := p.order.until(math.MaxInt64, p.arrive); err != nil {
		return err
	}
	if p.fleet != nil {
		p.fleet.Drain()
	}
	return p.line.Before(math.MaxInt64, p.tell)
}
