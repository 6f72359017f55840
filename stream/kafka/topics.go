package kafka

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/inferlake/inferlake/stream"
)

// DefaultPartitions is how many partitions a topic gets.
const DefaultPartitions = 4

// DefaultRetention is how long a topic keeps records.
const DefaultRetention = 7 * 24 * time.Hour

const topicPause = 50 * time.Millisecond // between looks at topics that were just created

// TopicOptions say how topics are created; the zero value is usable.
type TopicOptions struct {
	Topics         []string      // none means stream.Topics
	Partitions     int           // 0 means 4
	Replication    int           // copies of each partition; 0 means the brokers' default
	Retention      time.Duration // 0 means 7 days
	RetentionBytes int64         // of one partition; 0 means without limit
}

func (o TopicOptions) withDefaults() TopicOptions {
	if len(o.Topics) == 0 {
		o.Topics = stream.Topics
	}
	if o.Partitions == 0 {
		o.Partitions = DefaultPartitions
	}
	if o.Replication == 0 {
		o.Replication = -1
	}
	if o.Retention == 0 {
		o.Retention = DefaultRetention
	}
	if o.RetentionBytes == 0 {
		o.RetentionBytes = -1
	}
	return o
}

// configs ask for append time, so that a producer's wrong clock cannot steer retention, and leave the
// compression to the producers.
func (o TopicOptions) configs() map[string]*string {
	text := func(s string) *string { return &s }
	return map[string]*string{
		"cleanup.policy":         text("delete"),
		"compression.type":       text("producer"),
		"message.timestamp.type": text("LogAppendTime"),
		"retention.ms":           text(strconv.FormatInt(o.Retention.Milliseconds(), 10)),
		"retention.bytes":        text(strconv.FormatInt(o.RetentionBytes, 10)),
	}
}

// CreateTopics creates the topics that do not exist yet, and waits until they can be used. Existing ones are left as they
// are.
func (a *Admin) CreateTopics(ctx context.Context, o TopicOptions) error {
	o = o.withDefaults()
	created, err := a.adm.CreateTopics(ctx, int32(o.Partitions), int16(o.Replication), o.configs(), o.Topics...)
	if err != nil {
		return fmt.Errorf("cannot create topics %v: %w", o.Topics, err)
	}
	for _, t := range created {
		if t.Err != nil && !errors.Is(t.Err, kerr.TopicAlreadyExists) {
			return fmt.Errorf("cannot create topic %s with %d partitions: %w %s", t.Topic, o.Partitions, t.Err, t.ErrMessage)
		}
	}
	return a.awaitTopics(ctx, o.Topics)
}

// awaitTopics waits until a broker knows the topics and who leads their partitions: it answers their creation before.
func (a *Admin) awaitTopics(ctx context.Context, topics []string) error {
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	for {
		ends, err := a.adm.ListEndOffsets(ctx, topics...)
		if err == nil {
			err = ends.Error()
		}
		if err == nil {
			return nil
		}
		if !sleep(ctx, topicPause) {
			return fmt.Errorf("topics %v were created but cannot be used yet: %w", topics, err)
		}
	}
}
