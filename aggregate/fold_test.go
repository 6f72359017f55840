package aggregate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlake/inferlake/stream"
)

var testLog = stream.TopicPartition{Topic: stream.TopicRequests}

const second = int64(1e9)

// trials is how often a random test tries: a tenth under -short, INFERLAKE_TRIALS times as often in make torture.
func trials(n int) int {
	if testing.Short() {
		return max(1, n/10)
	}
	if times, err := strconv.Atoi(os.Getenv("INFERLAKE_TRIALS")); err == nil {
		n *= times
	}
	return n
}

// step is one event of a test log with the send time of its record.
type step struct {
	sent  int64
	event stream.Event
}

// folder drives a fold and collects what it writes.
type folder struct {
	t    *testing.T
	fold *Fold
	mem  *memory.CheckedAllocator
	rows map[string]map[string]any // live request rows by place
	sums map[string]int64          // window sums and sketch counts
	log  int                       // how many logs were replaced
}

func newFolder(t *testing.T, rules Rules) *folder {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	d := &folder{t: t, mem: mem, fold: NewFold(testLog, rules, mem), rows: map[string]map[string]any{}, sums: map[string]int64{}}
	t.Cleanup(func() { d.fold.Close(); mem.AssertSize(t, 0) })
	return d
}

func (d *folder) apply(offset int, s step) {
	d.fold.Begin(int64(offset), s.sent, false)
	e := s.event
	d.fold.Apply(&e, stream.Position{Offset: int64(offset)})
}

// take adds a cut's rows to what was collected, as the warehouse would.
func (d *folder) take() {
	delta := d.fold.Cut()
	defer delta.Release()
	d.collect(delta)
}

func (d *folder) collect(delta Delta) {
	for _, id := range delta.Replaced {
		key := fmt.Sprint(d.log, "/", id.Offset, "/", id.Index)
		if d.rows[key] == nil {
			d.t.Errorf("row %s is replaced but was never written", key)
		}
		delete(d.rows, key)
	}
	for _, r := range delta.Rows {
		text, err := r.Batch.MarshalJSON()
		if err != nil {
			d.t.Fatal(err)
		}
		var rows []map[string]any
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		if err := dec.Decode(&rows); err != nil {
			d.t.Fatal(err)
		}
		for _, row := range rows {
			d.row(r.Table, row)
		}
	}
}

func (d *folder) row(table *Table, row map[string]any) {
	switch table {
	case Requests:
		key := fmt.Sprint(d.log, "/", row["offset"], "/", row["idx"])
		if d.rows[key] != nil {
			d.t.Errorf("row %s was written twice", key)
		}
		d.rows[key] = row
	case RequestWindows, EngineWindows:
		d.add(table, row)
	case RequestSketch:
		for i, b := range row["idx"].([]any) {
			d.sums[fmt.Sprint("sketch ", row["window_start"], row["model"], row["measure"], b)] += number64(row["cnt"].([]any)[i])
		}
	}
}

func number64(v any) int64 {
	n, _ := v.(json.Number).Int64()
	return n
}

func (d *folder) add(table *Table, row map[string]any) {
	key := fmt.Sprint(table.Name, row["window_start"], row["role"], row["instance"], row["model"], row["request_class"])
	for name, v := range row {
		if n, ok := v.(json.Number); ok && name != "level" && name != "dp_index" && (Column{Name: name}).Sum() == "sum" {
			k := key + " " + name
			if d.sums[k] += number64(n); d.sums[k] == 0 {
				delete(d.sums, k)
			}
		}
	}
}

func (d *folder) nonZero() map[string]int64 {
	m := map[string]int64{}
	for k, v := range d.sums {
		if v != 0 {
			m[k] = v
		}
	}
	return m
}

