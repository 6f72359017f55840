package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory/mallocator"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
)

// topicTest is a broker with one partition of requests, and a warehouse that folds it.
type topicTest struct {
	*testing.T
	broker *embedded.Broker
	house  openedHouse
	conf   kafka.Config
	pipe   *pipeline
}

func newTopicTest(t *testing.T) topicTest {
	broker, err := embedded.Start(t.TempDir(), embedded.Options{Partitions: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { broker.Close() })
	k := topicTest{T: t, broker: broker, house: openHouse(t, t.TempDir()), conf: kafka.Config{Brokers: broker.Addrs()}}
	k.pipe = k.pipeline(k.conf)
	return k
}

func (k topicTest) pipeline(conf kafka.Config) *pipeline {
	return &pipeline{house: k.house.Warehouse, kafka: conf, log: slog.New(slog.NewTextHandler(k.Output(), nil))}
}

// remake deletes the topic and makes it again.
func (k topicTest) remake() {
	k.Helper()
	if err := k.broker.RecreateTopic(stream.TopicRequests, 1); err != nil {
		k.Fatal(err)
	}
}

// send puts the events of requests from, from+1, …, to−1 of a producer on the log: received and finished, a record each.
func (k topicTest) send(conf kafka.Config, source string, from, to int) {
	k.Helper()
	w, err := kafka.NewWriter(k.Context(), conf, kafka.WriterOptions{})
	if err != nil {
		k.Fatal(err)
	}
	for i := 2 * from; i < 2*to; i++ {
		e := numberedEvent(source, i)
		if err := w.Send(k.Context(), kafka.Message{Topic: stream.TopicRequests, Key: []byte(source + "/0"), Value: stream.AppendEvent(nil, &e),
			ContentType: stream.ContentProtobuf, Timestamp: time.Unix(0, e.Num(stream.EventTimeUnixNano))}); err != nil {
			k.Fatal(err)
		}
	}
	if err := w.Close(context.Background()); err != nil {
		k.Fatal(err)
	}
}

// numberedEvent is event number seq of a producer: two a request.
func numberedEvent(source string, seq int) (e stream.Event) {
	e.Kind = stream.KindRequest
	e.SetText(stream.EventProducer, source)
	e.SetText(stream.EventBoot, source)
	e.SetText(stream.EventSource, source)
	e.SetText(stream.EventInstance, "vllm-0")
	e.SetInt(stream.EventRole, int64(stream.RoleEngine))
	e.SetInt(stream.EventSeq, int64(seq))
	e.SetInt(stream.EventTimeUnixNano, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).UnixNano()+int64(seq)*50_000_000)
	e.SetText(stream.RequestRequestID, fmt.Sprint(source, seq/2))
	e.SetInt(stream.RequestPhase, int64(stream.PhaseReceived))
	if seq%2 == 1 {
		e.SetInt(stream.RequestPhase, int64(stream.PhaseFinished))
		e.SetInt(stream.RequestOutputTokens, 5)
	}
	return e
}

func (k topicTest) fold(pipe *pipeline) {
	k.Helper()
	if err := pipe.run(k.Context(), true); err != nil {
		k.Fatal(err)
	}
}

// holds checks the rows of each log, the duplicates of the last, the logs that were replaced and where, and every invariant.
func (k topicTest) holds(what, rows, duplicates, replaced string) {
	k.Helper()
	for query, want := range map[string]string{
		"SELECT lineage, count(*), sum(output_tokens)::BIGINT FROM v1.requests GROUP BY lineage ORDER BY lineage":              rows,
		"SELECT duplicate FROM v1.progress WHERE topic = 'inferlake.requests'":                                                 duplicates,
		"SELECT l.lineage, l.at_offset, l.unfinished, g.\"from\" FROM v1.lineages l JOIN log_gaps g USING (commit) ORDER BY 1": replaced,
	} {
		if got := strings.ReplaceAll(strings.Join(k.house.rows(query), "; "), "\t", " "); got != want {
			k.Errorf("%s: %s\n got %s\nwant %s", what, query, got, want)
		}
	}
	report, err := k.house.Verify(k.Context())
	if err != nil {
		k.Fatal(err)
	}
	for _, c := range report.Checks {
		if !c.Held {
			k.Errorf("%s: %s is broken: %s %+v", what, c.Name, c.Error, c.Figures)
		}
	}
}

