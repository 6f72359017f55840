package kafka

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	dialTimeout    = 3 * time.Second
	requestTimeout = 6 * time.Second        // of one administrative request with its repeats
	reachTimeout   = 9 * time.Second        // until an unreachable broker is an error
	metadataPause  = 500 * time.Millisecond // between questions after where a partition is
	hangUps        = 3                      // times a broker may hang up before that is its answer
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
		kgo.MetadataMinAge(metadataPause),
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

// reach waits until a broker answers: less than 10 s, and no longer when waiting cannot help.
func reach(ctx context.Context, cl *kgo.Client) error {
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	var last error
	for try := 1; ; try++ {
		err := cl.Ping(ctx)
		if err == nil {
			return nil
		}
		if last == nil || ctx.Err() == nil {
			last = err // the end of our own patience says less than what came before
		}
		if hopeless(err) || hungUp(err) && try >= hangUps || !sleep(ctx, pauseAfter(try)) {
			return last
		}
	}
}

// pauseAfter is the wait after a number of failures: 100 ms, doubling up to 5 s.
func pauseAfter(failures int) time.Duration {
	return min(50*time.Millisecond<<min(failures, 7), 5*time.Second)
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
