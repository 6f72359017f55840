package kafka_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
	"github.com/inferlake/inferlake/stream/kafka/rawbatch"
)

// Case C09: a batch that unpacks to 1 GiB, and batches that do not unpack at all, are refused, one record each, and what
// lies around them is read; again from the start, and from within them, the same.
func TestABatchThatCannotBeUnpackedIsPassedOver(t *testing.T) {
	_, conf := startBroker(t, embedded.Options{Partitions: 1})
	bomb, err := rawbatch.Bomb(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	w := newWriter(t, conf)
	var want []string
	for i, bad := range []struct {
		batch rawbatch.Batch
		why   stream.Reason
	}{
		{bomb, stream.ReasonTooLarge},
		{rawbatch.Batch{Codec: rawbatch.Zstd, Count: 5, Records: []byte("not zstd")}, stream.ReasonMalformed},
		{rawbatch.Batch{Codec: rawbatch.Gzip, Count: 1, Records: []byte{0x1f, 0x8b, 8, 0}}, stream.ReasonMalformed},
		{rawbatch.Batch{Codec: rawbatch.None, Count: 3}, stream.ReasonMalformed},
		{bomb, stream.ReasonTooLarge},
	} {
		send(t, w, i, 1)
		if err := bad.batch.Send(t.Context(), conf.Brokers, requests0); err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprint(i), string(bad.why))
	}
	send(t, w, 9, 1)
	want = append(want, "9")
	const end = 6 + 1 + 5 + 1 + 3 + 1

	defer debug.SetGCPercent(debug.SetGCPercent(20)) // what counts is what is held at once, not what waits to be collected
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 2 {
		if got := told(t, newReader(t, conf, requests0), 0, end); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("got  %v\nwant %v", got, want)
		}
	}
	if got := told(t, newReader(t, conf, requests0), 5, end); fmt.Sprint(got) != fmt.Sprint(want[3:]) {
		t.Fatalf("from within a batch: got %v\nwant %v", got, want[3:])
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.Sys) - int64(before.Sys); grown > 640<<20 { // five bombs were unpacked, each up to 64 MiB
		t.Errorf("the process grew by %d MiB", grown>>20)
	}
}

// told reads up to an offset and lists values, and reasons of what was refused.
func told(t *testing.T, r *kafka.Reader, from, to int64) (got []string) {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); from < to; {
		f, err := r.Read(t.Context(), from)
		if time.Now().After(deadline) {
			t.Fatalf("stuck at %d of %d: %v", from, to, err)
		}
		for _, rec := range f.Records {
			got = append(got, string(rec.Value)+string(rec.Refused))
		}
		from = max(from, f.Next)
	}
	return got
}
