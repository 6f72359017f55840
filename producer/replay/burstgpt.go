package replay

import (
	"strconv"

	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/stream"
)

// readBurstGPT reads the traces of https://github.com/HPMLL/BurstGPT: times in seconds from local midnight. An
// answer of no tokens failed; how long that took is known where there is a column "Elapsed time". For answers that
// came, that column is the whole request on another server and is left aside: the model says their times.
func readBurstGPT(f *file, each func(*Row) error) error {
	t, err := openCSV(f, "Timestamp", "Request tokens", "Response tokens")
	if err != nil {
		return err
	}
	for {
		if more, err := t.next(); err != nil || !more {
			return err
		}
		row, err := burstRow(t)
		if err != nil {
			return err
		}
		if err := each(row); err != nil {
			return err
		}
	}
}

func burstRow(t *csvTable) (row *Row, err error) {
	row = newRow(t.line)
	if row.At, err = t.nanos("Timestamp"); err != nil {
		return nil, err
	}
	if row.Prompt, err = t.count("Request tokens"); err != nil {
		return nil, err
	}
	if row.Output, err = t.count("Response tokens"); err != nil {
		return nil, err
	}
	row.Model, row.Class = t.text("Model"), t.text("Log Type")
	if id, err := strconv.ParseInt(t.text("Session ID"), 10, 64); err == nil {
		row.Session = sessionHash("burstgpt", id)
	}
	if row.Output == 0 {
		row.Measured, err = burstFailure(t)
	}
	return row, err
}

func burstFailure(t *csvTable) (m *Measured, err error) {
	m = &Measured{TTFT: lifecycle.Unknown, E2E: lifecycle.Unknown, Outcome: stream.OutcomeError}
	if t.text("Elapsed time") == "" {
		return m, nil
	}
	seconds, err := t.number("Elapsed time")
	m.E2E = latency(&seconds, 1, true)
	return m, err
}
