package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/inferlake/inferlake/stream"
)

var errNoPartition = errors.New("the topic does not have this partition")

// Admin looks after topics and offsets.
type Admin struct {
	conf Config
	cl   *kgo.Client
	adm  *kadm.Client
}

// NewAdmin connects. It waits less than 10 s for the brokers, and no longer when waiting cannot help.
func NewAdmin(ctx context.Context, conf Config) (*Admin, error) {
	cl, err := conf.dial()
	if err != nil {
		return nil, err
	}
	if err := reach(ctx, cl); err != nil {
		cl.Close()
		return nil, conf.explain(err)
	}
	return &Admin{conf: conf, cl: cl, adm: kadm.NewClient(cl)}, nil
}

// Close ends the connection.
func (a *Admin) Close() { a.cl.Close() }

// Reach waits until a broker answers, as NewAdmin does.
func (a *Admin) Reach(ctx context.Context) error {
	if err := reach(ctx, a.cl); err != nil {
		return a.conf.explain(err)
	}
	return nil
}

// Partitions is the number of partitions of a topic.
func (a *Admin) Partitions(ctx context.Context, topic string) (int, error) {
	d, err := a.adm.ListTopics(ctx, topic)
	if err == nil {
		err = d[topic].Err
	}
	if err != nil {
		return 0, fmt.Errorf("cannot count the partitions of topic %s (does it exist?): %w", topic, err)
	}
	return len(d[topic].Partitions), nil
}

// EndOffsets is where each partition of the topics ends: one past the last record that no open transaction holds.
func (a *Admin) EndOffsets(ctx context.Context, topics ...string) (map[stream.TopicPartition]int64, error) {
	l, err := a.adm.ListCommittedOffsets(ctx, topics...)
	if err == nil {
		err = l.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot list the end offsets of %v: %w", topics, err)
	}
	ends := make(map[stream.TopicPartition]int64)
	l.Each(func(o kadm.ListedOffset) {
		ends[stream.TopicPartition{Topic: o.Topic, Partition: o.Partition}] = o.Offset
	})
	return ends, nil
}

// Lag is how many offsets lie between each position and the end of its partition.
func (a *Admin) Lag(ctx context.Context, at map[stream.TopicPartition]int64) (map[stream.TopicPartition]int64, error) {
	ends, err := a.EndOffsets(ctx, topicsOf(at)...)
	if err != nil {
		return nil, err
	}
	lag := make(map[stream.TopicPartition]int64, len(at))
	for tp, next := range at {
		end, ok := ends[tp]
		if !ok {
			return nil, fmt.Errorf("cannot tell the lag of %s/%d: %w", tp.Topic, tp.Partition, errNoPartition)
		}
		lag[tp] = max(0, end-next)
	}
	return lag, nil
}

func topicsOf(at map[stream.TopicPartition]int64) (topics []string) {
	seen := make(map[string]bool)
	for tp := range at {
		if !seen[tp.Topic] {
			seen[tp.Topic] = true
			topics = append(topics, tp.Topic)
		}
	}
	return topics
}

// CommitInformative leaves positions in a consumer group, for tools that watch lag. Nothing here reads them back.
func (a *Admin) CommitInformative(ctx context.Context, group string, at map[stream.TopicPartition]int64) error {
	var offsets kadm.Offsets
	for tp, next := range at {
		offsets.AddOffset(tp.Topic, tp.Partition, next, -1)
	}
	if err := a.adm.CommitAllOffsets(ctx, group, offsets); err != nil {
		return fmt.Errorf("cannot leave offsets in group %s: %w", group, err)
	}
	return nil
}
