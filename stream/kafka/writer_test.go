package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
)

// whereKeysWent reads which partition each key is in.
func whereKeysWent(t *testing.T, conf kafka.Config) map[string]int32 {
	t.Helper()
	ends, err := newAdmin(t, conf).EndOffsets(t.Context(), stream.TopicRequests)
	if err != nil {
		t.Fatal(err)
	}
	where := make(map[string]int32)
	for tp, end := range ends {
		r := newReader(t, conf, tp)
		for next := int64(0); next < end; {
			f, err := r.Read(t.Context(), next)
			if err != nil {
				t.Fatal(err)
			}
			for _, rec := range f.Records {
				if p, seen := where[string(rec.Key)]; seen && p != tp.Partition {
					t.Errorf("key %s is in partitions %d and %d", rec.Key, p, tp.Partition)
				}
				where[string(rec.Key)] = tp.Partition
			}
			next = f.Next
		}
	}
	return where
}

func sendKeys(t *testing.T, w *kafka.Writer) {
	t.Helper()
	for i := range 64 {
		if err := w.Send(t.Context(), kafka.Message{Topic: stream.TopicRequests, Key: fmt.Appendf(nil, "p%d/0", i), Value: []byte("v")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// More partitions while a writer runs move none of its keys. The producer's hash is murmur2, as other clients place keys.
func TestKeysStayWhenPartitionsAreAdded(t *testing.T) {
	onBrokers(t, testKeysStayWhenPartitionsAreAdded)
}

func testKeysStayWhenPartitionsAreAdded(t *testing.T, b broker) {
	w := newWriter(t, b.Config)
	sendKeys(t, w)
	cl, err := kgo.NewClient(kgo.SeedBrokers(b.Brokers...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if _, err := kadm.NewClient(cl).UpdatePartitions(t.Context(), 16, stream.TopicRequests); err != nil {
		t.Fatal(err)
	}
	cl.ForceMetadataRefresh()
	time.Sleep(300 * time.Millisecond)
	sendKeys(t, w)
	where := whereKeysWent(t, b.Config)
	if len(where) != 64 {
		t.Fatalf("%d keys", len(where))
	}
	used := map[int32]int{}
	for _, p := range where {
		used[p]++
	}
	if len(used) != 4 {
		t.Errorf("keys per partition: %v", used)
	}
	hash := kgo.StickyKeyPartitioner(nil).ForTopic("t")
	for key, p := range where {
		producer, lane, _ := strings.Cut(key, "/")
		n, err := strconv.Atoi(lane)
		if err != nil {
			t.Fatal(err)
		}
		if want := (hash.Partition(&kgo.Record{Key: []byte(producer)}, 4) + n) % 4; int(p) != want {
			t.Errorf("key %s is in %d, want %d: the producer's lanes lie side by side", key, p, want)
		}
	}
}

func TestAFullBuffer(t *testing.T) {
	dir := t.TempDir()
	b, err := embedded.Start(dir, embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	conf := kafka.Config{Brokers: b.Addrs()}
	w, err := kafka.NewWriter(t.Context(), conf, kafka.WriterOptions{BufferBytes: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
	var told, failed int
	m := kafka.Message{Topic: stream.TopicGPUs, Key: []byte("k"), Value: make([]byte, 10_000), Done: func(err error) {
		if told++; err != nil {
			failed++
		}
	}}
	taken := 0
	began := time.Now()
	for w.TrySend(m) {
		taken++
	}
	if taken != 6 || time.Since(began) > 100*time.Millisecond {
		t.Errorf("%d taken in %v", taken, time.Since(began))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := w.Send(ctx, m); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Send: %v", err)
	}
	if err := w.Close(ctx); err == nil {
		t.Error("the close lost records without a word")
	}
	if told != taken || failed != taken || w.Failed() != int64(taken) || w.Err() == nil {
		t.Errorf("told %d, failed %d of %d: %v", told, failed, taken, w.Err())
	}
}

func TestWhatAWriterRefuses(t *testing.T) { onBrokers(t, testWhatAWriterRefuses) }

func testWhatAWriterRefuses(t *testing.T, b broker) {
	w := newWriter(t, b.Config)
	for want, m := range map[string]kafka.Message{
		"not among":  {Topic: "other", Value: []byte("v")},
		"too large:": {Topic: stream.TopicGPUs, Value: make([]byte, 2_000_000)},
	} {
		if err := w.Send(t.Context(), m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s: %v", want, err)
		}
		if w.TrySend(m) {
			t.Errorf("%s was taken", want)
		}
	}
	_, err := kafka.NewWriter(t.Context(), b.Config, kafka.WriterOptions{Topics: []string{"missing"}})
	if err == nil || !strings.Contains(err.Error(), "missing") {
		t.Error(err)
	}
}