// phaseEvent is a partial record of request id from an engine.
func phaseEvent(id string, phase stream.Phase, at int64) stream.Event {
	var e stream.Event
	e.Reset(stream.KindRequest)
	e.SetText(stream.EventInstance, "engine-1")
	e.SetText(stream.EventBoot, "b1")
	e.SetText(stream.EventSource, "engine")
	e.SetInt(stream.EventRole, int64(stream.RoleEngine))
	e.SetInt(stream.EventTimeUnixNano, at)
	e.SetText(stream.RequestRequestID, id)
	e.SetInt(stream.RequestPhase, int64(phase))
	return e
}

// life is a request's partial records in their natural order.
func life(id, model string, start int64) []stream.Event {
	received := phaseEvent(id, stream.PhaseReceived, start)
	received.SetText(stream.RequestModel, model)
	received.SetInt(stream.RequestPromptTokens, 1000)
	scheduled := phaseEvent(id, stream.PhaseScheduled, start+second/5)
	scheduled.SetInt(stream.RequestCachedLocalTokens, 512)
	first := phaseEvent(id, stream.PhaseFirstToken, start+second/2)
	tokens := phaseEvent(id, stream.PhaseTokens, start+8*second)
	tokens.SetInt(stream.RequestOutputTokens, 70)
	finished := phaseEvent(id, stream.PhaseFinished, start+25*second)
	finished.SetInt(stream.RequestOutcome, int64(stream.OutcomeOK))
	finished.SetInt(stream.RequestFinishReason, int64(stream.ReasonLength))
	finished.SetInt(stream.RequestPromptTokens, 1000)
	finished.SetInt(stream.RequestOutputTokens, 201)
	return []stream.Event{received, phaseEvent(id, stream.PhaseQueued, start+second/10), scheduled, first, tokens, finished}
}

// Whatever the order of a request's partial records and however often each comes, the row and the windows are the same.
func TestMergeIsAJoin(t *testing.T) {
	start := 1_700_000_000 * second
	run := func(events []stream.Event) (map[string]any, map[string]int64) {
		d := newFolder(t, Rules{})
		for i, e := range events {
			d.apply(i, step{start, e})
			if i%3 == 0 {
				d.take()
			}
		}
		d.fold.Tick(stream.Tick{Flush: true})
		d.take()
		if len(d.rows) != 1 {
			t.Fatalf("%d rows, want 1", len(d.rows))
		}
		for _, row := range d.rows {
			for _, bookkeeping := range []string{"offset", "life", "events", "revision", "late", "flags"} {
				delete(row, bookkeeping)
			}
			sums := d.nonZero()
			for k := range sums {
				if k[len(k)-len("late_requests"):] == "late_requests" {
					delete(sums, k)
				}
			}
			return row, sums
		}
		return nil, nil
	}
	events := life("r1", "m", start)
	wantRow, wantSums := run(events)
	rng := rand.New(rand.NewPCG(7, 7))
	for range trials(100) {
		mixed := slices.Clone(events)
		for range rng.IntN(6) {
			mixed = append(mixed, events[rng.IntN(len(events))])
		}
		rng.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		row, sums := run(mixed)
		if a, b := fmt.Sprint(row), fmt.Sprint(wantRow); a != b {
			t.Fatalf("row differs:\n%s\n%s", a, b)
		}
		if a, b := fmt.Sprint(sums), fmt.Sprint(wantSums); a != b {
			t.Fatalf("windows differ:\n%s\n%s", a, b)
		}
	}
}

// randomLog is a log of requests, some never finished, duplicates, late events and engine samples.
func randomLog(rng *rand.Rand, n int) []step {
	start := 1_700_000_000 * second
	var steps []step
	for i := range n {
		at := start + int64(i)*second
		events := life(fmt.Sprint("r", i), fmt.Sprint("m", i%3), at)
		if i%7 == 0 {
			events = events[:len(events)-1]
		}
		for j, e := range events {
			sent := e.Num(stream.EventTimeUnixNano) + rng.Int64N(3*second)
			if rng.IntN(50) == 0 {
				sent += 40 * second
			}
			e.SetText(stream.EventProducer, "p")
			e.SetInt(stream.EventSeq, int64(i*10+j))
			steps = append(steps, step{sent, e})
			if rng.IntN(20) == 0 {
				steps = append(steps, step{sent + second, e})
			}
		}
		var sample stream.Event
		sample.Reset(stream.KindEngine)
		sample.SetText(stream.EventInstance, "engine-1")
		sample.SetText(stream.EventBoot, "b1")
		sample.SetInt(stream.EventTimeUnixNano, at)
		sample.SetInt(stream.EngineRunningRequests, int64(i%11))
		sample.SetInt(stream.EngineOutputTokensTotal, int64(i)*97)
		steps = append(steps, step{at, sample})
	}
	slices.SortStableFunc(steps, func(a, b step) int { return int(min(max(a.sent-b.sent, -1), 1)) })
	return steps
}

