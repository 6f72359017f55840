package apachetest

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// up reports whether the broker answers and is part of its own cluster.
func up(cl *kgo.Client) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	request := kmsg.NewPtrMetadataRequest()
	request.Topics = []kmsg.MetadataRequestTopic{} // none: only the brokers
	response, err := request.RequestWith(ctx, cl)
	return err == nil && len(response.Brokers) == 1 && response.ControllerID >= 0
}
