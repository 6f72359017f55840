package embedded

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
)

// The broker writes records, and answers that it timed out, or that it is not the leader. The writer sends them again
// and the log has each once, in order.
// Case M38: there are no transactions of ours to end; the same lie about a plain record is tried.
func TestAnAnswerThatLiesDoublesNothing(t *testing.T) {
	b, err := Start(t.TempDir(), Options{Partitions: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	w, err := kafka.NewWriter(t.Context(), kafka.Config{Brokers: b.Addrs()}, kafka.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const rounds, each = 4, 50
	for round := range rounds {
		fault := []*kerr.Error{kerr.RequestTimedOut, kerr.NotLeaderForPartition}[round%2]
		h := b.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: stream.TopicRequests, Err: fault, Count: 2})
		for i := range each {
			m := kafka.Message{Topic: stream.TopicRequests, Value: fmt.Append(nil, round*each+i)}
			if err := w.Send(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if h.Hits() == 0 {
			t.Error("the fault was not met")
		}
	}
	if err := w.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	expect(t, b, rounds*each)
}

// expect reads the values 0, 1, …, n-1 at these offsets.
func expect(t *testing.T, b *Broker, n int64) {
	t.Helper()
	r, err := kafka.NewReader(kafka.Config{Brokers: b.Addrs()}, stream.TopicPartition{Topic: stream.TopicRequests})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	deadline := time.Now().Add(10 * time.Second)
	for next := int64(0); next < n; {
		f, err := r.Read(t.Context(), next)
		if err != nil || f.End != n || time.Now().After(deadline) {
			t.Fatalf("at %d: end %d, want %d: %v", next, f.End, n, err)
		}
		for _, rec := range f.Records {
			if string(rec.Value) != fmt.Sprint(rec.Offset) {
				t.Fatalf("value %s at %d", rec.Value, rec.Offset)
			}
		}
		next = f.Next
	}
}

// A fetch that fails for a while is an error or a wait, and then goes on where it was.
func TestFetchesThatFailGoOn(t *testing.T) {
	b, err := Start(t.TempDir(), Options{Partitions: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	w, err := kafka.NewWriter(t.Context(), kafka.Config{Brokers: b.Addrs()}, kafka.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if err := w.Send(t.Context(), kafka.Message{Topic: stream.TopicRequests, Value: fmt.Append(nil, i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, e := range []*kerr.Error{kerr.NotLeaderForPartition, kerr.UnknownServerError, kerr.OffsetOutOfRange} {
		b.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: stream.TopicRequests, Err: e, Count: 2})
		t.Run(e.Message, func(t *testing.T) { patient(t, b, 20) })
	}
}

func patient(t *testing.T, b *Broker, n int64) {
	t.Helper()
	r, err := kafka.NewReader(kafka.Config{Brokers: b.Addrs()}, stream.TopicPartition{Topic: stream.TopicRequests})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	deadline := time.Now().Add(15 * time.Second)
	seen := int64(0)
	for next := int64(0); next < n; {
		f, err := r.Read(t.Context(), next)
		if time.Now().After(deadline) {
			t.Fatalf("at %d: %v", next, err)
		}
		if err != nil {
			t.Log(err)
			continue
		}
		for _, rec := range f.Records {
			if rec.Offset != seen {
				t.Fatalf("offset %d, want %d", rec.Offset, seen)
			}
			seen++
		}
		next = f.Next
	}
}
