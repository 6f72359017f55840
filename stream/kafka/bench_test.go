package kafka_test

import (
	"context"
	"testing"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
)

// What a record costs to read, by its size: one protobuf event, and a batch of columns.
func BenchmarkRead(b *testing.B) {
	for name, c := range map[string]struct{ records, bytes int }{"100B": {2_000_000, 100}, "16KiB": {20_000, 16 << 10}} {
		b.Run(name, func(b *testing.B) {
			broker, conf := startBroker(b, embedded.Options{NoSync: true, Partitions: 1})
			w, err := kafka.NewWriter(b.Context(), conf, kafka.WriterOptions{})
			if err != nil {
				b.Fatal(err)
			}
			value := make([]byte, c.bytes)
			for i := range value {
				value[i] = byte(i*i>>3 + i)
			}
			for range c.records {
				if err := w.Send(b.Context(), kafka.Message{Topic: stream.TopicRequests, Key: []byte("p/0"), Value: value}); err != nil {
					b.Fatal(err)
				}
			}
			if err := w.Close(context.Background()); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.SetBytes(int64(c.records * c.bytes))
			for b.Loop() {
				readThrough(b, kafka.Config{Brokers: broker.Addrs()}, int64(c.records))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*c.records), "ns/record")
		})
	}
}

func readThrough(b *testing.B, conf kafka.Config, end int64) {
	r, err := kafka.NewReader(conf, requests0)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for next := int64(0); next < end; {
		f, err := r.Read(b.Context(), next)
		if err != nil {
			b.Fatal(err)
		}
		next = f.Next
	}
}
