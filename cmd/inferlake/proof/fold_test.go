package proof_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
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

// seeds is how many loads are tried: INFERLAKE_TORTURE=N asks for more than one.
func seeds(t *testing.T) int {
	more := os.Getenv("INFERLAKE_TORTURE")
	if more == "" {
		return 1
	}
	n, err := strconv.Atoi(more)
	if err != nil {
		t.Fatal("INFERLAKE_TORTURE: ", err)
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
	for load.Now() < proof.Start+int64(5*time.Minute) {
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
		rows["progress"] = append(rows["progress"], line(tp.Topic, tp.Partition, s.Consumed, s.Loaded, s.Duplicate, s.Dead, s.Late))
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
		for i := range int(rows.Batch.NumRows()) {
			h.row(rows.Table, reader{rows.Batch, i})
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
		h.samples(table, r)
	case aggregate.Coverage:
		h.lane(r)
	default:
		h.counts[line(r.get("topic"), r.get("partition"), table.Name)]++
	}
}

var (
	windowDims = []string{"window_start", "role", "instance", "model", "model_version", "adapter", "request_class"}
	seriesDims = []string{"instance", "dp_index", "gpu", "node", "namespace", "deployment", "pod", "model", "model_version"}
)

func measures() (names []string) {
	for _, m := range aggregate.Measures {
		names = append(names, m.Name)
	}
	return names
}

func (h *house) sum(table *aggregate.Table, r reader, dims []string) *sum {
	return h.sumOf(table.Name + "\t" + line(r.all(dims)...))
}

// samples takes a window of a series apart into a row a gauge or counter, as the oracle has them.
func (h *house) samples(table *aggregate.Table, r reader) {
	cells := []any{r.get("window_start"), strings.TrimSuffix(table.Name, "_windows")}
	for _, dim := range seriesDims {
		cells = append(cells, r.find(dim))
	}
	key := line(cells...)
	h.sumOf("samples\t"+key).add(r, []string{"samples"})
	for _, c := range table.Columns {
		if gauge, ok := strings.CutSuffix(c.Name, "_value_ns"); ok && r.get(c.Name) != nil {
			h.sumOf("sample_windows\t"+key+"\t"+gauge).addGauge(r, gauge)
		}
		if counter, ok := strings.CutSuffix(c.Name, "_increase"); ok && r.get(c.Name) != nil {
			h.sumOf("sample_windows\t"+key+"\t"+counter+"_total").addCounter(r, c.Name)
		}
	}
}

func (h *house) sumOf(key string) *sum {
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
	cells   []any // instead of numbers
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
	counts := r.get("cnt").([]int64)
	for i, b := range r.get("idx").([]int64) {
		if s.buckets[b] += counts[i]; s.buckets[b] == 0 {
			delete(s.buckets, b)
		}
	}
}

// addGauge adds up value and time, and keeps the extremes.
func (s *sum) addGauge(r reader, gauge string) {
	s.add(r, []string{gauge + "_value_ns", gauge + "_observed_ns"})
	if s.cells == nil {
		s.cells = make([]any, 5)
	}
	keep := func(i int, column string, better func(a, b int64) bool) {
		if v, ok := r.get(column).(int64); ok && (s.cells[i] == nil || better(v, s.cells[i].(int64))) {
			s.cells[i] = v
		}
	}
	s.cells[0], s.cells[1] = s.numbers[0], s.numbers[1]
	keep(2, gauge+"_min", func(a, b int64) bool { return a < b })
	keep(3, gauge+"_max", func(a, b int64) bool { return a > b })
}

// addCounter adds up increases; one of 0 is known too.
func (s *sum) addCounter(r reader, column string) {
	s.add(r, []string{column})
	s.cells = []any{nil, nil, nil, nil, s.numbers[0]}
}

// row is the sum as text, unless nothing is left.
func (s *sum) row() (row string, ok bool) {
	ok = slices.ContainsFunc(s.numbers, func(n int64) bool { return n != 0 }) || s.cells != nil && (s.cells[2] != nil || s.cells[4] != nil)
	switch {
	case s.cells != nil:
		return line(s.cells...), ok
	case s.buckets != nil:
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
	return line(cells...), ok
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

// reader reads one row of a batch.
type reader struct {
	arrow.RecordBatch
	row int
}

func (r reader) partition() stream.TopicPartition {
	return stream.TopicPartition{Topic: r.get("topic").(string), Partition: int32(r.int("partition"))}
}

// get returns a cell: int64, string, bool, []int64 or nil. A time is in microseconds.
func (r reader) get(column string) any {
	a := r.Column(r.Schema().FieldIndices(column)[0])
	if a.IsNull(r.row) {
		return nil
	}
	switch a := a.(type) {
	case *array.Int64:
		return a.Value(r.row)
	case *array.Timestamp:
		return int64(a.Value(r.row)) / 1000
	case *array.Boolean:
		return a.Value(r.row)
	case *array.String:
		return strings.Clone(a.Value(r.row))
	case *array.List:
		from, to := a.ValueOffsets(r.row)
		return slices.Clone(a.ListValues().(*array.Int64).Int64Values()[from:to])
	}
	panic("no cell is read from " + a.DataType().Name())
}

// find is get for a column that a table may lack.
func (r reader) find(column string) any {
	if !r.Schema().HasField(column) {
		return nil
	}
	return r.get(column)
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
