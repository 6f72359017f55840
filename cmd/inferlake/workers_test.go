//go:build !race

package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/apachetest"
	"github.com/inferlake/inferlake/stream/kafka/kafkatest"
)

const (
	shortSession = 6 * time.Second // the least that Apache Kafka allows
	groupSources = 8               // producers, every second one transactional
)

// Three folds share the partitions of Apache Kafka as a consumer group and one warehouse. They join and leave; one is
// cut off and frozen for longer than its session, its partitions go to the others, and what it commits afterwards is
// refused; the topic is deleted and made again. Every event that was acknowledged is in the warehouse once.
func TestAGroupOfFolds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes most of a minute")
	}
	g := newGroupTest(t)
	first := g.join(g.conf)
	cutOff := g.join(kafka.Config{Brokers: []string{g.proxy.Addr()}})
	g.load(0)
	g.await("the cut-off one has partitions", func() bool { return cutOff.committed.Load() > 0 })
	third := g.join(g.conf)
	g.await("the third one has partitions", func() bool { return third.committed.Load() > 0 })
	first.leave(t)

	g.proxy.Hold(true)
	cutOff.gate.Lock()
	others := third.committed.Load()
	g.await("its partitions go to the third one", func() bool { return g.owned(third) == 4 && third.committed.Load() > others })
	cutOff.gate.Unlock()
	g.proxy.Hold(false)
	g.await("what it committed since is refused", func() bool { return cutOff.superseded.Load() > 0 })
	again := g.join(g.conf)
	g.await("it came back", func() bool { return g.owned(cutOff) > 0 && g.owned(again) > 0 })
	g.stopLoad()
	g.awaitAll()

	g.recreate()
	g.load(1)
	time.Sleep(2 * time.Second)
	g.stopLoad()
	g.awaitAll()
	for _, w := range []*worker{cutOff, third, again} {
		w.leave(t)
	}
	t.Logf("%d requests sent, %d stale batches refused", g.sent.Load(), cutOff.superseded.Load())
	g.judge(4)
}

// Apache Kafka is killed again and again under load. What it acknowledged is in the warehouse once, within a minute of its
// last return. INFERLAKE_BROKER_KILLS=N asks for another number of kills than 3.
func TestApacheKafkaIsKilledUnderLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("takes most of a minute")
	}
	g := newGroupTest(t)
	worker := g.join(g.conf)
	g.load(0)
	for range brokerKills(t) {
		sent := g.sent.Load()
		g.await("the load goes on", func() bool { return g.sent.Load() > sent+500 })
		g.broker.Kill()
		time.Sleep(500 * time.Millisecond)
		if err := g.broker.Restart(); err != nil {
			t.Fatal(err)
		}
	}
	g.stopLoad()
	g.awaitAll()
	worker.leave(t)
	t.Logf("%d requests sent", g.sent.Load())
	g.judge(0)
}

func brokerKills(t *testing.T) int {
	n := 3
	if more := os.Getenv("INFERLAKE_BROKER_KILLS"); more != "" {
		var err error
		if n, err = strconv.Atoi(more); err != nil {
			t.Fatal("INFERLAKE_BROKER_KILLS: ", err)
		}
	}
	return n
}

// groupTest is Apache Kafka with a way in that can be cut, and the warehouse that the folds share.
type groupTest struct {
	*testing.T
	broker *apachetest.Broker
	proxy  *kafkatest.Proxy
	conf   kafka.Config
	house  openedHouse

	sent    atomic.Int64 // requests, both of their events acknowledged
	stop    chan struct{}
	senders sync.WaitGroup

	mu     sync.Mutex
	owners map[stream.TopicPartition]*worker // who committed last
}

func newGroupTest(t *testing.T) *groupTest {
	proxy := kafkatest.NewProxy(t)
	b := apachetest.Start(t, apachetest.Options{Listeners: []apachetest.Listener{{Name: "CUT", Advertised: proxy.Addr()}}})
	proxy.LeadTo(b.Listener("CUT")[0])
	g := &groupTest{T: t, broker: b, proxy: proxy, conf: kafka.Config{Brokers: b.Addrs()}, house: openHouse(t, t.TempDir()), owners: map[stream.TopicPartition]*worker{}}
	g.createTopics(stream.Topics...)
	return g
}

func (g *groupTest) createTopics(topics ...string) {
	g.Helper()
	if err := kafkatest.CreateTopics(g.Context(), g.broker.Addrs()[0], 4, topics...); err != nil {
		g.Fatal(err)
	}
}

// worker is a member of the group with a pipeline of its own. Its commits pass a gate.
type worker struct {
	stream.Sink[aggregate.Delta]
	test                  *groupTest
	gate                  sync.RWMutex
	committed, superseded atomic.Int64
	end                   context.CancelFunc
	ended                 chan error
}

func (g *groupTest) join(conf kafka.Config) *worker {
	ctx, end := context.WithCancel(g.Context())
	w := &worker{Sink: g.house, test: g, end: end, ended: make(chan error, 1)}
	pipe := &pipeline{house: g.house.Warehouse, sink: w, kafka: conf, log: slog.New(slog.NewTextHandler(g.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))}
	group := kafka.Group{Name: "folds", Topics: []string{stream.TopicRequests}, Session: shortSession}
	go func() { w.ended <- pipe.share(ctx, group) }()
	return w
}

func (w *worker) leave(t *testing.T) {
	t.Helper()
	w.end()
	if err := <-w.ended; err != nil {
		t.Errorf("a worker failed: %v", err)
	}
}

