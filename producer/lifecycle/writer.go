package lifecycle

import "github.com/inferlake/inferlake/stream"

// Writer numbers events and hands them on.
type Writer struct {
	producer, boot, source string

	emit   func(*stream.Event) error
	next   [lanes]int64 // number to give
	sent   [lanes]int64 // one more than the last number handed on
	event  stream.Event
	Events int64 // handed on

	// Mute takes numbers but hands nothing on: events that are left out keep their place.
	Mute bool
}

// NewWriter makes a writer. Emit gets one and the same event again and again: keep a copy, not the pointer.
func NewWriter(producer, boot, source string, emit func(*stream.Event) error) *Writer {
	return &Writer{producer: producer, boot: boot, source: source, emit: emit}
}

// Boot is the id of the run that speaks.
func (w *Writer) Boot() string { return w.boot }

// Begin starts an event of the kind, said on behalf of the instance at a time in ns since 1970. Send ends it.
func (w *Writer) Begin(kind stream.Kind, lane int64, in *Instance, at int64) *stream.Event {
	e := &w.event
	e.Reset(kind)
	e.SetText(stream.EventProducer, w.producer)
	e.SetText(stream.EventBoot, w.boot)
	e.SetInt(stream.EventLane, lane)
	e.SetText(stream.EventSource, w.source)
	e.SetText(stream.EventInstance, in.Name)
	e.SetInt(stream.EventRole, int64(in.Role))
	e.SetInt(stream.EventTimeUnixNano, at)
	e.SetInt(stream.EventSchemaVersion, 1)
	return e
}

// Send gives the event begun its number and hands it on.
func (w *Writer) Send() error {
	lane := w.event.Num(stream.EventLane)
	w.event.SetInt(stream.EventSeq, w.next[lane])
	w.next[lane]++
	if w.Mute {
		return nil
	}
	w.sent[lane] = w.next[lane]
	return w.SendUnnumbered()
}

// SendUnnumbered hands the event begun on as it is.
func (w *Writer) SendUnnumbered() error {
	w.Events++
	return w.emit(&w.event)
}

// Heartbeats says the last number of every lane that has any. They carry no number themselves: they speak of a
// lane, and may be repeated.
func (w *Writer) Heartbeats(in *Instance, at int64) error {
	for lane, sent := range w.sent {
		if sent == 0 {
			continue
		}
		e := w.Begin(stream.KindInstance, int64(lane), in, at)
		e.SetInt(stream.InstanceState, int64(stream.StateHeartbeat))
		e.SetInt(stream.InstanceLastSeq, sent-1)
		if err := w.SendUnnumbered(); err != nil {
			return err
		}
	}
	return nil
}

// Beat is a heartbeat of a boot on one lane, with a number of its own: on the lanes of requests it says that what an
// earlier boot of the instance left open there has no end.
func (w *Writer) Beat(in *Instance, lane, at int64) error {
	e := w.Begin(stream.KindInstance, lane, in, at)
	e.SetInt(stream.InstanceState, int64(stream.StateHeartbeat))
	e.SetInt(stream.InstanceLastSeq, w.next[lane])
	e.SetInt(stream.InstanceBootStartedUnixNano, in.Started)
	return w.Send()
}
