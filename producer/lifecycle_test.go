package producer_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/inferlake/inferlake/producer"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
)

// A silent engine is seen to live: each lane of requests heartbeats, and a topic that nothing was said on stays empty.
func TestASilentClientHeartbeats(t *testing.T) {
	conf := startBroker(t)
	c := newClient(t, producer.Options{Kafka: conf, Lanes: 2, Heartbeat: 20 * time.Millisecond, Linger: time.Millisecond})
	waitFor(t, "heartbeats", func() bool { return c.Stats().Sent >= 10 })
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	events := readAll(t, conf, stream.TopicRequests)
	if len(events) < 12 {
		t.Errorf("%d events", len(events))
	}
	checkLanes(t, events, 2)
	if n := len(readAll(t, conf, stream.TopicEngines, stream.TopicGPUs, stream.TopicInfra)); n != 0 {
		t.Errorf("%d events on topics of which nothing was said", n)
	}
}

// A closed client drops what comes, counts it, and can be closed again.
func TestAClosedClient(t *testing.T) {
	conf := startBroker(t)
	c := newClient(t, producer.Options{Kafka: conf})
	k := c.Begin(producer.Request{ID: "r"})
	if err := errors.Join(c.Close(t.Context()), c.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	k.Queued()
	k.Finish(producer.Outcome{})
	if s := c.Stats(); s.Dropped != 2 || s.Sent != 3 {
		t.Errorf("stats %+v", s)
	}
}

// A client without a broker says so, and its close says how much it dropped.
func TestAClientWithoutABroker(t *testing.T) {
	t.Parallel()
	c := newClient(t, producer.Options{Kafka: kafka.Config{Brokers: []string{deadAddress(t)}}})
	c.Begin(producer.Request{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.Close(ctx); err == nil || !strings.Contains(err.Error(), "3 events were dropped") {
		t.Error(err)
	}
}

func TestOptionsThatAreRefused(t *testing.T) {
	for want, o := range map[string]producer.Options{
		"Options.Instance": {},
		"lanes":            {Instance: "i", Lanes: 5000},
		"negative":         {Instance: "i", BufferEvents: -1},
		"TLS is off":       {Instance: "i", Kafka: kafka.Config{Brokers: []string{"kafka:9092"}}},
	} {
		if _, err := producer.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s: %v", want, err)
		}
	}
}

// A tenant leaves the process as a keyed hash, or not at all.
func TestTenantsAreHashed(t *testing.T) {
	conf := startBroker(t)
	hashes := map[int64]bool{}
	for _, key := range []string{"one", "two", ""} {
		c := newClient(t, producer.Options{Kafka: conf, Producer: "p" + key, TenantKey: []byte(key)})
		c.Begin(producer.Request{Tenant: "acme", Session: "s"})
		if err := c.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range ofRequests(readAll(t, conf, stream.TopicRequests)) {
		v, ok := e.Int(stream.RequestTenant)
		if none := e.Text(stream.EventProducer) == "p" || e.Text(stream.EventProducer) == "engine-1"; ok == none {
			t.Errorf("producer %s: tenant %d (%v)", e.Text(stream.EventProducer), v, ok)
		}
		if ok {
			hashes[v] = true
		}
	}
	if len(hashes) != 2 {
		t.Errorf("hashes %v", hashes)
	}
}
