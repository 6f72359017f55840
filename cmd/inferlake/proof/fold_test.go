package proof_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/cmd/inferlake/proof"
	"github.com/inferlake/inferlake/stream"
)

// rules are short enough that requests expire and are forgotten while the load runs.
var rules = aggregate.Rules{Expiry: 2 * time.Minute, ClosedMemory: time.Minute}

var settings = []string{"expiry=120", "closed=60"}

// What the fold makes of a load is what the oracle makes of its ledger.
func TestFoldAgainstOracle(t *testing.T) {
	python := proof.Python(t)
	for seed := range uint64(seeds(t)) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ledger.jsonl")
			have := foldLoad(t, seed, path)
			want, err := proof.Answer(t.Context(), python, path, settings...)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range proof.Compare(have, want, 5) {
				t.Error(d)
			}
			for table, rows := range want {
				t.Logf("%s: %d rows", table, len(rows))
			}
		})
	}
}

// seeds is how many loads are tried: INFERLAKE_TRIALS=N asks for more than one.
func seeds(t *testing.T) int {
	more := os.Getenv("INFERLAKE_TRIALS")
	if more == "" {
		return 1
	}
	n, err := strconv.Atoi(more)
	if err != nil {
		t.Fatal("INFERLAKE_TRIALS: ", err)
	}
	return n
}

// foldLoad folds a load in memory and writes its ledger.
func foldLoad(t *testing.T, seed uint64, path string) proof.Rows {
	ledger, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer ledger.Close()
	load := proof.NewLoad(proof.Options{Seed: seed}, ledger)
	house := newHouse(t)
	open := int64(1 << 62)
	for load.Now() < proof.Start+int64(4*time.Minute) {
		house.fold(load.Step())
		if load.Now() > proof.Start+int64(2*time.Minute) {
			open = min(open, house.open())
		}
	}
	house.fold(load.Finish())
	if err := load.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("at least %d requests were open", open)
	return house.end(load.Now())
}

// house is a warehouse in memory: it adds up deltas and replaces rows.
type house struct {
	t          *testing.T
	mem        *memory.CheckedAllocator
	partitions map[stream.TopicPartition]*partition
	decoder    stream.Decoder
	requests   map[string]string
	sums       map[string]*sum
	counts     map[string]int
	lanes      map[string]string
}

type partition struct {
	*aggregate.Fold
	offset int64
}

func newHouse(t *testing.T) *house {
	h := &house{t: t, mem: memory.NewCheckedAllocator(memory.NewGoAllocator()), partitions: map[stream.TopicPartition]*partition{},
		requests: map[string]string{}, sums: map[string]*sum{}, counts: map[string]int{}, lanes: map[string]string{}}
	t.Cleanup(func() {
		for _, p := range h.partitions {
			p.Close()
		}
		h.mem.AssertSize(t, 0)
	})
	return h
}

func (h *house) fold(records []proof.Record) {
	for i := range records {
		h.record(&records[i])
	}
}

func (h *house) record(r *proof.Record) {
	tp := stream.TopicPartition{Topic: r.Topic, Partition: r.Partition}
	p := h.partitions[tp]
	if p == nil {
		p = &partition{Fold: aggregate.NewFold(tp, rules, h.mem)}
		h.partitions[tp] = p
	}
	rec := r.Stream(p.offset)
	p.offset++
	p.Begin(rec.Offset, rec.Timestamp, rec.Timestamp == proof.Broken)
	h.decoder.Decode(&rec, func(index int32, e *stream.Event, why stream.Reason) {
		if why == stream.Accepted {
			why = p.Apply(e, stream.Position{Offset: rec.Offset, Index: index})
		}
		if why != stream.Accepted {
			p.Refuse(stream.DeadLetter{Reason: why, Events: 1})
		}
	})
	if p.offset%100 == 0 {
		h.take(p.Cut())
	}
}

func (h *house) open() (n int64) {
	for _, p := range h.partitions {
		n += p.Status().Open
	}
	return n
}

// end lets every partition fall silent, and returns all that came of them.
func (h *house) end(now int64) proof.Rows {
	rows := proof.Rows{}
	for tp, p := range h.partitions {
		p.Tick(stream.Tick{At: now + int64(time.Hour), Flush: true})
		h.take(p.Cut())
		s := p.Status()
		rows["progress"] = append(rows["progress"], line(tp.Topic, tp.Partition, s.Consumed, s.Loaded, s.Duplicate, s.Dead, s.Late, s.Stale))
	}
	for _, row := range h.requests {
		rows["requests"] = append(rows["requests"], row)
	}
	for key, n := range h.counts {
		rows["rows"] = append(rows["rows"], line(key, n))
	}
	for _, row := range h.lanes {
		rows["producers"] = append(rows["producers"], row)
	}
	for key, s := range h.sums {
		if row, ok := s.row(); ok {
			table, dims, _ := strings.Cut(key, "\t")
			rows[table] = append(rows[table], dims+"\t"+row)
		}
	}
	return rows
}

