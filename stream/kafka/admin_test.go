package kafka_test

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
)

func TestTopics(t *testing.T) { onBrokers(t, testTopics) }

func testTopics(t *testing.T, b broker) {
	a := newAdmin(t, b.Config)
	o := kafka.TopicOptions{Topics: []string{"mine", stream.TopicGPUs}, Partitions: 7, Retention: time.Hour}
	for range 2 { // the second time they exist
		if err := a.CreateTopics(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	for topic, want := range map[string]int{"mine": 7, stream.TopicGPUs: 4} {
		if n, err := a.Partitions(t.Context(), topic); n != want || err != nil {
			t.Errorf("%s has %d partitions, want %d: %v", topic, n, want, err)
		}
	}
	if n, err := a.Partitions(t.Context(), "none"); err == nil {
		t.Errorf("a missing topic has %d partitions", n)
	}
	config := topicConfig(t, b.Config, "mine")
	for key, want := range map[string]string{"retention.ms": "3600000", "cleanup.policy": "delete", "compression.type": "producer",
		"message.timestamp.type": "LogAppendTime"} {
		if config[key] != want {
			t.Errorf("%s is %q, want %q", key, config[key], want)
		}
	}
}

func topicConfig(t *testing.T, conf kafka.Config, topic string) map[string]string {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(conf.Brokers...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	described, err := kadm.NewClient(cl).DescribeTopicConfigs(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	config := make(map[string]string)
	for _, c := range described[0].Configs {
		config[c.Key] = c.MaybeValue()
	}
	return config
}

func TestOffsetsLagAndTheGroup(t *testing.T) { onBrokers(t, testOffsetsLagAndTheGroup) }

func testOffsetsLagAndTheGroup(t *testing.T, b broker) {
	send(t, newWriter(t, b.Config), 0, 30)
	tp := partitionOf(t, b.Config)
	a := newAdmin(t, b.Config)
	ends, err := a.EndOffsets(t.Context(), stream.Topics...)
	if err != nil || len(ends) != 16 || ends[tp] != 30 {
		t.Fatalf("%v %v", ends, err)
	}
	at := map[stream.TopicPartition]int64{tp: 12, {Topic: stream.TopicInfra, Partition: 3}: 0}
	lag, err := a.Lag(t.Context(), at)
	if err != nil || len(lag) != 2 || lag[tp] != 18 {
		t.Fatalf("%v %v", lag, err)
	}
	if err := a.CommitInformative(t.Context(), "watchers", at); err != nil {
		t.Fatal(err)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(b.Brokers...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	left, err := kadm.NewClient(cl).FetchOffsets(t.Context(), "watchers")
	if o, ok := left.Lookup(tp.Topic, tp.Partition); err != nil || !ok || o.At != 12 {
		t.Fatalf("%+v %v", o, err)
	}
}
