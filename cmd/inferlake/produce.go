package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"strings"
	"time"

	"github.com/inferlake/inferlake/producer"
	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/replay"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
)

// produceCommand sends events from a source, one subcommand a source.
type produceCommand struct {
	Replay   replayCommand   `cmd:"" help:"Play recorded traffic again, as lifecycle events."`
	Simulate simulateCommand `cmd:"" help:"Make a fleet's traffic up, with all that its engines, GPUs, nodes and Kubernetes would say."`
}

// sendSettings are the flags of every source.
type sendSettings struct {
	Kafka    kafkaSettings `embed:""`
	Encoding string        `help:"How events are written: columns, protobuf or json." enum:"columns,protobuf,json" default:"columns"`
}

// send calls produce with a sender that loses nothing: to the running serve's broker, else to the configured one, else
// to an embedded one of our own. Stamp gives the time of sending that an event pretends to have; nil is the true one.
func (s sendSettings) send(ctx context.Context, data folder, stamp func(*stream.Event) time.Time, produce func(func(*stream.Event) error) error) (err error) {
	if err := data.make(); err != nil {
		return err
	}
	running, err := data.running()
	if err != nil {
		return err
	}
	config := s.Kafka
	if running != nil && len(config.Brokers) == 0 {
		config.Brokers = running.Brokers
	}
	broker, err := config.open(ctx, data, embedded.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, broker.Close()) }()
	encoding, err := producer.ParseEncoding(s.Encoding)
	if err != nil {
		return err
	}
	sender, err := producer.NewSender(ctx, producer.SenderOptions{Kafka: broker.Config, Encoding: encoding, Topic: lifecycle.Topic, Stamp: stamp})
	if err != nil {
		return err
	}
	err = produce(func(e *stream.Event) error { return sender.Emit(ctx, e) })
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return errors.Join(err, sender.Close(last))
}

type replayCommand struct {
	Send sendSettings `embed:""`

	Format string `arg:"" help:"${formats}." enum:"${formatlist}"`
	File   string `arg:"" help:"File to play; for vllmrun the folder of the run." type:"path"`

	Speedup    float64       `help:"Trace seconds a second; 0 is as fast as the machine goes." default:"0"`
	StartTime  time.Time     `help:"When the first request arrives, RFC 3339. Default: the file's own times, else 2024-01-01T00:00:00Z." placeholder:"TIME"`
	MaxRows    int64         `help:"Rows to play; 0 is all. The others keep their numbers, so completeness shows them as missing." placeholder:"N"`
	Model      string        `help:"Model to say for all requests. Default: the file's, else the profile's." placeholder:"NAME"`
	Version    string        `name:"model-version" help:"Model version to say for all requests." placeholder:"VERSION"`
	Load       string        `help:"vllmrun: which load of the folder, e.g. scale100_prompt500." placeholder:"NAME"`
	Profile    string        `help:"Engine profile of the step model." default:"h100-llama3-8b-tp1"`
	Replicas   int           `help:"Replicas of the step model." default:"1"`
	Dispatch   string        `help:"round-robin or least-loaded." enum:"round-robin,least-loaded" default:"round-robin"`
	Quadratic  bool          `help:"Count the attention of prompts to themselves."`
	Cache      string        `help:"Prefix cache: off, infinite, or blocks of the format. Default: infinite with block hashes, else off." placeholder:"SIZE"`
	CacheOrder string        `help:"When prompts are looked up: admission or arrival." enum:"admission,arrival" default:"admission"`
	Sample     time.Duration `name:"sample-interval" help:"Time between engine samples." default:"10s"`
}

func (c *replayCommand) options() replay.Options {
	return replay.Options{Format: c.Format, File: c.File, Speedup: c.Speedup, MaxRows: c.MaxRows, StartTime: c.StartTime,
		Model: c.Model, Version: c.Version, Load: c.Load, Profile: c.Profile, Replicas: c.Replicas, Dispatch: c.Dispatch,
		Quadratic: c.Quadratic, Cache: c.Cache, CacheOrder: c.CacheOrder, SampleInterval: c.Sample}
}

func (c *replayCommand) Run(ctx context.Context, p program, _ *slog.Logger, data folder) error {
	var s replay.Summary
	begun := time.Now()
	err := c.Send.send(ctx, data, nil, func(emit func(*stream.Event) error) (err error) {
		s, err = replay.Replay(ctx, c.options(), emit)
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s %s: %d requests (%s), %d events in %.1f s; input %d, cached %d, output %d tokens%s\nproducer %s, boot %s\n",
		c.Format, c.File, s.Rows, outcomes(s.Outcomes), s.Events, time.Since(begun).Seconds(), s.PromptTokens, s.CachedTokens, s.OutputTokens,
		blocks(s), s.Producer, s.Boot)
	return err
}

func outcomes(n map[stream.Outcome]int64) string {
	var parts []string
	for o, count := range n {
		parts = append(parts, fmt.Sprintf("%s %d", o, count))
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}

func blocks(s replay.Summary) string {
	if s.Blocks == 0 {
		return ""
	}
	return fmt.Sprintf("; block hits %d of %d = %.3f %%", s.BlockHits, s.Blocks, 100*float64(s.BlockHits)/float64(s.Blocks))
}

// replayVars fill the help of the replay command from the table of formats.
func replayVars() map[string]string {
	var names, docs []string
	for _, f := range replay.Formats() {
		names = append(names, f.Name)
		docs = append(docs, f.Name+" ("+f.Doc+")")
	}
	return map[string]string{"formatlist": strings.Join(names, ","), "formats": strings.Join(docs, ", ")}
}
