package kafka

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/inferlake/inferlake/stream"
)

// poll takes what the client has fetched.
func (r *Reader) poll(ctx context.Context) {
	wait, cancel := context.WithTimeout(ctx, readWait)
	defer cancel()
	for _, f := range r.cl.PollFetches(wait) {
		for _, t := range f.Topics {
			for i := range t.Partitions {
				r.take(&t.Partitions[i])
			}
		}
	}
}

// take keeps the records of one fetched partition until the next Read.
func (r *Reader) take(p *kgo.FetchPartition) {
	if p.Err != nil && !errors.Is(p.Err, context.DeadlineExceeded) && !errors.Is(p.Err, context.Canceled) {
		r.err = p.Err
	}
	if len(p.Records) == 0 {
		return
	}
	r.held = append(r.held, p.Records...)
	r.span = bounds{p.LogStartOffset, p.HighWatermark}
	r.heard = time.Now()
}

// recycle gives the buffers of the last Read back.
func (r *Reader) recycle() {
	for i, k := range r.held {
		k.Recycle()
		r.held[i] = nil
	}
	r.held, r.out = r.held[:0], r.out[:0]
}

// fetch is what the records held mean for a reader at from.
func (r *Reader) fetch(from int64) stream.Fetch {
	f := stream.Fetch{Next: from, Start: r.span.start}
	if len(r.held) > 0 {
		f.Start = min(f.Start, r.held[0].Offset) // nothing is missing below what is here
	}
	f.Next = max(f.Next, f.Start)
	for _, k := range r.held {
		if k.Offset < f.Next {
			continue
		}
		f.Next = k.Offset + 1
		if !k.Attrs.IsControl() {
			r.out = append(r.out, record(k))
		}
	}
	f.Records = r.out
	f.End = max(r.span.end, f.Next)
	return f
}

func record(k *kgo.Record) stream.Record {
	return stream.Record{
		Offset:      k.Offset,
		Timestamp:   k.Timestamp.UnixNano(),
		Key:         k.Key,
		Value:       k.Value,
		ContentType: contentType(k.Headers),
	}
}

// contentType returns the header content-type, without an allocation for the known ones.
func contentType(headers []kgo.RecordHeader) string {
	for i := range headers {
		if headers[i].Key != contentTypeHeader {
			continue
		}
		switch string(headers[i].Value) {
		case stream.ContentColumns:
			return stream.ContentColumns
		case stream.ContentProtobuf:
			return stream.ContentProtobuf
		case stream.ContentJSON:
			return stream.ContentJSON
		}
		return string(headers[i].Value)
	}
	return ""
}

// listBounds asks for the first offset of a log and its high watermark.
func listBounds(ctx context.Context, adm *kadm.Client, tp stream.TopicPartition) (b bounds, err error) {
	starts, err := adm.ListStartOffsets(ctx, tp.Topic)
	if err != nil {
		return b, err
	}
	ends, err := adm.ListEndOffsets(ctx, tp.Topic)
	if err != nil {
		return b, err
	}
	if b.start, err = offsetOf(starts, tp); err != nil {
		return b, err
	}
	b.end, err = offsetOf(ends, tp)
	return b, err
}

func offsetOf(l kadm.ListedOffsets, tp stream.TopicPartition) (int64, error) {
	o, ok := l.Lookup(tp.Topic, tp.Partition)
	if !ok {
		return 0, errNoPartition
	}
	return o.Offset, o.Err
}