// A fold restored from a snapshot at any offset goes on exactly as one that was never stopped (rule 1), however the
// log is cut into batches (I1).
func TestSnapshotAnywhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	steps := randomLog(rng, 300)
	rules := Rules{Expiry: 60e9, ClosedMemory: 30e9}
	undisturbed := newFolder(t, rules)
	for i, s := range steps {
		undisturbed.apply(i, s)
	}
	undisturbed.take()
	for range trials(6) {
		d := newFolder(t, rules)
		for i, s := range steps {
			d.apply(i, s)
			if rng.IntN(60) != 0 {
				continue
			}
			d.take()
			snapshot := d.fold.Snapshot(nil)
			d.fold.Close()
			d.fold = NewFold(testLog, rules, d.mem)
			if err := d.fold.Restore(snapshot); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(snapshot, d.fold.Snapshot(nil)) {
				t.Fatalf("offset %d: the restored state is another", i)
			}
		}
		d.take()
		if a, b := fmt.Sprint(d.rows), fmt.Sprint(undisturbed.rows); a != b {
			t.Fatalf("rows differ:\n%s\n%s", a, b)
		}
		if a, b := fmt.Sprint(d.nonZero()), fmt.Sprint(undisturbed.nonZero()); a != b {
			t.Fatalf("windows differ:\n%s\n%s", a, b)
		}
		if d.fold.Status() != undisturbed.fold.Status() {
			t.Fatalf("status %+v, undisturbed %+v", d.fold.Status(), undisturbed.fold.Status())
		}
		if !bytes.Equal(d.fold.Snapshot(nil), undisturbed.fold.Snapshot(nil)) {
			t.Fatal("the states at the end differ")
		}
	}
}

// I4: every event is loaded, pending, a duplicate or dead.
func TestEveryEventIsAccountedFor(t *testing.T) {
	d := newFolder(t, Rules{Expiry: 60e9, ClosedMemory: 30e9})
	for i, s := range randomLog(rand.New(rand.NewPCG(5, 6)), 500) {
		d.apply(i, s)
		if s := d.fold.Status(); s.Consumed != s.Loaded+s.Pending+s.Duplicate+s.Dead {
			t.Fatalf("offset %d: consumed %d ≠ loaded %d + pending %d + duplicate %d + dead %d", i, s.Consumed, s.Loaded, s.Pending, s.Duplicate, s.Dead)
		}
	}
}

// The table has what is spread back last: booking an open request stops there.
func TestSpreadMeasuresComeLast(t *testing.T) {
	for i := 1; i < len(Measures); i++ {
		if Measures[i-1].Booking == SpreadBack && Measures[i].Booking == AtMoment {
			t.Errorf("%s is booked at its moment but stands after %s", Measures[i].Name, Measures[i-1].Name)
		}
	}
}

// Case W26: windows floor, also before 1970.
func TestWindowOf(t *testing.T) {
	for _, c := range []struct{ t, want int64 }{{0, 0}, {1, 0}, {WindowNS - 1, 0}, {WindowNS, WindowNS}, {-1, -WindowNS}, {-WindowNS, -WindowNS}} {
		if got := windowOf(c.t); got != c.want {
			t.Errorf("windowOf(%d) = %d, want %d", c.t, got, c.want)
		}
	}
}
