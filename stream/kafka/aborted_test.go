package kafka_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/apachetest"
)

// What a transaction that never committed wrote stays unseen however often the broker is killed: one that was aborted,
// and one that was open when the broker died and whose producer came again. The embedded broker does not keep this: its
// package comment says so.
func TestAbortedStaysAborted(t *testing.T) {
	b := apachetest.Start(t, apachetest.Options{})
	if err := newAdmin(t, kafka.Config{Brokers: b.Addrs()}).CreateTopics(t.Context(), kafka.TopicOptions{}); err != nil {
		t.Fatal(err)
	}
	testAborted(t, b.Addrs()[0], func() string {
		b.Kill()
		if err := b.Restart(); err != nil {
			t.Fatal(err)
		}
		return b.Addrs()[0]
	})
}

func testAborted(t *testing.T, addr string, again func() string) {
	cl := inTransactions(t, addr)
	transaction(t, cl, kgo.TryCommit)
	transaction(t, cl, kgo.TryAbort)
	begin(t, cl) // left open
	for round := range 3 {
		addr = again()
		cl = inTransactions(t, addr)
		transaction(t, cl, kgo.TryCommit) // fences the one that is open
		var offsets []int64
		r := newReader(t, kafka.Config{Brokers: []string{addr}}, requests0)
		end := int64(6 + 6 + 5 + 1 + 6*(round+1))
		rows, _ := readTo(t, r, 0, end)
		for _, row := range rows {
			offsets = append(offsets, row.offset)
		}
		want := []int64{0, 1, 2, 3, 4}
		for i := range int64(round + 1) {
			for o := 18 + 6*i; o < 23+6*i; o++ {
				want = append(want, o)
			}
		}
		if fmt.Sprint(offsets) != fmt.Sprint(want) {
			t.Errorf("after kill %d: offsets %v, want %v", round+1, offsets, want)
		}
	}
}

func inTransactions(t *testing.T, addr string) *kgo.Client {
	t.Helper()
	return rawClient(t, kafka.Config{Brokers: []string{addr}}, kgo.TransactionalID("tx"), kgo.TransactionTimeout(10*time.Second), kgo.RecordPartitioner(kgo.ManualPartitioner()))
}

func begin(t *testing.T, cl *kgo.Client) {
	t.Helper()
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: stream.TopicRequests, Value: []byte("open")}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}
