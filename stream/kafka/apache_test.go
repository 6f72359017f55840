package kafka_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/apachetest"
)

// Kill -9 of the broker in the middle of sending, again and again: what was acknowledged is there once and in order,
// and a writer and a reader go on by themselves.
func TestApacheKilled(t *testing.T) {
	b := apachetest.Start(t, apachetest.Options{})
	conf := kafka.Config{Brokers: b.Addrs()}
	if err := newAdmin(t, conf).CreateTopics(t.Context(), kafka.TopicOptions{}); err != nil {
		t.Fatal(err)
	}
	w := newWriter(t, conf)
	send(t, w, 0, 1000)
	r := newReader(t, conf, partitionOf(t, conf))
	const rounds, each = 3, 1000
	for round := 1; round <= rounds; round++ {
		for i := range each {
			m := kafka.Message{Topic: stream.TopicRequests, Key: []byte("p/0"), Value: fmt.Append(nil, each*round+i)}
			if err := w.Send(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			if i == each/2 {
				time.Sleep(7 * time.Millisecond) // some are on their way, some are acknowledged
				b.Kill()
			}
		}
		if err := b.Restart(); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	expectCount(t, patientRead(t, r, 0, each*(rounds+1)), each*(rounds+1))
}

// expectCount checks for the values 0, 1, …, n-1 at these offsets.
func expectCount(t *testing.T, rows []row, n int) {
	t.Helper()
	for i, got := range rows {
		if got != (row{int64(i), fmt.Sprint(i)}) {
			t.Fatalf("row %d is %v", i, got)
		}
	}
	if len(rows) != n {
		t.Fatalf("%d rows of %d", len(rows), n)
	}
}

// A compacted topic has holes where keys were written again, and where a transaction was aborted. Next moves past them.
func TestHolesOfCompaction(t *testing.T) {
	b := emptyApache(t)
	adm := kadm.NewClient(rawClient(t, b.Config))
	compactSoon(t, adm)
	cl := rawClient(t, b.Config, kgo.TransactionalID("holes"), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.DefaultProduceTopic(stream.TopicRequests))
	for _, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort, kgo.TryCommit} {
		keyed(t, cl, end)
		time.Sleep(300 * time.Millisecond) // the next record begins a new segment; the last one is not compacted
	}
	ends, err := newAdmin(t, b.Config).EndOffsets(t.Context(), stream.TopicRequests)
	if err != nil {
		t.Fatal(err)
	}
	end := ends[requests0]
	var rows []row
	for deadline := time.Now().Add(40 * time.Second); len(rows) == 0 || rows[0].offset == 0; time.Sleep(300 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not compacted: %v", rows)
		}
		rows = readWhole(t, b.Config, end)
	}
	t.Log("after compaction: ", rows)
	readTo(t, newReader(t, b.Config, requests0), 2, end)  // from within what was written again
	readTo(t, newReader(t, b.Config, requests0), 12, end) // from within what was aborted
}

// readWhole reads the log until its end, and asks that Next is the end then.
func readWhole(t *testing.T, conf kafka.Config, end int64) []row {
	t.Helper()
	rows, last := readTo(t, newReader(t, conf, requests0), 0, end)
	if last.Next != end || last.End != end {
		t.Fatalf("next %d end %d, want %d", last.Next, last.End, end)
	}
	return rows
}

func compactSoon(t *testing.T, adm *kadm.Client) {
	t.Helper()
	var alter []kadm.AlterConfig
	for name, value := range map[string]string{"cleanup.policy": "compact", "segment.ms": "100", "min.cleanable.dirty.ratio": "0.001", "delete.retention.ms": "0"} {
		alter = append(alter, kadm.AlterConfig{Op: kadm.SetConfig, Name: name, Value: &value})
	}
	altered, err := adm.AlterTopicConfigs(t.Context(), alter, stream.TopicRequests)
	if err == nil {
		_, err = altered.On(stream.TopicRequests, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// keyed writes each of five keys twice in a transaction, each in a batch of its own.
func keyed(t *testing.T, cl *kgo.Client, end kgo.TransactionEndTry) {
	t.Helper()
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		r := &kgo.Record{Key: fmt.Append(nil, i%5), Value: []byte("v")}
		if err := cl.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	if err := cl.EndTransaction(t.Context(), end); err != nil {
		t.Fatal(err)
	}
}

// A topic that is deleted and made again has another id. A reader that stands further than the new log goes learns that
// its position is past the end, and a standing reader never takes the new log for the old one without an error.
func TestATopicThatIsMadeAgain(t *testing.T) {
	b := emptyApache(t)
	send(t, newWriter(t, b.Config), 0, 40)
	tp := partitionOf(t, b.Config)
	r := newReader(t, b.Config, tp)
	readTo(t, r, 0, 40)
	before := topicID(t, b.Config)

	emptyApache(t)
	if after := topicID(t, b.Config); after == before {
		t.Fatal("the topic kept its id")
	}
	send(t, newWriter(t, b.Config), 0, 10)
	if err := firstError(t, r, 40); !errors.Is(err, kafka.ErrPastEnd) {
		t.Error("the standing reader: ", err)
	}
	if _, err := newReader(t, b.Config, tp).Read(t.Context(), 40); !errors.Is(err, kafka.ErrPastEnd) {
		t.Error("a fresh reader: ", err)
	}
}

func topicID(t *testing.T, conf kafka.Config) kadm.TopicID {
	t.Helper()
	topics, err := kadm.NewClient(rawClient(t, conf)).ListTopics(t.Context(), stream.TopicRequests)
	if err != nil {
		t.Fatal(err)
	}
	return topics[stream.TopicRequests].ID
}

// firstError reads at a position until there is an error that is not one to try again after. It must not see a record.
func firstError(t *testing.T, r *kafka.Reader, at int64) error {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		f, err := r.Read(t.Context(), at)
		if len(f.Records) > 0 {
			t.Fatalf("it read %d records of the new log as those of the old", len(f.Records))
		}
		if errors.Is(err, kafka.ErrPastEnd) {
			return err
		}
		if err != nil {
			t.Log("on the way: ", err)
		}
	}
	return nil
}

// Topics can be used as soon as they were created, though Kafka answers before it knows them.
func TestTopicsCanBeUsedAtOnce(t *testing.T) {
	for range 5 {
		b := emptyApache(t)
		if _, err := newAdmin(t, b.Config).EndOffsets(t.Context(), stream.Topics...); err != nil {
			t.Fatal(err)
		}
		newWriter(t, b.Config)
	}
}

// Retention by age takes whole segments; a reader behind them is told where the log begins.
func TestRetentionOfApache(t *testing.T) {
	b := emptyApache(t)
	send(t, newWriter(t, b.Config), 0, 100)
	tp := partitionOf(t, b.Config)
	adm := kadm.NewClient(rawClient(t, b.Config))
	expireSoon(t, adm)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		f, err := newReader(t, b.Config, tp).Read(t.Context(), 50)
		if err != nil {
			t.Fatal(err)
		}
		if f.Start == 100 && f.Next == 100 && f.End == 100 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("retention removes nothing: %+v", f)
		}
	}
}

func expireSoon(t *testing.T, adm *kadm.Client) {
	t.Helper()
	soon := "100"
	_, err := adm.AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "retention.ms", Value: &soon}}, stream.TopicRequests)
	if err != nil {
		t.Fatal(err)
	}
}