func (h *house) take(d aggregate.Delta) {
	defer d.Release()
	for _, id := range d.Replaced {
		delete(h.requests, fmt.Sprint(id))
	}
	for _, rows := range d.Rows {
		for _, r := range readers(h.t, rows) {
			h.row(rows.Table, r)
		}
	}
}

func (h *house) row(table *aggregate.Table, r reader) {
	switch table {
	case aggregate.Requests:
		place := fmt.Sprint(aggregate.RowID{TopicPartition: r.partition(), Position: stream.Position{Offset: r.int("offset"), Index: int32(r.int("idx"))}})
		if h.requests[place] != "" {
			h.t.Errorf("row %s was written twice", place)
		}
		h.requests[place] = requestLine(r)
	case aggregate.RequestWindows:
		h.sum(table, r, windowDims).add(r, measures())
	case aggregate.RequestSketch:
		h.sum(table, r, append(slices.Clone(windowDims), "measure")).addSketch(r)
	case aggregate.EngineWindows, aggregate.GPUWindows, aggregate.NodeWindows, aggregate.KubeWindows:
		for _, t := range proof.SampleTables {
			if t.Name == table.Name {
				h.sum(table, r, append([]string{"window_start"}, t.Dims...)).addSample(r, t)
			}
		}
	case aggregate.Coverage:
		h.lane(r)
	default:
		h.counts[line(r.get("topic"), r.get("partition"), table.Name)]++
	}
}

var windowDims = []string{"window_start", "role", "instance", "model", "model_version", "adapter", "request_class"}

func measures() (names []string) {
	for _, m := range aggregate.Measures {
		names = append(names, m.Name)
	}
	return names
}

func (h *house) sum(table *aggregate.Table, r reader, dims []string) *sum {
	key := table.Name + "\t" + line(r.all(dims)...)
	if h.sums[key] == nil {
		h.sums[key] = &sum{}
	}
	return h.sums[key]
}

func (h *house) lane(r reader) {
	dims := line(r.all([]string{"topic", "partition", "producer", "boot", "lane"})...)
	h.lanes[dims] = dims + "\t" + line(r.all([]string{"first_seq", "last_seq", "announced_seq", "received", "gaps", "first_at", "last_at", "stopped"})...)
}

// sum adds up the deltas of one key of one table.
type sum struct {
	numbers []int64
	levels  []any // least and greatest of gauges
	buckets map[int64]int64
}

func (s *sum) add(r reader, columns []string) {
	if s.numbers == nil {
		s.numbers = make([]int64, len(columns))
	}
	for i, c := range columns {
		s.numbers[i] += r.int(c)
	}
}

func (s *sum) addSketch(r reader) {
	s.add(r, []string{"n", "zero", "total"})
	if s.buckets == nil {
		s.buckets = map[int64]int64{}
	}
	counts, _ := r.get("cnt").([]int64)
	buckets, _ := r.get("idx").([]int64)
	for i, b := range buckets {
		if s.buckets[b] += counts[i]; s.buckets[b] == 0 {
			delete(s.buckets, b)
		}
	}
}

// addSample adds sums, and keeps the least and the greatest level of each gauge.
func (s *sum) addSample(r reader, t proof.SampleTable) {
	s.add(r, t.Sums())
	if s.levels == nil {
		s.levels = make([]any, 2*len(t.Gauges))
	}
	keep := func(i int, column string, better func(a, b int64) bool) {
		if v, ok := r.get(column).(int64); ok && (s.levels[i] == nil || better(v, s.levels[i].(int64))) {
			s.levels[i] = v
		}
	}
	for i, g := range t.Gauges {
		keep(2*i, g+"_min", func(a, b int64) bool { return a < b })
		keep(2*i+1, g+"_max", func(a, b int64) bool { return a > b })
	}
}

// row is the sum as text, unless nothing is left.
func (s *sum) row() (row string, ok bool) {
	ok = slices.ContainsFunc(s.numbers, func(n int64) bool { return n != 0 })
	if s.buckets != nil {
		var idx, counts []int64
		for b := range s.buckets {
			idx = append(idx, b)
		}
		slices.Sort(idx)
		for _, b := range idx {
			counts = append(counts, s.buckets[b])
		}
		return line(s.numbers[0], s.numbers[1], s.numbers[2], idx, counts), ok
	}
	var cells []any
	for _, n := range s.numbers {
		cells = append(cells, n)
	}
	return line(append(cells, s.levels...)...), ok
}

