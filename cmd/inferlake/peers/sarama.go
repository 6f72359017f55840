//go:build sarama

package peers

import (
	"context"

	"github.com/IBM/sarama"
	"golang.org/x/sync/errgroup"
)

func others() []Peer { return []Peer{{"sarama alone", readSarama}} }

// readSarama consumes each partition in a goroutine, with sarama's defaults.
func readSarama(ctx context.Context, t Topic) (records int64, err error) {
	conf := sarama.NewConfig()
	conf.Version = sarama.V2_8_0_0
	consumer, err := sarama.NewConsumer(t.Brokers, conf)
	if err != nil {
		return 0, err
	}
	defer consumer.Close()
	counts := make([]int64, len(t.To))
	group, ctx := errgroup.WithContext(ctx)
	for p, to := range t.To {
		partition, err := consumer.ConsumePartition(t.Name, p, t.From[p])
		if err != nil {
			return 0, err
		}
		group.Go(func() error { return count(ctx, partition, to, &counts[p]) })
	}
	err = group.Wait()
	for _, n := range counts {
		records += n
	}
	return records, err
}

func count(ctx context.Context, p sarama.PartitionConsumer, to int64, n *int64) error {
	defer p.AsyncClose()
	for {
		select {
		case m := <-p.Messages():
			if *n++; m.Offset+1 >= to {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
