package peers

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
)

// franz polls with the fetch sizes that the product uses, and does nothing with the records.
func franz(ctx context.Context, t Topic) (records int64, err error) {
	offsets := map[int32]kgo.Offset{}
	for p, from := range t.From {
		offsets[p] = kgo.NewOffset().At(from)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(t.Brokers...), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{t.Name: offsets}),
		kgo.FetchMaxBytes(2<<20), kgo.FetchMaxPartitionBytes(1<<20))
	if err != nil {
		return 0, err
	}
	defer cl.Close()
	for left := len(t.To); left > 0; {
		fetches := cl.PollFetches(ctx)
		if err := fetches.Err0(); err != nil {
			return records, err
		}
		fetches.EachPartition(func(p kgo.FetchTopicPartition) {
			records += int64(len(p.Records))
			if n := len(p.Records); n > 0 && p.Records[n-1].Offset+1 >= t.To[p.Partition] {
				left--
			}
		})
	}
	return records, nil
}