// requestLine is a request's row as the oracle writes it, with the clamps of v1.requests.
func requestLine(r reader) string {
	cells := r.all([]string{"topic", "partition", "instance", "dp_index", "role", "boot", "producer", "source", "request_id", "attempt", "choice",
		"join_key", "trace_id", "model", "model_version", "adapter", "request_class"})
	cells = append(cells, hash(r.get("tenant")), hash(r.get("session")))
	cells = append(cells, r.all([]string{"deployment", "namespace", "node", "pod", "service_tier", "outcome", "finish_reason", "http_status", "prompt_tokens"})...)
	cells = append(cells, cachedTokens(r))
	cells = append(cells, r.all([]string{"cached_local_tokens", "cached_external_tokens", "cached_host_tokens", "cache_write_5m_tokens", "cache_write_1h_tokens"})...)
	cells = append(cells, outputTokens(r))
	cells = append(cells, r.all([]string{"reasoning_tokens", "drafted_tokens", "accepted_tokens", "recomputed_tokens", "prefilled_tokens",
		"preemptions", "preempted_ns", "kv_transfer_ns", "kv_transfer_bytes",
		"max_tokens", "priority", "images", "running_requests", "waiting_requests", "running_tokens", "waiting_tokens",
		"probe", "retry", "stream", "response_cache_hit",
		"received_at", "queued_at", "scheduled_at", "first_byte_at", "first_token_at", "first_answer_at", "client_gone_at", "last_token_at", "finished_at",
		"ttft_ns", "queue_ns", "rest_ns", "prefill_ns", "decode_ns", "e2e_ns",
		"measured_ttft_gateway_ns", "measured_ttft_engine_ns", "measured_ttft_scheduled_ns", "measured_ttft_byte_ns", "measured_ttft_answer_ns",
		"measured_tokenize_ns", "measured_detokenize_ns", "step_first", "step_last"})...)
	return line(append(cells, flagNames(r.int("flags")), r.get("late"), r.get("events"))...)
}

func hash(v any) any {
	if v == nil {
		return nil
	}
	return fmt.Sprintf("%016x", uint64(v.(int64)))
}

func cachedTokens(r reader) any {
	var said int64
	known := false
	for _, c := range []string{"cached_local_tokens", "cached_external_tokens", "cached_host_tokens"} {
		v, ok := r.get(c).(int64)
		said, known = said+v, known || ok
	}
	if !known {
		return nil
	}
	if prompt, ok := r.get("prompt_tokens").(int64); ok {
		said = min(said, prompt)
	}
	return said
}

func outputTokens(r reader) any {
	if v := r.get("output_tokens"); v != nil {
		return v
	}
	return r.get("output_seen_tokens")
}

func flagNames(bits int64) []string {
	var names []string
	for i, name := range aggregate.FlagNames {
		if bits&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// reader is one row of a table.
type reader struct {
	table *aggregate.Table
	cells map[string]any
}

// readers reads the rows of a batch by way of its JSON.
func readers(t *testing.T, rows aggregate.TableRows) (all []reader) {
	text, err := rows.Batch.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var cells []map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&cells); err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		all = append(all, reader{rows.Table, c})
	}
	return all
}

func (r reader) partition() stream.TopicPartition {
	return stream.TopicPartition{Topic: r.get("topic").(string), Partition: int32(r.int("partition"))}
}

// get returns a cell: int64, string, bool, []int64 or nil. A time is in microseconds.
func (r reader) get(column string) any {
	switch v := r.cells[column].(type) {
	case json.Number:
		n, _ := v.Int64()
		return n
	case []any:
		var list []int64
		for _, x := range v {
			n, _ := x.(json.Number).Int64()
			list = append(list, n)
		}
		return list
	case string:
		if slices.ContainsFunc(r.table.Columns, func(c aggregate.Column) bool { return c.Name == column && c.Type.SQL == aggregate.Timestamp.SQL }) {
			at, err := time.Parse("2006-01-02T15:04:05.999999999", v)
			if err != nil {
				panic(err)
			}
			return at.UnixMicro()
		}
		return v
	default:
		return v
	}
}

func (r reader) int(column string) int64 {
	v, _ := r.get(column).(int64)
	return v
}

func (r reader) all(columns []string) (cells []any) {
	for _, c := range columns {
		cells = append(cells, r.get(c))
	}
	return cells
}

// line writes cells as the oracle does.
func line(cells ...any) string {
	texts := make([]string, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case nil:
			texts[i] = "-"
		case []int64:
			texts[i] = list(c)
		case []string:
			texts[i] = list(c)
		case bool:
			texts[i] = strconv.FormatBool(c)
		default:
			texts[i] = fmt.Sprint(c)
		}
	}
	return strings.Join(texts, "\t")
}

func list[T any](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	return "[" + strings.Join(texts, ",") + "]"
}
