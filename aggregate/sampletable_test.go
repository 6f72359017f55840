package aggregate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlake/inferlake/stream"
)

// A counter that was not known is NULL and one that did not grow is 0; a gauge that nobody told is NULL.
// Case W20.
func TestSampleWindowColumns(t *testing.T) {
	start := 1_700_000_000 * second
	f := NewFold(testLog, Rules{}, memory.NewGoAllocator())
	defer f.Close()
	for i := range int64(3) {
		f.Begin(i, start+i*second, false)
		e := sampleAt(start + i*second)
		e.SetInt(stream.EngineRunningRequests, 3+i)
		e.SetInt(stream.EngineOutputTokensTotal, 50)
		f.Apply(&e, stream.Position{Offset: i})
	}
	f.Tick(stream.Tick{Flush: true})
	row := onlyRow(t, f, EngineWindows)
	for column, want := range map[string]any{
		"samples": 3, "running_requests_value_ns": 7 * second, "running_requests_observed_ns": 2 * second,
		"running_requests_min": 3, "running_requests_max": 5, "output_tokens_increase": 0,
		"steps_increase": nil, "waiting_requests_value_ns": nil, "waiting_requests_observed_ns": nil, "waiting_requests_min": nil,
	} {
		if fmt.Sprint(row[column]) != fmt.Sprint(want) {
			t.Errorf("%s is %v, want %v", column, row[column], want)
		}
	}
}

func sampleAt(at int64) (e stream.Event) {
	e.Reset(stream.KindEngine)
	e.SetText(stream.EventInstance, "engine-1")
	e.SetText(stream.EventBoot, "b1")
	e.SetInt(stream.EventTimeUnixNano, at)
	return e
}

// onlyRow cuts the fold and returns the one row of a table.
func onlyRow(t *testing.T, f *Fold, table *Table) map[string]any {
	t.Helper()
	delta := f.Cut()
	defer delta.Release()
	var rows []map[string]any
	for _, r := range delta.Rows {
		if r.Table == table {
			text, err := r.Batch.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			dec := json.NewDecoder(bytes.NewReader(text))
			dec.UseNumber()
			if err := dec.Decode(&rows); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(rows) != 1 {
		t.Fatalf("%d rows of %s, want 1", len(rows), table.Name)
	}
	return rows[0]
}
