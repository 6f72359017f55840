package aggregate

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/inferlake/inferlake/stream"
)

// request writes a request's row, in the order of requestTable.
func (o *output) request(log stream.TopicPartition, r *Request) {
	w := o.of(Requests)
	w.place(log, r.place)
	w.text(r.id.producer)
	w.text(r.id.boot)
	w.text(r.id.source)
	w.text(r.id.instance)
	w.int(r.id.dpIndex)
	w.text(r.id.role.String())
	w.int(r.id.life)
	w.known(r.stepFirst, r.stepFirst != 0)
	w.known(r.stepLast, r.stepLast != 0)
	first := w.col
	for _, f := range [...]stream.Field{stream.RequestRequestID, stream.RequestAttempt, stream.RequestChoice, stream.RequestOrdinal,
		stream.RequestReceivedUnixNano} {
		r.cell(w, first, f)
	}
	for half, word := range r.set {
		for ; word != 0; word &= word - 1 {
			if i := half<<6 + bits.TrailingZeros64(word); i != receivedIndex {
				r.cell(w, first, requestFirst+stream.Field(i))
			}
		}
	}
	w.col = first + len(rowFields)
	w.known(r.outputSeen, r.outputSeen > 0)
	for _, duration := range []func() (int64, bool){r.ttft, r.queueTime, r.restTime, r.prefillTime, r.decodeTime, r.e2e} {
		d, ok := duration()
		w.known(d, ok && r.flags&FlagSpan == 0)
	}
	w.int(int64(r.flags))
	w.bool(r.late, true)
	w.int(r.events)
	w.int(r.revision)
	w.end()
}

// rowFields are the fields of the contract on a request's row.
var rowFields = requestRowFields()

func requestRowFields() (fs []stream.Field) {
	for _, f := range stream.FieldsOf(stream.KindRequest) {
		if keptOnRow(f) {
			fs = append(fs, f)
		}
	}
	return fs
}

// rowColumns are the places of a request's fields among rowFields, by index from requestFirst; −1: not on the row.
var rowColumns = requestRowColumns()

func requestRowColumns() (c [requestFields]int8) {
	for i := range c {
		c[i] = int8(slices.Index(rowFields, requestFirst+stream.Field(i)))
	}
	return c
}

const receivedIndex = int(stream.RequestReceivedUnixNano - requestFirst)

// cell writes one field of the merged record into its column, counted from first.
func (r *Request) cell(w *rows, first int, f stream.Field) {
	column := rowColumns[index(f)]
	if column < 0 {
		return
	}
	w.col = first + int(column)
	info := &stream.Fields[f]
	switch {
	case f == stream.RequestRequestID:
		w.text(r.id.requestID)
	case f == stream.RequestAttempt:
		w.int(r.id.attempt)
	case f == stream.RequestChoice:
		w.int(r.id.choice)
	case f == stream.RequestOrdinal:
		w.known(r.id.ordinal, r.id.ordinal != 0)
	case f == stream.RequestReceivedUnixNano:
		w.time(r.received())
	case info.Type == stream.Text:
		w.text(r.textOf(f))
	case info.Type == stream.Enum:
		w.text(info.Enum.Name(r.count(f)))
	case info.Type == stream.Time:
		w.time(r.value(f))
	case info.Type == stream.Bool:
		v, ok := r.value(f)
		w.bool(v != 0, ok)
	default:
		w.known(r.value(f))
	}
}

// sampleTables are the tables of samples by kind.
var sampleTables = map[stream.Kind]*Table{
	stream.KindEngine: EngineSamples, stream.KindStep: StepRuns, stream.KindGPU: GPUSamples, stream.KindFault: GPUFaults,
	stream.KindNode: NodeSamples, stream.KindKube: KubeSamples, stream.KindInstance: InstanceEvents,
}

// fieldsOfKind are a kind's fields, in the order of its table.
var fieldsOfKind = fieldsByKind()

func fieldsByKind() map[stream.Kind][]stream.Field {
	m := map[stream.Kind][]stream.Field{}
	for kind := range sampleTables {
		m[kind] = stream.FieldsOf(kind)
	}
	return m
}

// sample writes a sample's row, in the order of sampleTable.
func (o *output) sample(log stream.TopicPartition, e *stream.Event, at stream.Position) {
	o.spoken(sampleTables[e.Kind], log, e, at, fieldsOfKind[e.Kind])
}

