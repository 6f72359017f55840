package replay

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/inferlake/inferlake/stream"
)

// Replay plays a file: emit gets its events in order of time. The event passed is reused: keep a copy, not the
// pointer. An error of emit ends the replay, and so does the end of ctx.
func Replay(ctx context.Context, o Options, emit func(*stream.Event) error) (Summary, error) {
	s, err := o.settings()
	if err != nil {
		return Summary{}, err
	}
	if s.format.play != nil {
		p := newPlayer(ctx, &s, emit)
		err = s.format.play(p, s.File)
		return p.summary, err
	}
	return playFile(ctx, &s, emit)
}

func playFile(ctx context.Context, s *settings, emit func(*stream.Event) error) (Summary, error) {
	p := newPlayer(ctx, s, emit)
	if err := p.identify(s.File); err != nil {
		return Summary{}, err
	}
	in, err := os.Open(s.File)
	if err != nil {
		return Summary{}, fmt.Errorf("replay: cannot read: %w", err)
	}
	defer in.Close()
	if err = s.format.read(&file{s.File, in}, p.row); err == nil {
		err = p.drain()
	}
	if err != nil && err != errEnough {
		return p.summary, err
	}
	return p.summary, p.close(err == errEnough)
}

// errEnough ends the reading once the rows asked for are played.
var errEnough = errors.New("rows played")
