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

// CreateTopics creates the topics that do not exist yet. Existing ones are left as they are.
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
	return nil
}
