package producer_test

import (
	"context"
	"testing"
	"time"

	"github.com/inferlake/inferlake/producer"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
)

// The cost of an event in the engine's goroutine: at most 2 µs and one allocation. Without a broker the sending
// costs nothing, so that the caller alone is measured; with one, what the sending takes of the machine shows.
func BenchmarkEvent(b *testing.B) {
	b.Run("drop", func(b *testing.B) {
		c := newClient(b, producer.Options{Kafka: kafka.Config{Brokers: []string{"127.0.0.1:1"}}, BufferEvents: 1})
		benchmark(b, c)
	})
	b.Run("send", func(b *testing.B) {
		c := newClient(b, producer.Options{Kafka: startBroker(b), BufferEvents: 1 << 20, BufferBytes: 256 << 20})
		benchmark(b, c)
	})
}

// benchmark sends events as requests of five events do.
func benchmark(b *testing.B, c *producer.Client) {
	b.ReportAllocs()
	events := 0
	for b.Loop() {
		k := c.Begin(producer.Request{ID: "request-0123456789", PromptTokens: producer.N(100)})
		k.Queued()
		k.Scheduled()
		k.FirstToken()
		k.Finish(producer.Outcome{Reason: stream.ReasonStop, OutputTokens: producer.N(50)})
		events += 5
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
	b.ReportMetric(float64(c.Stats().Dropped)/float64(events), "dropped/event")
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	c.Close(ctx)
}

func BenchmarkTokens(b *testing.B) {
	c := newClient(b, producer.Options{Kafka: startBroker(b)})
	k := c.Begin(producer.Request{})
	b.ReportAllocs()
	var n int64
	for b.Loop() {
		n++
		k.Tokens(n)
	}
	k.Finish(producer.Outcome{})
	c.Close(context.Background())
}

func BenchmarkSender(b *testing.B) {
	s, err := producer.NewSender(b.Context(), producer.SenderOptions{Kafka: startBroker(b)})
	if err != nil {
		b.Fatal(err)
	}
	e := requestEvent(0, "request-0123456789")
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Emit(context.Background(), e); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
}
