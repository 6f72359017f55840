package kafkatest

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Log reads topics from their first record to where they end now, each partition in its order and without the records of
// aborted transactions.
func Log(ctx context.Context, brokers []string, topics []string, each func(*kgo.Record)) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.ConsumeTopics(topics...), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(), kgo.DisableClientMetrics())
	if err != nil {
		return err
	}
	defer cl.Close()
	ends, err := kadm.NewClient(cl).ListCommittedOffsets(ctx, topics...)
	if err != nil {
		return err
	}
	left := map[string]int64{} // by partition: the offset that ends it
	ends.Each(func(o kadm.ListedOffset) {
		if o.Offset > 0 {
			left[place(o.Topic, o.Partition)] = o.Offset
		}
	})
	for len(left) > 0 {
		fetches := cl.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		fetches.EachRecord(func(r *kgo.Record) {
			name := place(r.Topic, r.Partition)
			if r.Offset < left[name] && !r.Attrs.IsControl() {
				each(r)
			}
			if r.Offset >= left[name]-1 {
				delete(left, name)
			}
		})
	}
	return nil
}

func place(topic string, partition int32) string { return fmt.Sprint(topic, "/", partition) }
