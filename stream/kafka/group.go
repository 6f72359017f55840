package kafka

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/inferlake/inferlake/stream"
)

// Group is a Kafka consumer group whose members share the partitions of topics. It says who should fold a partition;
// that nobody else does is for the warehouse's lease to say, and so is where to go on.
type Group struct {
	Config  Config
	Name    string
	Topics  []string      // none means stream.Topics
	Session time.Duration // silence after which the brokers give a member's partitions to others; 0 means 45 s
	Log     *slog.Logger  // of what keeps a member from its group; nil is none
}

// Run is a member until ctx ends: own runs for each partition that the group gives it, and its ctx ends when the group
// takes the partition away, which then waits for own to return. The first error of own ends the membership.
func (g Group) Run(ctx context.Context, own func(context.Context, stream.TopicPartition) error) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	if g.Log == nil {
		g.Log = slog.New(slog.DiscardHandler)
	}
	m := &member{ctx: ctx, log: g.Log.With("group", g.Name), fail: fail, own: own, tenures: map[stream.TopicPartition]*tenure{}}
	cl, err := g.join(m)
	if err != nil {
		return err
	}
	defer cl.Close()
	for ctx.Err() == nil {
		m.heard(cl.PollFetches(ctx)) // nothing is fetched here: it returns with an error, or with ctx
	}
	m.leaveAll()
	if err := m.failure(); err != nil {
		return fmt.Errorf("cannot go on in the group %s: %w", g.Name, err)
	}
	return nil
}

func (g Group) join(m *member) (*kgo.Client, error) {
	if len(g.Topics) == 0 {
		g.Topics = stream.Topics
	}
	if g.Session == 0 {
		g.Session = 45 * time.Second
	}
	ended := func(_ context.Context, _ *kgo.Client, at map[string][]int32) { m.end(at) }
	cl, err := g.Config.dial(kgo.ConsumerGroup(g.Name), kgo.ConsumeTopics(g.Topics...), kgo.Balancers(kgo.CooperativeStickyBalancer()),
		kgo.DisableAutoCommit(), kgo.SessionTimeout(g.Session), kgo.HeartbeatInterval(g.Session/10),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, at map[string][]int32) { m.begin(at) }),
		kgo.OnPartitionsRevoked(ended), kgo.OnPartitionsLost(ended))
	if err != nil {
		return nil, fmt.Errorf("cannot join the group %s: %w", g.Name, err)
	}
	cl.PauseFetchTopics(g.Topics...) // each partition has a reader of its own
	return cl, nil
}

// member holds what one member of a group is folding.
type member struct {
	ctx  context.Context // of the membership
	log  *slog.Logger
	fail context.CancelCauseFunc
	own  func(context.Context, stream.TopicPartition) error

	mu      sync.Mutex
	tenures map[stream.TopicPartition]*tenure
	err     error // the first that own returned
}

// tenure is the time in which a partition is this member's.
type tenure struct {
	end  context.CancelFunc
	over chan struct{}
}

func (m *member) begin(at map[string][]int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for topic, partitions := range at {
		for _, p := range partitions {
			m.start(stream.TopicPartition{Topic: topic, Partition: p})
		}
	}
}

func (m *member) start(tp stream.TopicPartition) {
	ctx, end := context.WithCancel(m.ctx)
	t := &tenure{end: end, over: make(chan struct{})}
	m.tenures[tp] = t
	go func() {
		defer close(t.over)
		if err := m.own(ctx, tp); err != nil {
			m.failed(err)
		}
	}()
}

// heard ends the membership for an error that waiting does not mend. The client tries again after all others.
func (m *member) heard(f kgo.Fetches) {
	f.EachError(func(_ string, _ int32, err error) {
		switch {
		case m.ctx.Err() != nil: // the end of Run
		case hopeless(err):
			m.failed(err)
		default:
			m.log.Warn("the consumer group does not work, trying again; its partitions may wait meanwhile", "err", err)
		}
	})
}

func (m *member) failed(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.err = err
	}
	m.fail(err)
}

func (m *member) failure() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// end ends the tenures of partitions and waits until they are over.
func (m *member) end(at map[string][]int32) {
	var ending []*tenure
	m.mu.Lock()
	for topic, partitions := range at {
		for _, p := range partitions {
			tp := stream.TopicPartition{Topic: topic, Partition: p}
			if t := m.tenures[tp]; t != nil {
				delete(m.tenures, tp)
				ending = append(ending, t)
			}
		}
	}
	m.mu.Unlock()
	for _, t := range ending {
		t.end()
	}
	for _, t := range ending {
		<-t.over
	}
}

func (m *member) leaveAll() {
	all := map[string][]int32{}
	m.mu.Lock()
	for tp := range m.tenures {
		all[tp.Topic] = append(all[tp.Topic], tp.Partition)
	}
	m.mu.Unlock()
	m.end(all)
}
