package producer_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func startBroker(t testing.TB) kafka.Config {
	t.Helper()
	b, err := embedded.Start(t.TempDir(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return kafka.Config{Brokers: b.Addrs()}
}

// got is one event as it was read, with its record.
type got struct {
	stream.Event
	topic       string
	partition   int32
	offset      int64
	timestamp   int64
	key         string
	contentType string
}

// readAll reads every event that the topics hold, partition by partition.
func readAll(t testing.TB, conf kafka.Config, topics ...string) (events []got) {
	t.Helper()
	a, err := kafka.NewAdmin(t.Context(), conf)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, topic := range topics {
		ends, err := a.EndOffsets(t.Context(), topic)
		if err != nil {
			t.Fatal(err)
		}
		for p := range int32(len(ends)) {
			tp := stream.TopicPartition{Topic: topic, Partition: p}
			events = append(events, readPartition(t, conf, tp, ends[tp])...)
		}
	}
	return events
}

func readPartition(t testing.TB, conf kafka.Config, tp stream.TopicPartition, end int64) (events []got) {
	t.Helper()
	r, err := kafka.NewReader(conf, tp)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var d stream.Decoder
	deadline := time.Now().Add(20 * time.Second)
	for next := int64(0); next < end; {
		f, err := r.Read(t.Context(), next)
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("at %d of %d: %v", next, end, err)
		}
		for i := range f.Records {
			rec := f.Records[i]
			rec.Value = append([]byte(nil), rec.Value...)
			d.Decode(&rec, func(_ int32, e *stream.Event, why stream.Reason) {
				if why != stream.Accepted {
					t.Errorf("refused at %d: %s", rec.Offset, why)
					return
				}
				events = append(events, keep(e, tp, &rec))
			})
		}
		next = f.Next
	}
	return events
}

// keep copies an event out of the decoder.
func keep(e *stream.Event, tp stream.TopicPartition, rec *stream.Record) got {
	g := got{topic: tp.Topic, partition: tp.Partition, offset: rec.Offset, timestamp: rec.Timestamp,
		key: string(rec.Key), contentType: rec.ContentType}
	e.CopyTo(&g.Event)
	for _, f := range []stream.Field{stream.RequestITLBucket, stream.RequestITLCount} {
		if e.Kind == stream.KindRequest && e.Has(f) {
			g.SetInts(f, append([]int64(nil), e.Ints(f)...))
		}
	}
	return g
}
