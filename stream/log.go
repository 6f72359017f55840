package stream

import (
	"context"
	"slices"
)

// TopicPartition names one log.
type TopicPartition struct {
	Topic     string
	Partition int32
}

// Position is the place of an event on its log: the record's offset and the event's index in the record.
type Position struct {
	Offset int64
	Index  int32
}

// Record is one record of a log. Its bytes belong to the log and are valid until the next Read.
type Record struct {
	Offset      int64
	Timestamp   int64 // ns since 1970 UTC, as the producer or broker stamped it
	Key         []byte
	Value       []byte
	ContentType string // header content-type; "" takes the topic's default
	Refused     Reason // why the log cannot give what it holds here; there is no value then
}

// Fetch is what one Read returned: the records of [from, Next) that carry data.
type Fetch struct {
	Records []Record
	Next    int64 // one past the last offset the log accounted for; at least from
	End     int64 // high watermark: one past the last readable offset
	Start   int64 // first offset the log still has; above from when retention passed the position
}

// clone is the fetch with bytes of its own.
func (f Fetch) clone() Fetch {
	f.Records = slices.Clone(f.Records)
	for i := range f.Records {
		r := &f.Records[i]
		r.Key, r.Value = slices.Clone(r.Key), slices.Clone(r.Value)
	}
	return f
}

// Log reads one partition. Read returns what is there at or after from, waiting a short while when nothing is.
// An error that the caller may retry is returned as it is; the log recovers by itself.
type Log interface {
	Read(ctx context.Context, from int64) (Fetch, error)
}
