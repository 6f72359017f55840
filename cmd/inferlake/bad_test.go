//go:build !race

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
	"github.com/inferlake/inferlake/stream/kafka/rawbatch"
)

// badKinds are records that no program should send, each with the reason for which it is refused. W39, W44, L2: what a
// database would store as another value is refused before it comes near one.
var badKinds = []struct {
	name    string
	content string
	value   func(rng *rand.Rand, i int) []byte
	why     stream.Reason
}{
	{"truncated", stream.ContentProtobuf, func(rng *rand.Rand, i int) []byte { b := goodEvent(i); return b[:len(b)-1-rng.IntN(20)] }, stream.ReasonMalformed},
	{"truncated JSON", stream.ContentJSON, jsonText(`{"instance":"i","time_unix_nano":1,"request":{"request_id":"bad%d","phase":"fin`), stream.ReasonMalformed},
	{"empty", stream.ContentJSON, func(*rand.Rand, int) []byte { return []byte{} }, stream.ReasonEmpty},
	{"null", "", func(*rand.Rand, int) []byte { return nil }, stream.ReasonEmpty},
	{"random", stream.ContentProtobuf, noise, stream.ReasonMalformed},
	{"deep JSON", "", func(*rand.Rand, int) []byte { return bytes.Repeat([]byte(`{"a":`), 10_000) }, stream.ReasonTooDeep},
	{"negative tokens", "", badRequest(`"prompt_tokens":-5`), stream.ReasonRange},
	{"2^63 tokens", "", badRequest(`"output_tokens":9223372036854775808`), stream.ReasonRange},
	{"2^64-1 tokens", stream.ContentProtobuf, wrapped, stream.ReasonRange},
	{"tokens that are no number", "", badRequest(`"prompt_tokens":"NaN"`), stream.ReasonRange},
	{"tokens that are text", "", badRequest(`"prompt_tokens":"abc"`), stream.ReasonMalformed},
	{"a duration that wrapped", "", badRequest(`"e2e_nano":18446744073709551596`), stream.ReasonRange},
	{"time zero", "", jsonText(`{"instance":"i","time_unix_nano":0,"request":{"request_id":"bad%d","phase":"finished"}}`), stream.ReasonRange},
	{"time that is no number", "", jsonText(`{"instance":"i","time_unix_nano":"NaN","request":{"request_id":"bad%d","phase":"finished"}}`), stream.ReasonRange},
	{"no time", "", jsonText(`{"instance":"i","request":{"request_id":"bad%d","phase":"received"}}`), stream.ReasonNoTime},
	{"version 99", "", jsonText(`{"schema_version":99,"instance":"i","time_unix_nano":1,"request":{"request_id":"bad%d","phase":"finished"}}`), stream.ReasonVersion},
	{"bad UTF-8", "", badRequest("\"model\":\"bad\xff\""), stream.ReasonBadText},
	{"unknown outcome", "", badRequest(`"outcome":"exploded"`), stream.ReasonEnum},
	{"unknown finish reason", "", badRequest(`"finish_reason":99`), stream.ReasonEnum},
	{"lengths that are not there", stream.ContentColumns, func(*rand.Rand, int) []byte { return []byte("\x08\xff\xff\x07\x1a\x01\x10") }, stream.ReasonMalformed},
	{"rows without end", stream.ContentColumns, func(*rand.Rand, int) []byte { return []byte("\x08\xff\xff\xff\xff\x0f\x1a\x01\x10") }, stream.ReasonTooLarge},
	{"OTLP", "application/vnd.opentelemetry.otlp", func(rng *rand.Rand, i int) []byte { return goodEvent(i) }, stream.ReasonEncoding},
	{"unkeyed partial", "", jsonText(`{"instance":"i","time_unix_nano":1700000000000000000,"request":{"request_id":"bad%d","phase":"received"}}`), stream.ReasonUnkeyed},
	{"nobody", "", jsonText(`{"time_unix_nano":1700000000000000000,"request":{"request_id":"bad%d","phase":"finished"}}`), stream.ReasonNoInstance},
	{"no body", "", jsonText(`{"instance":"bad%d","time_unix_nano":1700000000000000000}`), stream.ReasonNoBody},
	{"a sample of nothing", "", jsonText(`{"instance":"bad%d","time_unix_nano":1700000000000000000,"gpu":{}}`), stream.ReasonNoSubject},
}

