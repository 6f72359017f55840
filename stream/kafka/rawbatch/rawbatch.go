// Package rawbatch sends record batches as no client would write them, for tests: the broker looks at a batch's head and
// checksum only, and the reader must live with what is inside. There is one noun, Batch.
package rawbatch

import (
	"context"
	"hash/crc32"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/inferlake/inferlake/stream"
)

// The codecs of a batch's records.
const (
	None = 0
	Gzip = 1
	Zstd = 4
)

// Batch claims to hold Count records, packed with Codec.
type Batch struct {
	Codec   int16
	Count   int32
	Records []byte
}

// Bomb is a batch of one record whose few kB unpack to size zeros.
func Bomb(size int64) (Batch, error) {
	var packed writer
	z, err := zstd.NewWriter(&packed)
	if err != nil {
		return Batch{}, err
	}
	if _, err := io.CopyN(z, zeros{}, size); err != nil {
		return Batch{}, err
	}
	return Batch{Zstd, 1, packed}, z.Close()
}

type writer []byte

func (w *writer) Write(p []byte) (int, error) { *w = append(*w, p...); return len(p), nil }

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Send appends the batch to a partition.
func (b Batch) Send(ctx context.Context, brokers []string, tp stream.TopicPartition) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	if err != nil {
		return err
	}
	defer cl.Close()
	meta, err := kadm.NewClient(cl).Metadata(ctx, tp.Topic)
	if err != nil {
		return err
	}
	topic := meta.Topics[tp.Topic]

	partition := kmsg.NewProduceRequestTopicPartition()
	partition.Partition, partition.Records = tp.Partition, b.encode(time.Now())
	to := kmsg.NewProduceRequestTopic()
	to.Topic, to.TopicID, to.Partitions = tp.Topic, topic.ID, append(to.Partitions, partition)
	request := kmsg.NewPtrProduceRequest()
	request.Acks, request.TimeoutMillis, request.Topics = -1, 5000, append(request.Topics, to)

	answer, err := cl.Broker(int(topic.Partitions[tp.Partition].Leader)).Request(ctx, request)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(answer.(*kmsg.ProduceResponse).Topics[0].Partitions[0].ErrorCode)
}

// encode writes the batch with a right head and checksum.
func (b Batch) encode(at time.Time) []byte {
	const checked = 21 // the checksum is of what follows it
	m := kmsg.RecordBatch{PartitionLeaderEpoch: -1, Magic: 2, Attributes: b.Codec, LastOffsetDelta: b.Count - 1, NumRecords: b.Count,
		FirstTimestamp: at.UnixMilli(), MaxTimestamp: at.UnixMilli(), ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1, Records: b.Records}
	m.Length = int32(len(m.AppendTo(nil)) - 12)
	m.CRC = int32(crc32.Checksum(m.AppendTo(nil)[checked:], crc32.MakeTable(crc32.Castagnoli)))
	return m.AppendTo(nil)
}
