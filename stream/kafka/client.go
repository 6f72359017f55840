package kafka

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	dialTimeout    = 5 * time.Second
	requestTimeout = 8 * time.Second  // of one administrative request with its repeats
	reachTimeout   = 10 * time.Second // until an unreachable broker is an error
)

// dial returns a client with the options that all clients share. It does not connect yet.
func (c Config) dial(more ...kgo.Opt) (*kgo.Client, error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return nil, err
	}
	opts, err := c.options()
	if err != nil {
		return nil, err
	}
	cl, err := kgo.NewClient(append(opts, more...)...)
	if err != nil {
		return nil, fmt.Errorf("cannot set up the Kafka client: %w", err)
	}
	return cl, nil
}

func (c Config) options() ([]kgo.Opt, error) {
	opts := []kgo.Opt{
		kgo.SeedBrokers(c.Brokers...),
		kgo.ClientID(c.ClientID),
		kgo.DialTimeout(dialTimeout),
		kgo.RetryTimeout(requestTimeout),
		kgo.DisableClientMetrics(),
	}
	t, err := c.TLS.config()
	if err != nil {
		return nil, err
	}
	if t != nil {
		opts = append(opts, kgo.DialTLSConfig(t))
	}
	if m := c.SASL.mechanism(); m != nil {
		opts = append(opts, kgo.SASL(m))
	}
	return opts, nil
}

// reach waits until a broker answers: at most 10 s, and no longer when waiting cannot help.
func (c Config) reach(ctx context.Context, cl *kgo.Client) error {
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		err := cl.Ping(ctx)
		if err == nil {
			return nil
		}
		if hopeless(err) || !sleep(ctx, pause) {
			return c.explain(err)
		}
	}
}

// explain names the brokers and what to look at.
func (c Config) explain(err error) error {
	c = c.withDefaults()
	return fmt.Errorf("cannot reach Kafka at %s: %w%s", strings.Join(c.Brokers, ","), err, c.hint(err))
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
