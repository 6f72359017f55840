package kafka

import (
	"bytes"
	"strconv"

	"github.com/twmb/franz-go/pkg/kgo"
)

// pinned places a record by its key over the partition count that the topic had when the writer started. Partitions
// that are added later serve later boots: a key never moves.
//
// The lanes of one producer lie side by side: a key "producer/lane" goes to the partition of its producer's murmur2
// hash, plus the lane. Hashing the whole key would put two of four lanes into one partition more often than not, and
// each would make the other's events late. Any other key goes where other Kafka clients put it.
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

func (t pinnedTopic) Partition(r *kgo.Record, _ int) int {
	i := bytes.LastIndexByte(r.Key, '/')
	if i < 0 {
		return t.hash.Partition(r, t.n)
	}
	lane, err := strconv.ParseUint(string(r.Key[i+1:]), 10, 31)
	if err != nil {
		return t.hash.Partition(r, t.n)
	}
	producer := t.hash.Partition(&kgo.Record{Key: r.Key[:i]}, t.n)
	return (producer + int(lane)) % t.n
}
