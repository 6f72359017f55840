package proof

import (
	"crypto/sha256"
	"fmt"
	"io"
	"strconv"

	"github.com/inferlake/inferlake/stream"
)

// ledger writes down what was sent, a JSON object a line and event in the order of sending: which
// record it was in and what it said. A dead line stands for a record that cannot be read.
type ledger struct {
	w      io.Writer
	record int64
	err    error
}

func (l *ledger) events(r *Record, events []*stream.Event) {
	for _, e := range events {
		l.line(r, func(b []byte) []byte { return stream.AppendJSON(append(b, `,"event":`...), e) })
	}
	l.record++
}

func (l *ledger) dead(r *Record) {
	l.line(r, func(b []byte) []byte { return append(b, `,"dead":1`...) })
	l.record++
}

func (l *ledger) line(r *Record, what func([]byte) []byte) {
	if l.w == nil || l.err != nil {
		return
	}
	b := AppendRecord([]byte{'{'}, r)
	b = append(b, `,"record":`...)
	b = strconv.AppendInt(b, l.record, 10)
	b = append(what(b), '}', '\n')
	_, l.err = l.w.Write(b)
}

// AppendRecord appends the members of a JSON object that tell a record from all others: where it went, when, its key and
// a fingerprint of its value.
func AppendRecord(b []byte, r *Record) []byte {
	b = append(b, `"topic":`...)
	b = strconv.AppendQuote(b, r.Topic)
	b = append(b, `,"partition":`...)
	b = strconv.AppendInt(b, int64(r.Partition), 10)
	b = append(b, `,"key":`...)
	b = strconv.AppendQuote(b, r.Key)
	b = append(b, `,"sent":`...)
	b = strconv.AppendInt(b, r.Timestamp, 10)
	sum := sha256.Sum256(r.Value)
	return fmt.Appendf(b, `,"value":"%x"`, sum[:12])
}
