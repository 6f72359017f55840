package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/inferlake/inferlake/stream"
)

type benchDecode struct {
	benchSettings
	benchWorkload
	Runs int `help:"How often it is measured." default:"1"`
}

// decodeFigures are what the benchmark measured.
type decodeFigures struct {
	Benchmark     string         `json:"benchmark"`
	Encoding      string         `json:"encoding"`
	Cores         int            `json:"cores"`
	Events        int64          `json:"events"`
	BytesPerEvent float64        `json:"record_bytes_per_event"`
	PerSecond     spread         `json:"events_per_second"`
	Consume       spread         `json:"consume_cpu_ns_per_event"`
	CPU           spread         `json:"cpu_ns_per_event"`
	PeakMiB       float64        `json:"peak_rss_mib"`
	Peers         []*peerFigures `json:"peers"`
	Checked       string         `json:"checked"`
}

func (c *benchDecode) Run(ctx context.Context, p program) (err error) {
	b, err := c.openLog(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	end, err := c.begin()
	if err != nil {
		return err
	}
	defer end()
	f := decodeFigures{Benchmark: "consume-decode", Encoding: c.Encoding, Cores: c.Cores, Events: b.events(), Peers: newPeers(),
		BytesPerEvent: float64(b.answer.Bytes) / float64(b.answer.Events),
		Checked:       "events, and the tokens that their ends tell, equal the generator's own"}
	var rates, consume, cpu []float64
	forgetPeak()
	for range c.Runs {
		read, err := b.pass(ctx, passes[0].make)
		if err != nil {
			return err
		}
		decode, err := b.decodeChecked(ctx)
		if err != nil {
			return err
		}
		rates, cpu = append(rates, decode.perSecond(f.Events)), append(cpu, decode.perEvent(f.Events))
		consume = append(consume, read.perEvent(f.Events))
		if err := b.measurePeers(ctx, f.Peers); err != nil {
			return err
		}
	}
	f.PerSecond, f.Consume, f.CPU, f.PeakMiB = spreadOf(rates), spreadOf(consume), spreadOf(cpu), peakMiB()
	return c.print(p, f)
}

// decodeChecked reads and decodes the whole log, and compares what the events said with the generator's own account.
func (b *benchLog) decodeChecked(ctx context.Context) (usage, error) {
	var events, output atomic.Int64
	u, err := b.pass(ctx, func(stream.TopicPartition) (handler, func()) {
		var d stream.Decoder
		var n, tokens int64
		take := func(_ int32, e *stream.Event, why stream.Reason) {
			if why != stream.Accepted {
				return
			}
			n++
			if e.Num(stream.RequestPhase) == int64(stream.PhaseFinished) {
				tokens += e.Num(stream.RequestOutputTokens)
			}
		}
		return decodeEach(&d, take), func() { events.Add(n); output.Add(tokens) }
	})
	if err != nil {
		return u, err
	}
	want := int64(0)
	for _, g := range b.answer.Groups {
		want += g.Output
	}
	if events.Load() != b.answer.Events || output.Load() != want {
		return u, fmt.Errorf("the result is wrong, so its speed does not count: %d events with %d tokens, sent were %d with %d",
			events.Load(), output.Load(), b.answer.Events, want)
	}
	return u, nil
}

func (f decodeFigures) String() string {
	s := fmt.Sprintf("%s, %s, %d cores: %.2f M events/s (%.2f to %.2f), %.0f CPU-ns/event (%.0f to %.0f), broker included\n"+
		"%d events of %.0f B in records; reading alone %.0f CPU-ns/event; peak RSS %.0f MiB\n",
		f.Benchmark, f.Encoding, f.Cores, f.PerSecond.Median/1e6, f.PerSecond.Least/1e6, f.PerSecond.Most/1e6,
		f.CPU.Median, f.CPU.Least, f.CPU.Most, f.Events, f.BytesPerEvent, f.Consume.Median, f.PeakMiB)
	for _, p := range f.Peers {
		s += p.String() + "\n"
	}
	return s + "checked: " + f.Checked
}