func jsonText(format string) func(*rand.Rand, int) []byte {
	return func(_ *rand.Rand, i int) []byte { return fmt.Appendf(nil, format, i) }
}

func badRequest(field string) func(*rand.Rand, int) []byte {
	return jsonText(`{"instance":"i","time_unix_nano":1700000000000000000,"request":{"request_id":"bad%d","phase":"finished",` + field + `}}`)
}

// noise is up to 900 kB of chance: what a writer still sends as one batch.
func noise(rng *rand.Rand, _ int) []byte {
	b := make([]byte, 1000+rng.IntN(900_000))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	b[0] = 0xff
	return b
}

// wrapped is an event whose prompt tokens are −1 in 64 bits.
func wrapped(_ *rand.Rand, i int) []byte {
	e := requestEvent(i)
	e.SetInt(stream.RequestPromptTokens, -1)
	return stream.AppendEvent(nil, &e)
}

func goodEvent(i int) []byte {
	e := requestEvent(i)
	return stream.AppendEvent(nil, &e)
}

// requestEvent is the finished event of a good request.
func requestEvent(i int) (e stream.Event) {
	e.Reset(stream.KindRequest)
	e.SetText(stream.EventInstance, "i")
	e.SetText(stream.EventSource, "engine")
	e.SetInt(stream.EventRole, int64(stream.RoleEngine))
	e.SetInt(stream.EventTimeUnixNano, time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC).UnixNano())
	e.SetText(stream.RequestRequestID, fmt.Sprint("good", i))
	e.SetInt(stream.RequestPhase, int64(stream.PhaseFinished))
	e.SetInt(stream.RequestOutcome, int64(stream.OutcomeOK))
	e.SetInt(stream.RequestPromptTokens, int64(i))
	e.SetInt(stream.RequestOutputTokens, 3)
	return e
}

// abuse is a broker being sent bad records among good ones, with what should become of them.
type abuse struct {
	lake
	broker *embedded.Broker
	conf   kafka.Config
	w      *kafka.Writer
	rng    *rand.Rand
	good   int
	tokens int
	dead   []string // hash and reason of each
}

func (l lake) abuse() *abuse {
	l.Helper()
	b, err := embedded.Start(filepath.Join(l.data, "kafka"), embedded.Options{})
	if err != nil {
		l.Fatal(err)
	}
	a := &abuse{lake: l, broker: b, conf: kafka.Config{Brokers: b.Addrs()}, rng: rand.New(rand.NewPCG(1, 2))}
	if a.w, err = kafka.NewWriter(l.Context(), a.conf, kafka.WriterOptions{}); err != nil {
		l.Fatal(err)
	}
	return a
}

func (a *abuse) send(m kafka.Message) {
	a.Helper()
	m.Topic = stream.TopicRequests
	if err := a.w.Send(a.Context(), m); err != nil {
		a.Fatal(err)
	}
}

func (a *abuse) key() []byte { return fmt.Appendf(nil, "p/%d", a.rng.IntN(8)) }

// sendGood sends a good request.
func (a *abuse) sendGood() {
	a.send(kafka.Message{Key: a.key(), Value: goodEvent(a.good), ContentType: stream.ContentProtobuf})
	a.tokens += a.good
	a.good++
}

// sendBad sends a record of a kind.
func (a *abuse) sendBad(i int) {
	kind := badKinds[i%len(badKinds)]
	m := kafka.Message{Key: a.key(), Value: kind.value(a.rng, i), ContentType: kind.content}
	if kind.why == stream.ReasonUnkeyed {
		m.Key = nil
	}
	a.send(m)
	a.refused(m.Value, kind.why)
}

func (a *abuse) refused(value []byte, why stream.Reason) {
	a.dead = append(a.dead, fmt.Sprint(xxh3.Hash(value), " ", why))
}

// sendRows sends a batch of a thousand rows of which one has bad text (W40): it alone is refused.
func (a *abuse) sendRows() {
	var w stream.ColumnsWriter
	for i := range 1000 {
		e := requestEvent(a.good)
		if i == 500 {
			e.SetText(stream.RequestModel, "bad\xff")
		} else {
			a.tokens += a.good
			a.good++
		}
		w.Add(&e)
	}
	value := w.AppendTo(nil)
	a.send(kafka.Message{Key: a.key(), Value: value, ContentType: stream.ContentColumns})
	a.refused(value, stream.ReasonBadText)
}

