package producer_test

import (
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/inferlake/inferlake/producer"
	"github.com/inferlake/inferlake/stream"
)

func requestEvent(lane int64, id string) *stream.Event {
	e := new(stream.Event)
	e.Reset(stream.KindRequest)
	e.SetText(stream.EventProducer, "p")
	e.SetText(stream.EventBoot, "b")
	e.SetInt(stream.EventLane, lane)
	e.SetText(stream.EventInstance, "i")
	e.SetInt(stream.EventTimeUnixNano, 1_700_000_000_000_000_000)
	e.SetText(stream.RequestRequestID, id)
	e.SetInt(stream.RequestPhase, int64(stream.PhaseReceived))
	return e
}

func TestEachEncodingArrivesInOrder(t *testing.T) {
	for _, enc := range []producer.Encoding{producer.Columns, producer.Protobuf, producer.JSON} {
		t.Run(enc.String(), func(t *testing.T) {
			conf := startBroker(t)
			s, err := producer.NewSender(t.Context(), producer.SenderOptions{Kafka: conf, Encoding: enc})
			if err != nil {
				t.Fatal(err)
			}
			const n = 1500
			for i := range n {
				if err := s.Emit(t.Context(), requestEvent(int64(i%3), fmt.Sprint(i))); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			next, records := map[int64]int64{}, map[string]bool{}
			for _, e := range readAll(t, conf, stream.TopicRequests) {
				lane := e.Num(stream.EventLane)
				if seq := e.Num(stream.EventSeq); seq != next[lane] {
					t.Fatalf("lane %d: seq %d, want %d", lane, seq, next[lane])
				}
				if id, want := e.Text(stream.RequestRequestID), fmt.Sprint(3*next[lane]+lane); id != want {
					t.Fatalf("lane %d: request %s, want %s", lane, id, want)
				}
				if want := fmt.Sprintf("p/%d", lane); e.key != want {
					t.Fatalf("key %s, want %s", e.key, want)
				}
				next[lane]++
				records[fmt.Sprint(e.partition, e.offset)] = true
			}
			if next[0]+next[1]+next[2] != n {
				t.Fatalf("arrived: %v", next)
			}
			t.Logf("%d events in %d records", n, len(records))
			if one := enc != producer.Columns; one != (len(records) == n) {
				t.Fatalf("%d records", len(records))
			}
		})
	}
}

func TestEachKindGoesToItsTopic(t *testing.T) {
	conf := startBroker(t)
	s, err := producer.NewSender(t.Context(), producer.SenderOptions{Kafka: conf})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{}
	emit := func(topic string, kind stream.Kind, subject stream.Field, more ...int64) {
		var e stream.Event
		e.Reset(kind)
		e.SetText(stream.EventProducer, "p")
		e.SetText(stream.EventInstance, "i")
		e.SetInt(stream.EventTimeUnixNano, 1_700_000_000_000_000_000)
		switch stream.Fields[subject].Type {
		case stream.Text:
			e.SetText(subject, "x")
		default:
			e.SetInt(subject, append(more, 1)[0])
		}
		if err := s.Emit(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
		want[fmt.Sprint(topic, " ", kind)]++
	}
	emit(stream.TopicRequests, stream.KindRequest, stream.RequestPhase)
	emit(stream.TopicEngines, stream.KindEngine, stream.EngineRunningRequests)
	emit(stream.TopicEngines, stream.KindStep, stream.StepPasses)
	emit(stream.TopicGPUs, stream.KindGPU, stream.GPUGPU)
	emit(stream.TopicGPUs, stream.KindFault, stream.FaultGPU)
	emit(stream.TopicInfra, stream.KindNode, stream.NodeNode)
	emit(stream.TopicInfra, stream.KindKube, stream.KubePod)
	emit(stream.TopicInfra, stream.KindInstance, stream.InstanceState, int64(stream.StateReady))
	emit(stream.TopicRequests, stream.KindInstance, stream.InstanceState, int64(stream.StateHeartbeat))
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	have := map[string]int{}
	for _, e := range readAll(t, conf, stream.Topics...) {
		have[fmt.Sprint(e.topic, " ", e.Kind)]++
	}
	if fmt.Sprint(have) != fmt.Sprint(want) {
		t.Fatalf("have %v\nwant %v", have, want)
	}
	if err := s.Emit(t.Context(), requestEvent(0, "late")); !errors.Is(err, producer.ErrClosed) {
		t.Fatal(err)
	}
}

func TestAVirtualClockStampsRecordsWithTheGreatestOfTheirEvents(t *testing.T) {
	conf := startBroker(t)
	base := time.Now().Add(-time.Hour).Truncate(time.Second)
	var i int
	s, err := producer.NewSender(t.Context(), producer.SenderOptions{Kafka: conf, Linger: time.Hour,
		Stamp: func(*stream.Event) time.Time { return base.Add(time.Duration([]int{1, 3, 2}[i]) * time.Second) }})
	if err != nil {
		t.Fatal(err)
	}
	for i = range 3 {
		if err := s.Emit(t.Context(), requestEvent(0, fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, e := range readAll(t, conf, stream.TopicRequests) {
		if want := base.Add(3 * time.Second).UnixNano(); e.timestamp != want {
			t.Fatalf("stamped %d, want %d", e.timestamp, want)
		}
	}
}

// Every five seconds of pretended time each lane sends what it has, however little.
func TestLanesKeepInStepInPretendedTime(t *testing.T) {
	conf := startBroker(t)
	base := time.Now().Add(-time.Hour).Truncate(time.Second)
	var i int
	s, err := producer.NewSender(t.Context(), producer.SenderOptions{Kafka: conf, Linger: time.Hour, StampLinger: 5 * time.Second,
		Stamp: func(*stream.Event) time.Time { return base.Add(time.Duration(i) * time.Second) }})
	if err != nil {
		t.Fatal(err)
	}
	for i = range 12 {
		if err := s.Emit(t.Context(), requestEvent(int64(min(i, 1)), fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	stamps := map[int64]int{}
	for _, e := range readAll(t, conf, stream.TopicRequests) {
		stamps[(e.timestamp-base.UnixNano())/int64(time.Second)]++
	}
	if want := map[int64]int{0: 1, 4: 4, 9: 5, 11: 2}; !maps.Equal(stamps, want) {
		t.Errorf("events by the second of their record: %v, want %v", stamps, want)
	}
}

// Lanes that share a partition are sent in the order in which they began to wait.
func TestTheLongestWaitGoesFirst(t *testing.T) {
	conf := startBroker(t)
	s, err := producer.NewSender(t.Context(), producer.SenderOptions{Kafka: conf, Linger: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	const partitions, n = 4, 10
	for i := range int64(n) {
		if err := s.Emit(t.Context(), requestEvent(partitions*i, fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, e := range readAll(t, conf, stream.TopicRequests) {
		if id := e.Text(stream.RequestRequestID); id != fmt.Sprint(i) {
			t.Fatalf("request %s at place %d", id, i)
		}
	}
}

// What a source that counts leaves without a number stays so.
func TestASourceThatCounts(t *testing.T) {
	conf := startBroker(t)
	s, err := producer.NewSender(t.Context(), producer.SenderOptions{Kafka: conf})
	if err != nil {
		t.Fatal(err)
	}
	numbered := requestEvent(0, "numbered")
	numbered.SetInt(stream.EventSeq, 7)
	for _, e := range []*stream.Event{numbered, requestEvent(0, "not"), requestEvent(1, "by the sender")} {
		if err := s.Emit(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	seqs := map[string]string{}
	for _, e := range readAll(t, conf, stream.TopicRequests) {
		seqs[e.Text(stream.RequestRequestID)] = fmt.Sprint(e.Has(stream.EventSeq), e.Num(stream.EventSeq))
	}
	if want := "map[by the sender:true 0 not:false 0 numbered:true 7]"; fmt.Sprint(seqs) != want {
		t.Errorf("%v, want %s", seqs, want)
	}
}

func TestManyGoroutinesOneSender(t *testing.T) {
	conf := startBroker(t)
	s, err := producer.NewSender(t.Context(), producer.SenderOptions{Kafka: conf, Linger: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	const goroutines, each = 8, 500
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range each {
				if err := s.Emit(t.Context(), requestEvent(int64(g%2), fmt.Sprint(g, "-", i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	events := readAll(t, conf, stream.TopicRequests)
	next := map[int64]int64{}
	for _, e := range events {
		lane := e.Num(stream.EventLane)
		if e.Num(stream.EventSeq) != next[lane] {
			t.Fatalf("lane %d: seq %d, want %d", lane, e.Num(stream.EventSeq), next[lane])
		}
		next[lane]++
	}
	if len(events) != goroutines*each {
		t.Fatalf("%d events of %d", len(events), goroutines*each)
	}
}
