package examples_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
)

// row is one row of a table, by column.
type row = map[string]any

// heard is what a program told.
type heard struct {
	legs      map[string][]string // phases in order, by role and request; the same one again counts once
	latencies map[string]int64    // ns between tokens, summed from the last sketch, by request
	kinds     map[string][]string // by topic, sorted
	states    []string            // of instances, sorted
	forms     []string            // content types and, of JSON, the first byte; sorted
	rows      map[string][]row    // what the folds made of it, by table
}

// hear runs a program with the address of a broker behind a flag, then reads and folds what it has sent. Nothing of it
// may be refused.
func hear(t *testing.T, program *exec.Cmd, flag string) *heard {
	t.Helper()
	const partitions = 2
	broker, err := embedded.Start(t.TempDir(), embedded.Options{Partitions: partitions})
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Close()
	brokers := kafka.Config{Brokers: broker.Addrs()}
	admin, err := kafka.NewAdmin(t.Context(), brokers)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	if err := admin.CreateTopics(t.Context(), kafka.TopicOptions{Partitions: partitions}); err != nil {
		t.Fatal(err)
	}
	program.Args = append(program.Args, flag+broker.Addrs()[0])
	if out, err := program.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", program.Args, err, out)
	}
	h := &heard{
		legs: map[string][]string{}, latencies: map[string]int64{},
		kinds: map[string][]string{}, rows: map[string][]row{},
	}
	for _, topic := range stream.Topics {
		for partition := range int32(partitions) {
			h.read(t, brokers, stream.TopicPartition{Topic: topic, Partition: partition})
		}
	}
	return h
}

// read decodes and folds what a partition holds.
func (h *heard) read(t *testing.T, brokers kafka.Config, log stream.TopicPartition) {
	reader, err := kafka.NewReader(brokers, log)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	fold := aggregate.NewFold(log, aggregate.Rules{}.WithDefaults(), memory.DefaultAllocator)
	defer fold.Close()
	var decoder stream.Decoder
	next, end := int64(0), int64(1)
	for next < end {
		fetch, err := reader.Read(t.Context(), next)
		if err != nil {
			t.Fatal(err)
		}
		for i := range fetch.Records {
			record := &fetch.Records[i]
			form := record.ContentType
			if bytes.HasPrefix(record.Value, []byte("{")) || bytes.HasPrefix(record.Value, []byte("[")) {
				form += " " + string(record.Value[:1])
			}
			add(&h.forms, form)
			fold.Begin(record.Offset, record.Timestamp, false)
			decoder.Decode(record, func(index int32, e *stream.Event, why stream.Reason) {
				if why == stream.Accepted {
					h.see(t, log.Topic, string(record.Key), e)
					why = fold.Apply(e, stream.Position{Offset: record.Offset, Index: index})
				}
				if why != stream.Accepted {
					t.Fatalf("%v, offset %d, event %d is refused: %v", log, record.Offset, index, why)
				}
			})
		}
		next, end = fetch.Next, fetch.End
	}
	fold.Tick(stream.Tick{Offset: next, Flush: true})
	h.take(t, fold.Cut())
}

func (h *heard) see(t *testing.T, topic, key string, e *stream.Event) {
	if want := fmt.Sprintf("%s/%d", e.Text(stream.EventProducer), e.Num(stream.EventLane)); key != want {
		t.Errorf("%s: an event of %s has the key %q", topic, want, key)
	}
	kinds := h.kinds[topic]
	add(&kinds, kindName(e.Kind))
	h.kinds[topic] = kinds
	switch e.Kind {
	case stream.KindInstance:
		add(&h.states, stream.Lifecycle(e.Num(stream.InstanceState)).String())
	case stream.KindRequest:
		leg := stream.Role(e.Num(stream.EventRole)).String() + " " + e.Text(stream.RequestRequestID)
		phase := stream.Phase(e.Num(stream.RequestPhase)).String()
		h.legs[leg] = slices.Compact(append(h.legs[leg], phase))
		buckets, counts := e.Ints(stream.RequestITLBucket), e.Ints(stream.RequestITLCount)
		if len(buckets) > 0 {
			h.latencies[e.Text(stream.RequestRequestID)] = 0
		}
		for i, b := range buckets {
			h.latencies[e.Text(stream.RequestRequestID)] += aggregate.BucketMid(b) * counts[i]
		}
	}
}

// add puts a word into a sorted list that lacks it.
func add(list *[]string, word string) {
	if i, found := slices.BinarySearch(*list, word); !found {
		*list = slices.Insert(*list, i, word)
	}
}

func (h *heard) take(t *testing.T, delta aggregate.Delta) {
	defer delta.Release()
	for _, r := range delta.Rows {
		text, err := r.Batch.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var rows []row
		if err := json.Unmarshal(text, &rows); err != nil {
			t.Fatal(err)
		}
		h.rows[r.Table.Name] = append(h.rows[r.Table.Name], rows...)
	}
}

// told says for each leg its phases, its ending, its output tokens and what was odd about it.
func (h *heard) told() map[string]string {
	all := map[string]string{}
	for _, r := range h.rows["requests"] {
		leg := fmt.Sprint(r["role"], " ", r["request_id"])
		all[leg] = fmt.Sprint(strings.Join(h.legs[leg], " "), ": ", r["outcome"], " ", r["output_tokens"])
		if flags, _ := r["flags"].(float64); flags != 0 {
			all[leg] += fmt.Sprintf(" flags %b", int64(flags))
		}
	}
	return all
}

// whole checks that every lane is numbered from 0 without a hole and says so at its end.
func (h *heard) whole(t *testing.T, lanes int) {
	t.Helper()
	for _, r := range h.rows["producer_coverage"] {
		last, _ := r["last_seq"].(float64)
		if r["first_seq"] != 0.0 || r["gaps"] != 0.0 || r["duplicates"] != 0.0 || r["received"] != last+1 ||
			r["announced_seq"] != last || r["stopped"] != true {
			t.Errorf("%v %v/%v is not whole: %v", r["topic"], r["producer"], r["lane"], r)
		}
	}
	if n := len(h.rows["producer_coverage"]); n != lanes {
		t.Errorf("%d lanes, want %d", n, lanes)
	}
}

func kindName(kind stream.Kind) string {
	for _, k := range stream.Kinds {
		if k.Kind == kind {
			return k.Name
		}
	}
	return "?"
}
