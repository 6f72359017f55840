package kafka

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/inferlake/inferlake/stream"
)

var _ stream.Identifier = (*Reader)(nil)

// Identify asks the brokers which cluster they are and which id the topic has. It is asked seldom, and has a client of
// its own, so that it does not matter where the Reader stands.
func (r *Reader) Identify(ctx context.Context) (id stream.LogID, err error) {
	if id, err = r.identify(ctx); err != nil {
		err = fmt.Errorf("cannot ask %v which log topic %s is: %w%s", r.conf.Brokers, r.tp.Topic, err, r.conf.hint(err))
	}
	return id, err
}

func (r *Reader) identify(ctx context.Context) (id stream.LogID, err error) {
	cl, err := r.conf.dial()
	if err != nil {
		return id, err
	}
	defer cl.Close()
	if err := reach(ctx, cl); err != nil {
		return id, err
	}
	meta, err := kadm.NewClient(cl).Metadata(ctx, r.tp.Topic)
	if err != nil {
		return id, err
	}
	topic := meta.Topics[r.tp.Topic]
	if topic.ID != (kadm.TopicID{}) {
		id.TopicID = topic.ID.String()
	}
	id.Cluster = meta.Cluster
	return id, topic.Err
}
