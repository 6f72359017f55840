package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/inferlake/inferlake/sql"
	"github.com/inferlake/inferlake/warehouse"
)

// legKey names a request's leg on an engine.
type legKey struct {
	id, instance string
	attempt      int64
}

// legCost is GPU time, ns, and what of it is for the prompt.
type legCost struct {
	input, all float64
	class      string
}

// costTruth is what requests truly took.
type costTruth struct {
	requests    map[legKey]legCost
	preemptions int64
}

// costError is how far a method is off: of single requests, of the sum of its worst class of requests, and of the share of input, in
// points of 1.
type costError struct {
	Method string  `json:"method"`
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
	Group  float64 `json:"worst_group"`
	Input  float64 `json:"input_share"`
}

// readTruth reads the simulator's ledger. A leg that took no GPU time is left out.
func readTruth(r io.Reader) (*costTruth, error) {
	t := &costTruth{requests: map[legKey]legCost{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row struct {
			Row         string
			Instance    string
			RequestID   string `json:"request_id"`
			Attempt     int64
			Class       string  `json:"request_class"`
			Preemptions int64   `json:"preemptions"`
			All         float64 `json:"gpu_ns"`
			Decode      float64 `json:"decode_ns"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("cannot read the truth: %w", err)
		}
		if row.Row == "request" && row.All > 0 {
			t.requests[legKey{row.RequestID, row.Instance, row.Attempt}] = legCost{row.All - row.Decode, row.All, row.Class}
			t.preemptions += row.Preemptions
		}
	}
	return t, lines.Err()
}

func (t *costTruth) sum() (s legCost) {
	for _, c := range t.requests {
		s.input, s.all = s.input+c.input, s.all+c.all
	}
	return s
}

func (t *costTruth) inputShare() float64 {
	s := t.sum()
	return s.input / s.all
}

// compare measures what a method said against the truth. A request of which it said nothing is wholly wrong.
func (t *costTruth) compare(method string, said map[legKey]legCost) costError {
	var errors []float64
	groups, truly := map[string]float64{}, map[string]float64{}
	var sum legCost
	for key, is := range t.requests {
		s := said[key]
		errors = append(errors, math.Abs(s.all/is.all-1))
		groups[is.class] += s.all
		truly[is.class] += is.all
		sum.input, sum.all = sum.input+s.input, sum.all+s.all
	}
	slices.Sort(errors)
	e := costError{Method: method, Median: quantile(errors, 0.5), P95: quantile(errors, 0.95), Input: sum.input/sum.all - t.inputShare()}
	for class, all := range truly {
		e.Group = max(e.Group, math.Abs(groups[class]/all-1))
	}
	return e
}

// quantile is the nearest rank of sorted values.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}

// attributedTo reads what the warehouse says requests took.
func attributedTo(ctx context.Context, house *warehouse.Warehouse) (map[legKey]legCost, error) {
	rows, err := house.Rows(ctx, sql.Statement("attributed_requests"), nil)
	if err != nil {
		return nil, err
	}
	said := map[legKey]legCost{}
	for _, row := range rows {
		said[keyOf(row)] = legCost{input: row["input_ns"].(float64), all: row["gpu_ns"].(float64)}
	}
	return said, nil
}

func keyOf(row map[string]any) legKey {
	attempt, _ := row["attempt"].(int64)
	id, _ := row["request_id"].(string)
	instance, _ := row["instance"].(string)
	return legKey{id, instance, attempt}
}
