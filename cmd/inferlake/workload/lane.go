package workload

import (
	"fmt"
	"time"

	"github.com/inferlake/inferlake/stream"
)

// lane is where sequence numbers are contiguous: the events of its next record.
type lane struct {
	key     []byte
	seq     int64
	columns *stream.ColumnsWriter
	at      int64 // of the last event sent

	partition int32
	events    int64     // since the last record
	opened    time.Time // when the first of them was made
}

// Last tells of the record that is being sent: its partition, when its first event was made, and its events.
func (w *Workload) Last() (partition int32, first time.Time, events int64) {
	return w.last.partition, w.last.opened, w.last.events
}

func (w *Workload) makeLanes() {
	for i := range w.lanes {
		w.lanes[i].key = fmt.Appendf(nil, "%s/%d", w.names.producer[i], w.names.lane[i])
		w.lanes[i].columns = new(stream.ColumnsWriter)
		w.lanes[i].partition = int32(i % Partitions)
	}
}

// emit sends one moment, with columns once its lane's record is full.
func (w *Workload) emit(r *request, phase int, send func(stream.Record) error) error {
	l, e := &w.lanes[r.instance], &w.event
	w.tell(e, r, phase)
	e.SetInt(stream.EventSeq, l.seq)
	l.seq++
	l.at = w.now
	w.events++
	w.sent[r.number] |= 1 << phase
	if l.events++; l.events == 1 {
		l.opened = time.Now()
	}
	switch w.o.Encoding {
	case "protobuf":
		return w.record(l, stream.AppendEvent(nil, e), stream.ContentProtobuf, send)
	case "json":
		return w.record(l, stream.AppendJSON(nil, e), stream.ContentJSON, send)
	}
	if l.columns.Add(e); l.columns.Len() < w.o.Batch {
		return nil
	}
	return w.cut(l, send)
}

func (w *Workload) cut(l *lane, send func(stream.Record) error) error {
	value := l.columns.AppendTo(nil)
	l.columns.Reset()
	return w.record(l, value, stream.ContentColumns, send)
}

func (w *Workload) record(l *lane, value []byte, content string, send func(stream.Record) error) error {
	w.bytes += int64(len(value))
	w.last = *l
	l.events = 0
	return send(stream.Record{Timestamp: l.at, Key: l.key, Value: value, ContentType: content})
}

// flush sends what waits.
func (w *Workload) flush(send func(stream.Record) error) error {
	for i := range w.lanes {
		if l := &w.lanes[i]; l.columns.Len() > 0 {
			if err := w.cut(l, send); err != nil {
				return err
			}
		}
	}
	return nil
}
