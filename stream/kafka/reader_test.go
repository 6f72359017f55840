package kafka_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
)

// Cases M36, M39: a reader starts where it is told, which is the log's start when nothing was stored, never at the end by
// itself; and it gives nothing below that place.
func TestReadWhatWasWritten(t *testing.T) { onBrokers(t, testReadWhatWasWritten) }

func testReadWhatWasWritten(t *testing.T, b broker) {
	send(t, newWriter(t, b.Config), 0, 100)
	tp := partitionOf(t, b.Config)
	r := newReader(t, b.Config, tp)

	rows, last := readTo(t, r, 0, 100)
	if len(rows) != 100 || rows[0] != (row{0, "0"}) || rows[99] != (row{99, "99"}) {
		t.Fatalf("got %d rows: %v …", len(rows), rows[:min(3, len(rows))])
	}
	if last.Next != 100 || last.End != 100 || last.Start != 0 {
		t.Fatalf("next %d end %d start %d", last.Next, last.End, last.Start)
	}
	// A seek back and into the middle of a batch delivers nothing below the position.
	if rows, _ = readTo(t, r, 42, 100); len(rows) != 58 || rows[0].offset != 42 {
		t.Fatalf("after the seek: %d rows from %v", len(rows), rows[0])
	}
}

func TestRecordFields(t *testing.T) { onBrokers(t, testRecordFields) }

func testRecordFields(t *testing.T, b broker) {
	w := newWriter(t, b.Config)
	at := time.Date(2026, 3, 1, 12, 0, 0, 7_000_000, time.UTC)
	m := kafka.Message{Topic: stream.TopicRequests, Key: []byte("k"), Value: []byte("v"), ContentType: stream.ContentColumns, Timestamp: at}
	if err := errors.Join(w.Send(t.Context(), m), w.Flush(t.Context())); err != nil {
		t.Fatal(err)
	}
	r := newReader(t, b.Config, partitionOf(t, b.Config))
	for {
		f, err := r.Read(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Records) == 0 {
			continue
		}
		got := f.Records[0]
		if string(got.Key) != "k" || string(got.Value) != "v" || got.ContentType != stream.ContentColumns || b.apache == (got.Timestamp == at.UnixNano()) {
			t.Fatalf("got %+v", got)
		}
		if now := time.Now(); b.apache && now.Sub(time.Unix(0, got.Timestamp)).Abs() > time.Minute {
			t.Fatalf("appended at %v, now %v", time.Unix(0, got.Timestamp), now)
		}
		return
	}
}

func TestAnEmptyLogSaysSoWithinAWhile(t *testing.T) { onBrokers(t, testAnEmptyLogSaysSoWithinAWhile) }