// Rule 13 on a broker that gives a topic made anew the id that it had: what lies at the last offset tells.
func TestATopicIsMadeAnew(t *testing.T) {
	for _, c := range []struct {
		what                       string
		then                       func(topicTest) *pipeline
		rows, duplicates, replaced string
	}{
		{"nothing happens", func(k topicTest) *pipeline { return k.pipe }, "1 20 100", "0", ""},
		{"the topic goes on", func(k topicTest) *pipeline {
			k.send(k.conf, "vllm", 20, 30)
			return k.pipe
		}, "1 30 150", "0", ""},
		{"made anew with more records", func(k topicTest) *pipeline {
			k.remake()
			k.send(k.conf, "other", 0, 35)
			return k.pipe
		}, "1 20 100; 2 35 175", "0", "2 40 0 40"},
		{"made anew with fewer records", func(k topicTest) *pipeline {
			k.remake()
			k.send(k.conf, "other", 0, 3)
			return k.pipe
		}, "1 20 100; 2 3 15", "0", "2 40 0 40"},
		{"made anew, and empty", func(k topicTest) *pipeline {
			k.remake()
			return k.pipe
		}, "1 20 100", "0", "2 40 0 40"},
		{"its tail is lost", func(k topicTest) *pipeline {
			k.remake()
			k.send(k.conf, "vllm", 0, 12)
			return k.pipe
		}, "1 20 100", "24", "2 40 0 40"},
		{"its tail is lost, and others came", func(k topicTest) *pipeline {
			k.remake()
			k.send(k.conf, "vllm", 0, 12)
			k.send(k.conf, "other", 0, 30)
			return k.pipe
		}, "1 20 100; 2 30 150", "24", "2 40 0 40"},
		{"mirrored record by record, under another topic id", func(k topicTest) *pipeline {
			mirror, err := embedded.Start(k.TempDir(), embedded.Options{Partitions: 1})
			if err != nil {
				k.Fatal(err)
			}
			k.Cleanup(func() { mirror.Close() })
			conf := kafka.Config{Brokers: mirror.Addrs()}
			k.send(conf, "vllm", 0, 25)
			return k.pipeline(conf)
		}, "1 20 100; 2 5 25", "40", "2 40 0 40"},
	} {
		t.Run(c.what, func(t *testing.T) {
			k := newTopicTest(t)
			k.send(k.conf, "vllm", 0, 20)
			k.fold(k.pipe)
			pipe := c.then(k)
			k.fold(pipe)
			k.holds(c.what, c.rows, c.duplicates, c.replaced)
			k.fold(pipe) // starts again
			k.holds(c.what+", started again", c.rows, c.duplicates, c.replaced)
		})
	}
}

// The topic is made anew while serve folds it, and once more.
func TestATopicIsMadeAnewUnderServe(t *testing.T) {
	k := newTopicTest(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- k.pipe.run(ctx, false) }()
	k.send(k.conf, "vllm", 0, 20)
	k.await("20")
	k.remake()
	k.send(k.conf, "other", 0, 30)
	k.await("50")
	k.remake()
	k.send(k.conf, "third", 0, 5)
	k.await("55")
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	k.holds("made anew twice", "1 20 100; 2 30 150; 3 5 25", "0", "2 40 0 40; 3 60 0 60")
}

