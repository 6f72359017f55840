package replay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/stream"
)

// readBench reads the per-request results of llmperf (an array of rows), of genai-bench (an object that holds one)
// and rows of either kind one a line. Latencies are the client's and go through as measured.
func readBench(f *file, each func(*Row) error) error {
	raw, unit, err := benchRows(f)
	if err != nil {
		return err
	}
	rows := make([]*Row, len(raw))
	for i, text := range raw {
		if rows[i], err = benchRow(f, int64(i+1), text, unit); err != nil {
			return err
		}
	}
	slices.SortStableFunc(rows, func(a, b *Row) int { return cmp.Compare(a.At, b.At) })
	for _, row := range sinceFirst(rows) {
		if err := each(row); err != nil {
			return err
		}
	}
	return nil
}

// sinceFirst makes times that are no dates, as those of a monotonic clock, count from the first row.
func sinceFirst(rows []*Row) []*Row {
	if len(rows) == 0 || rows[0].At == NoTime || rows[0].At >= datesFrom {
		return rows
	}
	first := rows[0].At
	for _, row := range rows {
		row.At -= first
	}
	return rows
}

// benchRows finds the rows of a file and the unit of their latencies in seconds.
func benchRows(f *file) (rows []json.RawMessage, unit float64, err error) {
	in := json.NewDecoder(f)
	for {
		var value json.RawMessage
		if err := in.Decode(&value); err == io.EOF {
			return rows, unit, nil
		} else if err != nil {
			return nil, 0, fmt.Errorf("%s: after %d rows: not JSON: %w", f.name, len(rows), err)
		}
		found, u, err := benchValue(value)
		if err != nil {
			return nil, 0, f.errorf(int64(len(rows)+1), "%w", err)
		}
		rows, unit = append(rows, found...), u
	}
}

// benchValue is the rows in one JSON value: an array of rows, a genai-bench report, or one row.
func benchValue(value json.RawMessage) (rows []json.RawMessage, unit float64, err error) {
	if bytes.HasPrefix(bytes.TrimSpace(value), []byte("[")) {
		err = json.Unmarshal(value, &rows)
		return rows, 1, err
	}
	var report struct {
		Rows []json.RawMessage `json:"individual_request_metrics"`
		Unit string            `json:"_time_unit"`
	}
	if err := json.Unmarshal(value, &report); err != nil {
		return nil, 0, fmt.Errorf("neither an array of rows, nor a report, nor a row: %w", err)
	}
	if report.Rows == nil {
		return []json.RawMessage{value}, 1, nil
	}
	unit, err = unitSeconds(report.Unit)
	return report.Rows, unit, err
}

func unitSeconds(name string) (float64, error) {
	switch name {
	case "", "s":
		return 1, nil
	case "ms":
		return 1e-3, nil
	}
	return 0, fmt.Errorf("_time_unit %q: must be s or ms", name)
}

// benchFields are the names that the two tools give to the same things; texts of answers and errors are not read.
type benchFields struct {
	Error   json.RawMessage `json:"error_code"`
	StartNs *int64          `json:"start_ns"`
	TTFT    *float64        `json:"ttft_s"`
	TTFT2   *float64        `json:"ttft"`
	E2E     *float64        `json:"end_to_end_latency_s"`
	E2E2    *float64        `json:"e2e_latency"`
	Prompt  *int64          `json:"number_input_tokens"`
	Prompt2 *int64          `json:"num_input_tokens"`
	Output  *int64          `json:"number_output_tokens"`
	Output2 *int64          `json:"num_output_tokens"`
}

func benchRow(f *file, n int64, text json.RawMessage, unit float64) (*Row, error) {
	var b benchFields
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, f.errorf(n, "not a row: %w", err)
	}
	row := newRow(n)
	if b.StartNs != nil {
		row.At = *b.StartNs
	}
	m := &Measured{Outcome: stream.OutcomeOK}
	if code := strings.Trim(string(b.Error), `"`); code != "" && code != "null" {
		m.Outcome, m.HTTPStatus = benchOutcome(code)
	}
	failed := m.Outcome != stream.OutcomeOK
	m.TTFT, m.E2E = latency(first(b.TTFT, b.TTFT2), unit, failed), latency(first(b.E2E, b.E2E2), unit, failed)
	row.Prompt, row.Output = tokens(first(b.Prompt, b.Prompt2), failed), tokens(first(b.Output, b.Output2), failed)
	row.Measured = m
	return row, nil
}

// benchOutcome maps an error code: an HTTP status, or the tool's own number, such as −100 of llmperf for an answer
// that came but is not counted.
func benchOutcome(code string) (o stream.Outcome, status int64) {
	n, err := strconv.ParseFloat(code, 64)
	if err == nil && n >= 100 && n <= 599 {
		status = int64(n)
	}
	switch status {
	case 429:
		return stream.OutcomeRejected, status
	case 408, 504:
		return stream.OutcomeTimeout, status
	case 499:
		return stream.OutcomeCancelled, status
	}
	return stream.OutcomeError, status
}

func first[T any](a, b *T) *T {
	if a != nil {
		return a
	}
	return b
}

// latency is a measured time in ns. A failed row that says 0 does not know.
func latency(v *float64, unit float64, failed bool) int64 {
	if v == nil || !(*v >= 0 && *v*unit < maxLatency) || failed && *v == 0 {
		return lifecycle.Unknown
	}
	return nanos(*v * unit)
}

func tokens(v *int64, failed bool) int64 {
	if v == nil || *v < 0 || *v > maxTokens || failed && *v == 0 {
		return lifecycle.Unknown
	}
	return *v
}
