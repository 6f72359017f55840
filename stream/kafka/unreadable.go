package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/inferlake/inferlake/stream"
)

// A batch that cannot be unpacked would stop the client for ever: it is passed over. One that unpacks to more than the
// bound is known by the client's error. One that is broken is looked at once reading has failed a few times, or has been
// silent for long: the fault may lie with the network, so the batch itself is fetched and judged.
const failuresBeforeLook = 3

// unreadable says whether the batch at from is why reading fails, and where the log goes on after it.
func (r *Reader) unreadable(ctx context.Context, from int64, err error) (next int64, why stream.Reason) {
	var big *kgo.ErrDecompressTooLarge
	if errors.As(err, &big) && big.NextOffset > from {
		return big.NextOffset, stream.ReasonTooLarge
	}
	if r.cl == nil || r.fails < failuresBeforeLook && !errors.Is(err, errSilent) {
		return 0, stream.Accepted
	}
	p, err := r.fetchRaw(ctx, from)
	if err != nil {
		return 0, stream.Accepted
	}
	if next, broken := judgeBatch(p, from, r.span.end); broken {
		return next, stream.ReasonMalformed
	}
	return 0, stream.Accepted
}

// passOver is the fetch of a batch that ends at next and cannot be read. The client, which may have stopped at it, is
// replaced.
func (r *Reader) passOver(next int64, why stream.Reason) stream.Fetch {
	r.Close()
	r.err, r.fails = nil, 0
	r.out = append(r.out[:0], stream.Record{Offset: next - 1, Refused: why})
	return stream.Fetch{Records: r.out, Next: next, Start: r.span.start, End: max(r.span.end, next)}
}

// fetchRaw fetches what the broker holds at from as it is.
func (r *Reader) fetchRaw(ctx context.Context, from int64) (*kmsg.FetchResponseTopicPartition, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	meta, err := r.adm.Metadata(ctx, r.tp.Topic)
	if err != nil {
		return nil, err
	}
	topic := meta.Topics[r.tp.Topic]
	leader := topic.Partitions[r.tp.Partition].Leader

	partition := kmsg.NewFetchRequestTopicPartition()
	partition.Partition, partition.FetchOffset, partition.PartitionMaxBytes = r.tp.Partition, from, fetchBytes
	asked := kmsg.NewFetchRequestTopic()
	asked.Topic, asked.TopicID, asked.Partitions = r.tp.Topic, topic.ID, append(asked.Partitions, partition)
	request := kmsg.NewPtrFetchRequest()
	request.MaxWaitMillis, request.MinBytes, request.MaxBytes = 100, 1, fetchBytes
	request.Topics = append(request.Topics, asked)

	answer, err := r.cl.Broker(int(leader)).RetriableRequest(ctx, request)
	if err != nil {
		return nil, err
	}
	for _, t := range answer.(*kmsg.FetchResponse).Topics {
		for i := range t.Partitions {
			return &t.Partitions[i], kerr.ErrorForCode(t.Partitions[i].ErrorCode)
		}
	}
	return nil, fmt.Errorf("the broker said nothing of %s/%d", r.tp.Topic, r.tp.Partition)
}

// The head of a batch: its first offset, its length after that, …, the format's number, …, the last offset less the first.
const (
	headLength    = 8
	headFormat    = 16
	headLastDelta = 23
	headBytes     = 27
)

// judgeBatch reads the first batch of an answer by itself. A broken one ends where its head says; where that cannot be,
// right after from.
func judgeBatch(p *kmsg.FetchResponseTopicPartition, from, end int64) (next int64, broken bool) {
	b := p.RecordBatches
	if len(b) < headBytes {
		return 0, false
	}
	length := int64(int32(binary.BigEndian.Uint32(b[headLength:]))) + headLength + 4
	if length > int64(len(b)) {
		return 0, false // not here as a whole
	}
	next = int64(binary.BigEndian.Uint64(b)) + int64(int32(binary.BigEndian.Uint32(b[headLastDelta:]))) + 1
	if length < headBytes || b[headFormat] < 2 || next <= from || next > end {
		next, length = from+1, max(length, headBytes)
	}
	one := *p
	one.RecordBatches = b[:length]
	read, reached := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{KeepControlRecords: true, Offset: from,
		Topic: "judged", Partition: p.Partition}, &one, kgo.DefaultDecompressor(), nil)
	return next, read.Err != nil || reached <= from
}