// spoken writes an event as it came: where it lies, who speaks, when, and some of its fields.
func (o *output) spoken(t *Table, log stream.TopicPartition, e *stream.Event, at stream.Position, fields []stream.Field) {
	w := o.of(t)
	w.place(log, at)
	w.text(e.Text(stream.EventProducer))
	w.text(e.Text(stream.EventBoot))
	w.text(e.Text(stream.EventSource))
	w.text(e.Text(stream.EventInstance))
	w.int(e.Num(stream.EventDPIndex))
	w.text(stream.RoleNames.Name(e.Num(stream.EventRole)))
	w.time(e.Int(stream.EventTimeUnixNano))
	for _, f := range fields {
		w.field(e, f)
	}
	w.end()
}

// field writes a field of an event as it was said.
func (w *rows) field(e *stream.Event, f stream.Field) {
	info := &stream.Fields[f]
	switch info.Type {
	case stream.Text:
		w.text(e.Text(f))
	case stream.Enum:
		w.text(info.Enum.Name(e.Num(f)))
	case stream.Time:
		w.time(e.Int(f))
	case stream.Bool:
		v, ok := e.Int(f)
		w.bool(v != 0, ok)
	case stream.Ints:
		w.ints(e.Ints(f))
	case stream.Texts:
		w.texts(e.Texts(f))
	default:
		w.known(e.Int(f))
	}
}

// base is the level of the windows that the fold writes, seconds.
const base = WindowNS / 1_000_000_000

// emit writes the windows that end by end and starts new deltas for them.
func (w *windows) emit(end int64, out *output) {
	var keys []windowKey
	for k := range w.deltas {
		if k.start <= end-WindowNS {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b windowKey) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.dims, b.dims))
	})
	for _, k := range keys {
		out.window(k, w.dims[k.dims], w.deltas[k])
		delete(w.deltas, k)
	}
	w.last = nil
}

// window writes a window's sums and sketches, leaving out what did not change.
func (o *output) window(k windowKey, d dims, delta *windowDelta) {
	if slices.ContainsFunc(delta.sums, func(v int64) bool { return v != 0 }) {
		w := o.of(RequestWindows)
		w.window(k.start)
		w.dims(d)
		for _, v := range delta.sums {
			w.int(v)
		}
		w.end()
	}
	for i := range delta.sketches {
		if s := &delta.sketches[i]; !s.empty() {
			o.sketch(k, d, distributionName(i), s)
		}
	}
}

func distributionName(i int) string {
	if i == len(Distributions) {
		return ITL
	}
	return Distributions[i].Name
}

func (o *output) sketch(k windowKey, d dims, name string, s *Sketch) {
	w := o.of(RequestSketch)
	w.window(k.start)
	w.dims(d)
	w.text(name)
	w.int(s.N)
	w.int(s.Zero)
	w.int(s.Total)
	w.known(s.Min, s.seen)
	w.known(s.Max, s.seen)
	idx, cnt := s.buckets()
	w.ints(idx)
	w.ints(cnt)
	w.end()
}

func (w *rows) window(start int64) {
	w.time(start, true)
	w.int(base)
}

func (w *rows) dims(d dims) {
	w.text(d.role)
	w.text(d.instance)
	w.text(d.model)
	w.text(d.version)
	w.text(d.adapter)
	w.text(d.requestClass)
}

// emit writes the lanes that changed since the last cut.
func (c *coverage) emit(log stream.TopicPartition, out *output) {
	for _, l := range c.changed {
		l.changed = false
		out.lane(log, l)
	}
	c.changed = c.changed[:0]
}

func (o *output) lane(log stream.TopicPartition, l *lane) {
	w := o.of(Coverage)
	w.text(log.Topic)
	w.int(int64(log.Partition))
	w.text(l.producer)
	w.text(l.boot)
	w.int(l.lane)
	w.text(l.source)
	w.text(l.instance)
	n := len(l.runs)
	if n > 0 {
		w.int(l.runs[0].from)
		w.int(l.runs[n-1].to - 1)
	} else {
		w.known(0, false)
		w.known(0, false)
	}
	w.known(l.announced, l.announced >= 0)
	w.int(l.received)
	w.int(l.duplicates)
	w.int(l.heartbeats)
	w.int(int64(max(n-1, 0)) + l.bridged)
	w.time(l.firstAt, l.firstAt != 0)
	w.time(l.lastAt, l.lastAt != 0)
	w.bool(l.stopped, true)
	w.ints(l.pairs())
	w.end()
}
