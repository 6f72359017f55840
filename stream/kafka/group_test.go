package kafka_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
)

// holders counts who owns each partition now.
type holders struct {
	mu   sync.Mutex
	of   map[stream.TopicPartition]int // members that own it
	by   map[string]int                // partitions of a member
	most int                           // members that owned one partition at once
}

func (h *holders) change(member string, tp stream.TopicPartition, by int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.of[tp] += by
	h.by[member] += by
	h.most = max(h.most, h.of[tp])
}

func (h *holders) await(t *testing.T, want map[string]int) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		h.mu.Lock()
		same := true
		for member, n := range want {
			same = same && h.by[member] == n
		}
		h.mu.Unlock()
		if same {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the partitions are shared as %v, want %v", h.by, want)
		}
	}
}

// Members share the partitions, hand over when one comes or goes, and never own one together.
func TestGroup(t *testing.T) {
	onBrokers(t, func(t *testing.T, b broker) {
		h := &holders{of: map[stream.TopicPartition]int{}, by: map[string]int{}}
		join := func(name string) (leave func()) {
			ctx, end := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				ended <- kafka.Group{Config: b.Config, Name: "folds", Topics: []string{stream.TopicRequests}, Session: 6 * time.Second}.Run(ctx,
					func(ctx context.Context, tp stream.TopicPartition) error {
						h.change(name, tp, 1)
						defer h.change(name, tp, -1)
						<-ctx.Done()
						return nil
					})
			}()
			return func() {
				end()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			}
		}
		one := join("one")
		h.await(t, map[string]int{"one": 4})
		two := join("two")
		h.await(t, map[string]int{"one": 2, "two": 2})
		one()
		h.await(t, map[string]int{"one": 0, "two": 4})
		two()
		h.await(t, map[string]int{"two": 0})
		if h.most != 1 {
			t.Errorf("%d members owned a partition at once", h.most)
		}
	})
}

// What a member cannot fold ends its membership.
func TestGroupFails(t *testing.T) {
	_, conf := startBroker(t, embedded.Options{})
	broken := errors.New("broken")
	err := kafka.Group{Config: conf, Name: "folds"}.Run(t.Context(), func(context.Context, stream.TopicPartition) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