func (w *worker) Commit(ctx context.Context, b stream.Batch[aggregate.Delta]) (stream.Answer, error) {
	w.gate.RLock()
	defer w.gate.RUnlock()
	answer, err := w.Sink.Commit(ctx, b)
	switch {
	case err != nil:
	case answer == stream.Superseded:
		w.superseded.Add(1)
	case b.To > b.From:
		w.committed.Add(1)
		w.test.owns(w, b.Partition)
	}
	return answer, err
}

func (g *groupTest) owns(w *worker, tp stream.TopicPartition) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.owners[tp] = w
}

// owned is how many partitions a worker was the last to commit to.
func (g *groupTest) owned(w *worker) (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, owner := range g.owners {
		if owner == w {
			n++
		}
	}
	return n
}

// load begins to send, until stopLoad: each source a request after the other.
func (g *groupTest) load(round int) {
	g.stop = make(chan struct{})
	for i := range groupSources {
		g.senders.Go(func() {
			if err := g.source(round, i); err != nil {
				g.Error("the load could not be sent: ", err)
			}
		})
	}
}

func (g *groupTest) stopLoad() {
	close(g.stop)
	g.senders.Wait()
}

// source sends the two events of each request, in a transaction when its number is odd.
func (g *groupTest) source(round, i int) error {
	name := fmt.Sprintf("source-%d-%d", round, i)
	send, end, err := g.sender(name, i)
	if err != nil {
		return err
	}
	defer end()
	for n := 0; ; n++ {
		select {
		case <-g.stop:
			return nil
		case <-time.After(2 * time.Millisecond):
		}
		var events [][]byte
		for seq := 2 * n; seq < 2*n+2; seq++ {
			e := numberedEvent(name, seq)
			events = append(events, stream.AppendEvent(nil, &e))
		}
		if err := send(events); err != nil {
			return err
		}
		g.sent.Add(1)
	}
}

// sender returns how a source sends, and how it ends: what was sent is acknowledged then.
func (g *groupTest) sender(name string, i int) (send func([][]byte) error, end func(), err error) {
	ctx := g.Context()
	if i%2 == 1 {
		x := &kafkatest.Transactions{Broker: g.broker.Addrs()[0], Name: name}
		return func(values [][]byte) error {
			var records []kafkatest.Record
			for _, v := range values {
				records = append(records, kafkatest.Record{Topic: stream.TopicRequests, Partition: int32(i) / 2 % 4, Key: []byte(name + "/0"), Value: v,
					ContentType: stream.ContentProtobuf, Timestamp: time.Now()})
			}
			return x.Send(ctx, records)
		}, x.Close, nil
	}
	w, err := kafka.NewWriter(ctx, g.conf, kafka.WriterOptions{})
	if err != nil {
		return nil, nil, err
	}
	return func(values [][]byte) error {
			for _, v := range values {
				if err := w.Send(ctx, kafka.Message{Topic: stream.TopicRequests, Key: []byte(name + "/0"), Value: v, ContentType: stream.ContentProtobuf}); err != nil {
					return err
				}
			}
			return nil
		}, func() {
			if err := w.Close(context.WithoutCancel(ctx)); err != nil {
				g.Error(err)
			}
		}, nil
}

func (g *groupTest) await(what string, holds func() bool) {
	g.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			g.Fatal("not within a minute: ", what)
		}
	}
}

// awaitAll waits until every request is in the warehouse.
func (g *groupTest) awaitAll() {
	g.Helper()
	g.await("all is folded", func() bool {
		return g.house.rows("SELECT count(*) FROM v1.requests WHERE e2e_seconds IS NOT NULL")[0] == fmt.Sprint(g.sent.Load())
	})
}

// recreate deletes the topic and makes it again.
func (g *groupTest) recreate() {
	g.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(g.broker.Addrs()...), kgo.DisableClientMetrics())
	if err != nil {
		g.Fatal(err)
	}
	defer cl.Close()
	if _, err := kadm.NewClient(cl).DeleteTopic(g.Context(), stream.TopicRequests); err != nil {
		g.Fatal(err)
	}
	g.await("the topic is gone", func() bool {
		topics, err := kadm.NewClient(cl).ListTopics(g.Context())
		return err == nil && !topics.Has(stream.TopicRequests)
	})
	g.createTopics(stream.TopicRequests)
}

// judge asks that every request is there once and whole, and that the warehouse knows of the logs that ended.
func (g *groupTest) judge(ended int) {
	g.Helper()
	sent := fmt.Sprint(g.sent.Load())
	for query, want := range map[string]string{
		"SELECT count(*) FROM v1.requests":                                                                                sent,
		"SELECT count(DISTINCT (instance, boot, request_id)) FROM v1.requests":                                            sent,
		"SELECT (sum(output_tokens) / 5)::BIGINT FROM v1.requests":                                                        sent,
		"SELECT (sum(events) / 2)::BIGINT FROM v1.requests":                                                               sent,
		"SELECT (sum(loaded) / 2)::BIGINT FROM (SELECT loaded FROM v1.progress UNION ALL SELECT loaded FROM v1.lineages)": sent,
		"SELECT count(DISTINCT l.partition) FROM v1.lineages l JOIN log_gaps USING (commit)":                              fmt.Sprint(ended),
	} {
		if got := g.house.rows(query)[0]; got != want {
			g.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	report, err := g.house.Verify(g.Context())
	if err != nil {
		g.Fatal(err)
	}
	for _, c := range report.Checks {
		if !c.Held {
			g.Errorf("%s is broken: %s %+v", c.Name, c.Error, c.Figures)
		}
	}
}
