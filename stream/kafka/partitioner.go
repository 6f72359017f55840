package kafka

import "github.com/twmb/franz-go/pkg/kgo"

// pinned places a record by the murmur2 hash of its key, as other Kafka clients do, over the partition count that
// the topic had when the writer started. Partitions that are added later serve later boots: a key never moves.
type pinned struct {
	hash   kgo.Partitioner
	counts map[string]int
}

func (p pinned) ForTopic(topic string) kgo.TopicPartitioner {
	return pinnedTopic{p.hash.ForTopic(topic), p.counts[topic]}
}

type pinnedTopic struct {
	hash kgo.TopicPartitioner
	n    int
}

func (t pinnedTopic) RequiresConsistency(*kgo.Record) bool { return true }

func (t pinnedTopic) Partition(r *kgo.Record, _ int) int { return t.hash.Partition(r, t.n) }
