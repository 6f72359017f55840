package main

import (
	"bufio"
	"context"
	"os"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/inferlake/inferlake/cmd/inferlake/proof"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka/kafkatest"
)

// writeLog lists the records that the log holds, in its order, for the oracle. After a broker's death it need not be the
// order of sending, and a record whose acknowledgement died with the broker may be there twice.
func writeLog(ctx context.Context, brokers []string, path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	err = kafkatest.Log(ctx, brokers, stream.Topics, func(r *kgo.Record) {
		sent := proof.Record{Topic: r.Topic, Partition: r.Partition, Key: string(r.Key), Timestamp: r.Timestamp.UnixNano(), Value: r.Value}
		w.Write(append(proof.AppendRecord([]byte{'{'}, &sent), '}', '\n'))
	})
	if err != nil {
		return err
	}
	return w.Flush()
}