func testAnEmptyLogSaysSoWithinAWhile(t *testing.T, b broker) {
	r := newReader(t, b.Config, requests0)
	if _, err := r.Read(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	f, err := r.Read(t.Context(), 0)
	if err != nil || f.Next != 0 || f.End != 0 || len(f.Records) != 0 {
		t.Fatalf("%+v %v", f, err)
	}
	if d := time.Since(began); d < 50*time.Millisecond || d > time.Second {
		t.Fatalf("waited %v", d)
	}
}

func TestAPositionPastTheEndIsRefused(t *testing.T) { onBrokers(t, testAPositionPastTheEndIsRefused) }

func testAPositionPastTheEndIsRefused(t *testing.T, b broker) {
	_, err := newReader(t, b.Config, requests0).Read(t.Context(), 5)
	if !errors.Is(err, kafka.ErrPastEnd) {
		t.Fatal(err)
	}
}

func TestAPartitionThatIsNotThereIsAnError(t *testing.T) {
	onBrokers(t, testAPartitionThatIsNotThereIsAnError)
}

func testAPartitionThatIsNotThereIsAnError(t *testing.T, b broker) {
	_, err := newReader(t, b.Config, stream.TopicPartition{Topic: stream.TopicRequests, Partition: 99}).Read(t.Context(), 0)
	if err == nil {
		t.Fatal("no error")
	}
}

// Case M37: what retention took is a gap that the fetch names.
func TestRetentionPassedThePosition(t *testing.T) { onBrokers(t, testRetentionPassedThePosition) }

func testRetentionPassedThePosition(t *testing.T, b broker) {
	w := newWriter(t, b.Config)
	send(t, w, 0, 50)
	tp := partitionOf(t, b.Config)
	standing := newReader(t, b.Config, tp)
	readTo(t, standing, 0, 50)

	send(t, w, 50, 50)
	if err := b.deleteRecords(tp, 80); err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*kafka.Reader{"standing": standing, "fresh": newReader(t, b.Config, tp)} {
		f := firstData(t, r, 50)
		// The standing reader may have fetched the records before they were deleted: then there is no gap.
		if f.Records[0].Offset != 50 && (f.Start != 80 || f.Records[0].Offset != 80) {
			t.Errorf("%s: start %d, first record %d", name, f.Start, f.Records[0].Offset)
		}
		if name == "fresh" && f.Start != 80 {
			t.Errorf("the fresh reader saw no gap: %+v", f)
		}
	}
}

func TestRetentionPassedAnIdleReader(t *testing.T) { onBrokers(t, testRetentionPassedAnIdleReader) }

func testRetentionPassedAnIdleReader(t *testing.T, b broker) {
	w := newWriter(t, b.Config)
	send(t, w, 0, 10)
	tp := partitionOf(t, b.Config)
	r := newReader(t, b.Config, tp)
	readTo(t, r, 0, 10)
	r.Close() // as after an error: the next Read connects anew at the old position
	send(t, w, 10, 10)
	if err := b.deleteRecords(tp, 20); err != nil {
		t.Fatal(err)
	}
	f, err := r.Read(t.Context(), 10)
	if err != nil || f.Start != 20 || f.Next != 20 || f.End != 20 || len(f.Records) != 0 {
		t.Fatalf("%+v %v", f, err)
	}
}

// firstData reads at a position until a record comes; a gap on the way is kept in Start.
func firstData(t *testing.T, r *kafka.Reader, from int64) stream.Fetch {
	t.Helper()
	var gap int64
	for range 200 {
		f, err := r.Read(t.Context(), from)
		if err != nil {
			t.Fatal(err)
		}
		if gap = max(gap, f.Start); len(f.Records) > 0 {
			f.Start = gap
			return f
		}
		from = f.Next
	}
	t.Fatal("no record came")
	return stream.Fetch{}
}

// Two transactions of five records and one that is aborted: offsets 0–4, 6–10, and 12–16 that nobody sees. Next
// counts the markers at 5, 11 and 17.
func TestMarkersAreNotGaps(t *testing.T) { onBrokers(t, testMarkersAreNotGaps) }

func testMarkersAreNotGaps(t *testing.T, b broker) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(b.Brokers...), kgo.TransactionalID("tx"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	for _, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryCommit, kgo.TryAbort} {
		transaction(t, cl, end)
	}
	rows, last := readTo(t, newReader(t, b.Config, requests0), 0, 18)
	var offsets []int64
	for _, r := range rows {
		offsets = append(offsets, r.offset)
	}
	if got := fmt.Sprint(offsets); got != "[0 1 2 3 4 6 7 8 9 10]" {
		t.Fatalf("offsets %s", got)
	}
	if last.Next != 18 || last.End != 18 {
		t.Fatalf("next %d end %d", last.Next, last.End)
	}
}

func transaction(t *testing.T, cl *kgo.Client, end kgo.TransactionEndTry) {
	t.Helper()
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: stream.TopicRequests, Value: []byte("x")}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	if err := cl.EndTransaction(t.Context(), end); err != nil {
		t.Fatal(err)
	}
}