// sendBatch sends a whole batch that cannot be unpacked, between the others.
func (a *abuse) sendBatch(b rawbatch.Batch, err error, why stream.Reason) {
	a.Helper()
	tp := stream.TopicPartition{Topic: stream.TopicRequests, Partition: int32(a.rng.IntN(4))}
	if err == nil {
		err = a.w.Flush(a.Context())
	}
	if err == nil {
		err = b.Send(a.Context(), a.conf.Brokers, tp)
	}
	if err != nil {
		a.Fatal(err)
	}
	a.refused(nil, why)
}

// end stops the broker and returns where its partitions ended.
func (a *abuse) end() (positions string) {
	a.Helper()
	if err := a.w.Close(a.Context()); err != nil {
		a.Fatal(err)
	}
	admin, err := kafka.NewAdmin(a.Context(), a.conf)
	if err != nil {
		a.Fatal(err)
	}
	ends, err := admin.EndOffsets(a.Context(), stream.TopicRequests)
	admin.Close()
	if err != nil {
		a.Fatal(err)
	}
	if err := a.broker.Close(); err != nil {
		a.Fatal(err)
	}
	var lines []string
	for tp, end := range ends {
		lines = append(lines, fmt.Sprint(tp.Partition, " ", end))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// Bad records among good ones (C09, W10, W39, W40, W44): each becomes a dead letter for its reason, every good request is there, no
// partition is stuck, and folding on after a restart adds nothing. There are 2,000 with make torture.
func TestBadRecords(t *testing.T) {
	n := 4 * len(badKinds)
	if many, err := strconv.Atoi(os.Getenv("INFERLAKE_BAD")); err == nil {
		n = many
	}
	l := newLake(t)
	a := l.abuse()
	bomb, err := rawbatch.Bomb(1 << 30)
	for i := range n {
		a.sendBad(i)
		a.sendGood()
		switch i {
		case n / 4:
			a.sendRows()
		case n / 3, n / 2:
			a.sendBatch(bomb, err, stream.ReasonTooLarge)
		case n * 2 / 3:
			a.sendBatch(rawbatch.Batch{Codec: rawbatch.Zstd, Count: 4, Records: []byte("no zstd")}, nil, stream.ReasonMalformed)
		}
	}
	ends := a.end()

	before := resident(t)
	said := l.run("serve", "--once")
	if grown := resident(t) - before; grown > 1<<20 {
		t.Errorf("the process grew by %d MiB", grown>>10)
	} else {
		t.Logf("%d bad records, %d good requests; grown by %d MiB; %s", len(a.dead), a.good, grown>>10, said)
	}
	for range 2 {
		l.contains(said, fmt.Sprintf("loaded %d + pending 0 + duplicate 0 + dead %d;", a.good, len(a.dead)))
		l.abused(a, ends)
		said = l.run("serve", "--once")
	}
}

// abused checks what became of the records.
func (l lake) abused(a *abuse, ends string) {
	l.Helper()
	l.says(`SELECT partition, next_offset FROM v1.progress WHERE topic = 'inferlake.requests' ORDER BY ALL`, ends)
	l.says(`SELECT count(*), count(DISTINCT request_id), count(*) FILTER (request_id LIKE 'good%'), sum(prompt_tokens) FROM v1.requests`,
		fmt.Sprint(a.good, " ", a.good, " ", a.good, " ", a.tokens))
	want := slices.Sorted(slices.Values(a.dead))
	if got := strings.Split(l.sql(`SELECT hash, reason FROM v1.dead_letters ORDER BY hash::VARCHAR || ' ' || reason`).String(), "\n"); !slices.Equal(got, want) {
		l.Errorf("dead letters: %d, want %d; %v", len(got), len(want), different(got, want))
	}
	l.run("verify")
}

// different are lines of one list that the other has not, of both.
func different(got, want []string) (lines []string) {
	for _, s := range got {
		if !slices.Contains(want, s) {
			lines = append(lines, "got "+s)
		}
	}
	for _, s := range want {
		if !slices.Contains(got, s) {
			lines = append(lines, "want "+s)
		}
	}
	return lines
}

// resident is the most memory that this process had since the last call, kB.
func resident(t *testing.T) (kB int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("NOT TESTED: memory: ", err)
	}
	for _, line := range strings.Split(string(status), "\n") {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			fmt.Sscan(value, &kB)
		}
	}
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // the mark begins anew
	return kB
}
