package producer

import (
	"fmt"

	"github.com/inferlake/inferlake/stream"
)

// Encoding is how events are written into records.
type Encoding uint8

// The encodings.
const (
	Columns  Encoding = iota // many events a record, by column
	Protobuf                 // one event a record
	JSON                     // one event a record
)

func (c Encoding) String() string {
	switch c {
	case Columns:
		return "columns"
	case Protobuf:
		return "protobuf"
	case JSON:
		return "json"
	}
	return fmt.Sprintf("encoding %d", uint8(c))
}

func (c Encoding) contentType() string {
	switch c {
	case Protobuf:
		return stream.ContentProtobuf
	case JSON:
		return stream.ContentJSON
	}
	return stream.ContentColumns
}

// encoder collects events for one record.
type encoder interface {
	Add(e *stream.Event)
	Len() int  // events
	Size() int // bytes of the record so far, about
	AppendTo(dst []byte) []byte
	Reset()
}

// full reports whether events are enough for a record. Their size is asked for now and then: asking costs as much as
// adding an event.
func full(events encoder, most, bytes int) bool {
	n := events.Len()
	return n >= most || n%sizeEvery == 0 && events.Size() >= bytes
}

const sizeEvery = 8 // events

func (c Encoding) encoder() encoder {
	switch c {
	case Protobuf:
		return &single{encode: stream.AppendEvent}
	case JSON:
		return &single{encode: stream.AppendJSON}
	}
	return new(stream.ColumnsWriter)
}

// single is the encoder of one event a record.
type single struct {
	encode func(dst []byte, e *stream.Event) []byte
	buf    []byte
	n      int
}

func (s *single) Add(e *stream.Event) {
	s.buf = s.encode(s.buf, e)
	s.n++
}

func (s *single) Len() int                   { return s.n }
func (s *single) Size() int                  { return len(s.buf) }
func (s *single) AppendTo(dst []byte) []byte { return append(dst, s.buf...) }
func (s *single) Reset()                     { s.buf, s.n = s.buf[:0], 0 }

// ParseEncoding reads the name of an encoding, as String writes it.
func ParseEncoding(name string) (Encoding, error) {
	for c := Columns; c <= JSON; c++ {
		if c.String() == name {
			return c, nil
		}
	}
	return 0, fmt.Errorf("encoding %q is not known: use columns, protobuf or json", name)
}
