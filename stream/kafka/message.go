package kafka

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const contentTypeHeader = "content-type"

// Message is one record to send. Key and Value belong to the writer until the record is acknowledged.
type Message struct {
	Topic       string
	Key         []byte
	Value       []byte
	ContentType string    // "" takes the topic's default
	Timestamp   time.Time // zero is now; Kafka keeps milliseconds
	// Done, if given, is told once what became of an accepted record. It must not wait.
	Done func(error)
}

func (m *Message) record() *kgo.Record {
	r := &kgo.Record{Topic: m.Topic, Key: m.Key, Value: m.Value, Timestamp: m.Timestamp}
	if m.ContentType != "" {
		r.Headers = []kgo.RecordHeader{{Key: contentTypeHeader, Value: []byte(m.ContentType)}}
	}
	return r
}

// size is what a message takes of the writer's buffer, bytes.
func (m *Message) size() int64 {
	return int64(len(m.Key)+len(m.Value)+len(m.ContentType)) + recordOverhead
}

// recordOverhead is what a record costs in memory beside its content, bytes, about.
const recordOverhead = 256