func (k topicTest) await(rows string) {
	k.Helper()
	for range 600 {
		if k.house.rows("SELECT count(*) FROM requests")[0] == rows {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	k.Fatalf("%v rows, want %s", k.house.rows("SELECT lineage, count(*) FROM requests GROUP BY ALL"), rows)
}

// mortalSink dies after some commits: neither they nor the end leave a state.
type mortalSink struct {
	stream.Sink[aggregate.Delta]
	left int
}

var errDied = errors.New("died")

func (s *mortalSink) Commit(ctx context.Context, b stream.Batch[aggregate.Delta]) (stream.Answer, error) {
	if s.left--; s.left < 0 {
		return 0, errDied
	}
	return s.Sink.Commit(ctx, b)
}

// die folds with the rules and dies without a state at the position.
func (k topicTest) die(rules aggregate.Rules) {
	k.Helper()
	tp := stream.TopicPartition{Topic: stream.TopicRequests}
	reader, err := kafka.NewReader(k.conf, tp)
	if err != nil {
		k.Fatal(err)
	}
	defer reader.Close()
	fold := aggregate.NewFold(tp, rules, mallocator.NewMallocator())
	defer fold.Close()
	loop := stream.Loop[aggregate.Delta]{Partition: tp, Log: reader, Fold: fold, Sink: &mortalSink{k.house, 3}, Release: aggregate.Delta.Release,
		Options: stream.LoopOptions{Once: true, Until: 1 << 40, BatchRows: 4, Logger: k.pipe.log}}
	if err := loop.Run(k.Context()); !errors.Is(err, errDied) {
		k.Fatal(err)
	}
}

// After a kill what came since the last state cannot be rebuilt from another log; what was covered is known all the same.
func TestATopicIsMadeAnewAfterAKill(t *testing.T) {
	k := newTopicTest(t)
	k.send(k.conf, "vllm", 0, 20)
	k.die(aggregate.Rules{})
	at := k.house.rows("SELECT next_offset, replay_offset, loaded FROM progress WHERE next_offset > 0")
	k.remake()
	k.send(k.conf, "vllm", 0, 1)
	k.send(k.conf, "other", 0, 10)
	k.fold(k.pipe)
	t.Log("killed at", at)
	folded := k.house.rows("SELECT count(*), count(*) * 5 FROM requests WHERE lineage = 1")[0]
	replaced := k.house.rows("SELECT 2, at_offset, unfinished, at_offset FROM v1.lineages WHERE state_offset = 0 AND consumed = at_offset")
	if len(replaced) != 1 {
		t.Fatal("the end of the old log is not as it was left:", replaced)
	}
	k.holds("after a kill", "1 "+strings.ReplaceAll(folded, "\t", " ")+"; 2 10 50", "2", strings.ReplaceAll(replaced[0], "\t", " "))
}

// Rule 6: other rules are refused behind a state, with the old ones and what to do; done, they are taken.
func TestOtherRulesNeedAStateAtThePosition(t *testing.T) {
	k := newTopicTest(t)
	k.send(k.conf, "vllm", 0, 20)
	old := foldSettings{Expiry: 2 * time.Hour}.rules()
	k.die(old)
	other := k.pipeline(k.conf)
	err := other.run(t.Context(), true)
	for _, words := range []string{"expiry 2h0m0s", "expiry 1h0m0s", "serve --once", "inferlake.requests/0"} {
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("the refusal does not say %q: %v", words, err)
		}
	}
	finish := k.pipeline(k.conf)
	finish.rules = old
	k.fold(finish)
	k.send(k.conf, "vllm", 20, 30)
	k.fold(other)
	k.holds("with other rules", "1 30 150", "0", "")
}

// Rules 7 and 10: what sources must not do is shown; with an authority the other source is refused.
func TestAnomaliesAreShown(t *testing.T) {
	k := newTopicTest(t)
	k.send(k.conf, "vllm", 0, 10)
	k.send(k.conf, "otlp", 0, 4)
	k.fold(k.pipe)
	k.says("SELECT kind, instance, role, sources, requests FROM v1.anomalies", "two_sources vllm-0 engine [otlp vllm] 14")
	k.says("SELECT topic_anomalies FROM v1.completeness WHERE source = 'vllm'", "1")
	authority := k.pipeline(k.conf)
	authority.rules = foldSettings{Authority: map[string]string{"vllm-0": "vllm"}}.rules()
	k.send(k.conf, "otlp", 3, 9) // of the first, what was folded is a duplicate
	k.send(k.conf, "vllm", 10, 20)
	k.fold(authority)
	k.says("SELECT source, count(*) FROM v1.requests GROUP BY ALL ORDER BY 1", "otlp 4; vllm 20")
	k.says("SELECT reason, count(*) FROM v1.dead_letters GROUP BY ALL", "not_authoritative 10")
	k.says("SELECT missing FROM v1.producers ORDER BY source", "0; 0")
	k.holds("with an authority", "1 24 120", "2", "")
}

func (k topicTest) says(query, want string) {
	k.Helper()
	if got := strings.ReplaceAll(strings.Join(k.house.rows(query), "; "), "\t", " "); got != want {
		k.Errorf("%s\n got %s\nwant %s", query, got, want)
	}
}

// A broker that starts again is the same log.
func TestABrokerStartsAgain(t *testing.T) {
	k := topicTest{T: t, house: openHouse(t, t.TempDir())}
	dir := t.TempDir()
	for round := range 3 {
		broker, err := embedded.Start(dir, embedded.Options{Partitions: 1})
		if err != nil {
			t.Fatal(err)
		}
		k.conf = kafka.Config{Brokers: broker.Addrs()}
		k.pipe = k.pipeline(k.conf)
		k.send(k.conf, "vllm", 10*round, 10*round+10)
		k.fold(k.pipe)
		broker.Close()
	}
	k.says("SELECT count(*), min(cluster_id) IS NOT NULL, min(topic_id) IS NOT NULL FROM progress WHERE next_offset > 0", "1 true true")
	k.holds("started again", "1 30 150", "0", "")
}
