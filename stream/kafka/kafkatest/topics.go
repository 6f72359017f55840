package kafkatest

import (
	"context"
	"math"
	"strconv"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/inferlake/inferlake/stream/kafka"
)

// CreateTopics creates topics that keep the times that producers set, whatever they are, and every record. Those of the
// product take the broker's time.
func CreateTopics(ctx context.Context, broker string, partitions int32, topics ...string) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.DisableClientMetrics())
	if err != nil {
		return err
	}
	defer cl.Close()
	forever := strconv.FormatInt(math.MaxInt64, 10)
	made, err := kadm.NewClient(cl).CreateTopics(ctx, partitions, 1, map[string]*string{
		"message.timestamp.type":          new("CreateTime"),
		"message.timestamp.before.max.ms": &forever,
		"message.timestamp.after.max.ms":  &forever,
		"retention.ms":                    new("-1"),
	}, topics...)
	if err != nil {
		return err
	}
	if err := made.Error(); err != nil {
		return err
	}
	admin, err := kafka.NewAdmin(ctx, kafka.Config{Brokers: []string{broker}})
	if err != nil {
		return err
	}
	defer admin.Close()
	return admin.CreateTopics(ctx, kafka.TopicOptions{Topics: topics}) // they exist: it waits until they can be used
}
