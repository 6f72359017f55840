package kafka_test

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
)

// broker is what a test runs against, with empty topics.
type broker struct {
	kafka.Config
	apache        bool // Apache Kafka itself, which stamps records when it appends them
	deleteRecords func(tp stream.TopicPartition, before int64) error
}

// onBrokers runs a test against the embedded broker and against Apache Kafka.
func onBrokers(t *testing.T, test func(*testing.T, broker)) {
	t.Run("embedded", func(t *testing.T) {
		b, conf := startBroker(t, embedded.Options{})
		test(t, broker{Config: conf, deleteRecords: b.DeleteRecords})
	})
	t.Run("apache", func(t *testing.T) { test(t, emptyApache(t)) })
}

// emptyApache is the shared Apache Kafka after its topics were made anew. Tests that use it do not run side by side.
func emptyApache(t *testing.T) broker {
	t.Helper()
	b := broker{Config: kafka.Config{Brokers: sharedApache(t).Addrs()}, apache: true}
	adm := kadm.NewClient(rawClient(t, b.Config))
	b.deleteRecords = func(tp stream.TopicPartition, before int64) error {
		var at kadm.Offsets
		at.AddOffset(tp.Topic, tp.Partition, before, -1)
		deleted, err := adm.DeleteRecords(t.Context(), at)
		if err == nil {
			err = deleted.Error()
		}
		return err
	}
	deleteTopics(t, adm)
	if err := newAdmin(t, b.Config).CreateTopics(t.Context(), kafka.TopicOptions{}); err != nil {
		t.Fatal(err)
	}
	return b
}

// deleteTopics deletes every topic but Kafka's own, and waits until they are gone.
func deleteTopics(t *testing.T, adm *kadm.Client) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		topics, err := adm.ListTopics(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(topics) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("topics do not go: ", topics.Names())
		}
		if _, err := adm.DeleteTopics(t.Context(), topics.Names()...); err != nil {
			t.Fatal(err)
		}
	}
}

// rawClient is a client without the product's settings.
func rawClient(t testing.TB, conf kafka.Config, more ...kgo.Opt) *kgo.Client {
	t.Helper()
	cl, err := kgo.NewClient(append(more, kgo.SeedBrokers(conf.Brokers...), kgo.DisableClientMetrics(), kgo.MetadataMinAge(10*time.Millisecond))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return cl
}
