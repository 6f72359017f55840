package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/inferlake/inferlake/producer/simulate"
	"github.com/inferlake/inferlake/stream"
)

type simulateCommand struct {
	Send sendSettings `embed:""`

	Scenario string    `help:"What exists and what happens to it: ${scenarios}, or a YAML file." default:"day" placeholder:"NAME|FILE"`
	End      time.Time `help:"When the simulated time ends, RFC 3339. Default: now. Records are stamped with simulated time." placeholder:"TIME"`
	Hours    float64   `help:"Length of the simulated time, hours. Default: the scenario's." placeholder:"H"`
	Requests int64     `help:"Requests of users, about. Default: the scenario's." placeholder:"N"`
	Seed     uint64    `help:"Another seed is another fleet day; the same one, with the same end, gives the same events." default:"1"`
	Truth    string    `help:"Write here what truly was, as lines of JSON: GPU time of each request, times of each engine, incidents." type:"path" placeholder:"FILE"`
	Show     bool      `help:"Print the scenario's YAML, and send nothing."`
}

// Run sends a scenario's events.
func (c *simulateCommand) Run(ctx context.Context, p program, _ *slog.Logger, data folder) error {
	text, err := simulate.Text(c.Scenario)
	if err != nil {
		return err
	}
	if c.Show {
		_, err := p.stdout.Write(text)
		return err
	}
	scenario, err := simulate.Load(c.Scenario)
	if err != nil {
		return err
	}
	o := simulate.Options{End: c.End, Hours: c.Hours, Requests: c.Requests, Seed: c.Seed}
	if o.End.IsZero() {
		o.End = time.Now().UTC().Truncate(time.Second)
	}
	truth, err := c.openTruth()
	if err != nil {
		return err
	}
	if truth != nil {
		o.Truth = truth
	}
	c.keep(scenario, o)
	begun := time.Now()
	s, err := c.send(ctx, p, data, scenario, o)
	if truth != nil {
		err = errors.Join(err, truth.Close())
	}
	if err != nil {
		return err
	}
	return c.tell(p.stdout, s, o, time.Since(begun))
}

func (c *simulateCommand) send(ctx context.Context, p program, data folder, scenario simulate.Scenario, o simulate.Options) (s simulate.Summary, err error) {
	bar := p.progress("simulating", "events")
	err = c.Send.send(ctx, data, virtual, func(emit func(*stream.Event) error) (err error) {
		s, err = simulate.Run(ctx, scenario, o, func(e *stream.Event) error {
			bar.Add(1)
			return emit(e)
		})
		return err
	})
	return s, errors.Join(err, bar.Finish())
}

// openTruth creates the ledger's file; nil if none is wanted.
func (c *simulateCommand) openTruth() (*os.File, error) {
	if c.Truth == "" {
		return nil, nil
	}
	f, err := os.Create(c.Truth)
	if err != nil {
		return nil, fmt.Errorf("cannot write the truth: %w", err)
	}
	return f, nil
}

// keep makes topics that are created keep the whole simulated time: retention goes by the records' stamps.
func (c *simulateCommand) keep(s simulate.Scenario, o simulate.Options) {
	hours := s.Hours
	if o.Hours != 0 {
		hours = o.Hours
	}
	age := time.Since(o.End) + time.Duration(hours*float64(time.Hour))
	c.Send.Kafka.Retention = max(c.Send.Kafka.Retention, age+24*time.Hour)
}

func (c *simulateCommand) tell(w io.Writer, s simulate.Summary, o simulate.Options, took time.Duration) error {
	_, err := fmt.Fprintf(w, "scenario %s up to %s: %d requests (%s), %d events in %.1f s; input %d, cached %d, output %d tokens\nboot %s\n",
		c.Scenario, o.End.Format(time.RFC3339), s.Requests, outcomes(s.Outcomes), s.Events, took.Seconds(), s.PromptTokens, s.CachedTokens, s.OutputTokens, s.Boot)
	return err
}
