package main

import (
	"context"
	"fmt"

	"github.com/inferlake/inferlake/cmd/inferlake/peers"
	"github.com/inferlake/inferlake/stream"
)

// peerFigures are what a peer took to read the same records and do nothing with them.
type peerFigures struct {
	Name      string `json:"name"`
	Records   int64  `json:"records"`
	PerSecond spread `json:"events_per_second"`
	CPU       spread `json:"cpu_ns_per_event"`

	rates, cpu []float64
}

func newPeers() (all []*peerFigures) {
	for _, p := range peers.All() {
		all = append(all, &peerFigures{Name: p.Name})
	}
	return all
}

// measurePeers lets every peer read the measured part of the log once more.
func (b *benchLog) measurePeers(ctx context.Context, all []*peerFigures) error {
	topic := peers.Topic{Brokers: b.broker.Brokers, Name: stream.TopicRequests, From: map[int32]int64{}, To: map[int32]int64{}}
	want := int64(0)
	for tp, end := range b.ends {
		topic.From[tp.Partition], topic.To[tp.Partition] = b.ramp[tp], end
		want += end - b.ramp[tp]
	}
	for i, p := range peers.All() {
		watch := startWatch()
		n, err := p.Read(ctx, topic)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		if n != want {
			return fmt.Errorf("%s read %d records of %d", p.Name, n, want)
		}
		u, f := watch.read(), all[i]
		f.rates, f.cpu = append(f.rates, u.perSecond(b.events())), append(f.cpu, u.perEvent(b.events()))
		f.Records, f.PerSecond, f.CPU = n, spreadOf(f.rates), spreadOf(f.cpu)
	}
	return nil
}

func (f peerFigures) String() string {
	return fmt.Sprintf("  beside it, %s: %.2f M events/s, %.0f CPU-ns/event (%.0f to %.0f), broker included, nothing decoded",
		f.Name, f.PerSecond.Median/1e6, f.CPU.Median, f.CPU.Least, f.CPU.Most)
}
