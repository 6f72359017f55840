package producer

import (
	"fmt"
	"time"

	"github.com/inferlake/inferlake/stream"
)

// Value is one field of a sample.
type Value struct {
	field stream.Field
	typ   func(stream.Type) bool
	set   func(*stream.Event)
}

// Int is a number: a count, a level, ns, or an enum's value.
func Int(f stream.Field, v int64) Value {
	return Value{f, isNumber, func(e *stream.Event) { e.SetInt(f, v) }}
}

// Ratio is a share, 0 to 1.
func Ratio(f stream.Field, v float64) Value {
	return Value{f, isRatio, func(e *stream.Event) { e.SetInt(f, int64(v*1e6+0.5)) }}
}

// Text is a name; "" is left out.
func Text(f stream.Field, s string) Value {
	return Value{f, isText, func(e *stream.Event) { setText(e, f, s) }}
}

// Texts is a list of names.
func Texts(f stream.Field, s ...string) Value {
	return Value{f, isTexts, func(e *stream.Event) { e.SetTexts(f, s) }}
}

// Ints is a list of numbers.
func Ints(f stream.Field, v ...int64) Value {
	return Value{f, isInts, func(e *stream.Event) { e.SetInts(f, v) }}
}

func isNumber(t stream.Type) bool { return t < stream.Text && t != stream.Ratio }
func isRatio(t stream.Type) bool  { return t == stream.Ratio }
func isText(t stream.Type) bool   { return t == stream.Text }
func isTexts(t stream.Type) bool  { return t == stream.Texts }
func isInts(t stream.Type) bool   { return t == stream.Ints }

// check refuses a field of another message or type.
func (v Value) check(kind stream.Kind) error {
	if int(v.field) >= len(stream.Fields) {
		return fmt.Errorf("field %d is not known", v.field)
	}
	info := &stream.Fields[v.field]
	if info.Message != kind && (info.Message != stream.Envelope || v.field != stream.EventDPIndex) {
		return fmt.Errorf("field %s does not belong to this sample", info.Name)
	}
	if !v.typ(info.Type) {
		return fmt.Errorf("field %s takes a value of another type", info.Name)
	}
	return nil
}

// Engine tells what the engine looks like: fields stream.Engine…. An error names a field that is not one of them.
func (c *Client) Engine(values ...Value) error {
	return c.engines.sample(stream.KindEngine, values)
}

// Step tells of forward passes: fields stream.Step….
func (c *Client) Step(values ...Value) error { return c.engines.sample(stream.KindStep, values) }

// GPU tells what a GPU looks like: fields stream.GPU….
func (c *Client) GPU(values ...Value) error { return c.gpus.sample(stream.KindGPU, values) }

// Fault tells of a GPU's fault: fields stream.Fault….
func (c *Client) Fault(values ...Value) error { return c.gpus.sample(stream.KindFault, values) }

// Instance tells what the instance entered, with its limits and its place: fields stream.Instance….
func (c *Client) Instance(state stream.Lifecycle, values ...Value) error {
	about := []Value{
		Int(stream.InstanceState, int64(state)),
		Int(stream.InstanceBootStartedUnixNano, c.start.UnixNano()),
		Text(stream.InstanceModel, c.o.Model),
		Text(stream.InstanceModelVersion, c.o.ModelVersion),
	}
	return c.infra.sample(stream.KindInstance, append(about, values...))
}

func (l *line) sample(kind stream.Kind, values []Value) error {
	for _, v := range values {
		if err := v.check(kind); err != nil {
			return fmt.Errorf("cannot send the sample: %w", err)
		}
	}
	now := time.Now()
	e := l.open(kind, now)
	for _, v := range values {
		v.set(e)
	}
	l.commit(now)
	return nil
}
