package kafka_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/apachetest"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
)

// childDir names the directory in which this program runs a broker to be killed, instead of the tests.
const childDir = "INFERLAKE_TEST_BROKER_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		runBroker(dir)
		return
	}
	goleak.VerifyTestMain(suite{m})
}

// suite ends the shared broker before anyone looks for what was left running.
type suite struct{ *testing.M }

func (s suite) Run() int {
	defer apachetest.StopShared()
	return s.M.Run()
}

var requests0 = stream.TopicPartition{Topic: stream.TopicRequests, Partition: 0}

func startBroker(t testing.TB, o embedded.Options) (*embedded.Broker, kafka.Config) {
	t.Helper()
	b, err := embedded.Start(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b, kafka.Config{Brokers: b.Addrs()}
}

func newReader(t testing.TB, conf kafka.Config, tp stream.TopicPartition) *kafka.Reader {
	t.Helper()
	r, err := kafka.NewReader(conf, tp)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func newWriter(t testing.TB, conf kafka.Config) *kafka.Writer {
	t.Helper()
	w, err := kafka.NewWriter(t.Context(), conf, kafka.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close(context.Background()) })
	return w
}

// send writes n records with one key, values from, from+1, …, one a batch when apart.
func send(t testing.TB, w *kafka.Writer, from, n int) {
	t.Helper()
	for i := from; i < from+n; i++ {
		m := kafka.Message{Topic: stream.TopicRequests, Key: []byte("p/0"), Value: fmt.Appendf(nil, "%d", i), ContentType: stream.ContentJSON}
		if err := w.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// row is a record without borrowed bytes.
type row struct {
	offset int64
	value  string
}

// readTo reads from a position until next reaches to.
func readTo(t testing.TB, r *kafka.Reader, from, to int64) (rows []row, last stream.Fetch) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for next := from; next < to; next = last.Next {
		f, err := r.Read(t.Context(), next)
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range f.Records {
			rows = append(rows, row{rec.Offset, string(rec.Value)})
		}
		if last = f; time.Now().After(deadline) {
			t.Fatalf("only reached %d of %d", f.Next, to)
		}
	}
	return rows, last
}

// partitionOf finds where the key of send goes.
func partitionOf(t testing.TB, conf kafka.Config) stream.TopicPartition {
	t.Helper()
	a := newAdmin(t, conf)
	ends, err := a.EndOffsets(t.Context(), stream.TopicRequests)
	if err != nil {
		t.Fatal(err)
	}
	for tp, end := range ends {
		if end > 0 {
			return tp
		}
	}
	t.Fatal("no partition holds a record")
	return stream.TopicPartition{}
}

func newAdmin(t testing.TB, conf kafka.Config) *kafka.Admin {
	t.Helper()
	a, err := kafka.NewAdmin(t.Context(), conf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}
