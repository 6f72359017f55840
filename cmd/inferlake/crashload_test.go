package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/inferlake/inferlake/cmd/inferlake/proof"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/kafkatest"
)

// crashLoad sends a load in the background, at its own pace, whatever becomes of the broker.
type crashLoad struct {
	t            *testing.T
	mu           sync.Mutex // of load
	load         *proof.Load
	writer       *kafka.Writer
	marked       *kafkatest.Transactions
	broker       string
	transactions bool
	ledger       string
	file         *os.File
	buffer       *bufio.Writer
	stop         chan struct{}
	done         chan error
	sent         int
}

func startLoad(t *testing.T, ledger string, broker string, transactions bool) *crashLoad {
	file, err := os.Create(ledger)
	if err != nil {
		t.Fatal(err)
	}
	writer, err := kafka.NewWriter(t.Context(), kafka.Config{Brokers: []string{broker}}, kafka.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	l := &crashLoad{t: t, broker: broker, writer: writer, marked: &kafkatest.Transactions{Broker: broker, Name: "load"}, transactions: transactions,
		ledger: ledger, file: file, buffer: bufio.NewWriter(file), stop: make(chan struct{}), done: make(chan error, 1)}
	l.load = proof.NewLoad(proof.Options{Seed: 9, Classes: 3 * crashNames, Repeats: 0.02, Memory: crashMemory.Seconds()}, l.buffer)
	go func() { l.done <- l.run(t.Context()) }()
	return l
}

// run steps the load, a step of its time a fraction of ours.
func (l *crashLoad) run(ctx context.Context) error {
	defer l.marked.Close()
	begun := time.Now()
	for {
		select {
		case <-l.stop:
			return l.send(ctx, l.load.Finish())
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
		for l.load.Now()-proof.Start < crashSpeed*time.Since(begun).Nanoseconds() {
			if err := l.send(ctx, l.step()); err != nil {
				return err
			}
		}
	}
}

func (l *crashLoad) step() []proof.Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.load.Step()
}

// conditions are what makes this moment a hard one, and how many transactions were committed a moment ago.
func (l *crashLoad) conditions() (proof.Conditions, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.load.Conditions(crashExpiry.Nanoseconds()), l.marked.Recent()
}

// send sends the records in order: now and then in a transaction, before which all that was sent before is acknowledged.
func (l *crashLoad) send(ctx context.Context, records []proof.Record) error {
	if l.transactions && l.marked.Due() && len(records) > 0 {
		if err := l.writer.Flush(ctx); err != nil {
			return err
		}
		l.sent += len(records)
		return l.marked.Send(ctx, placed(records))
	}
	for i := range records {
		r := &records[i]
		l.sent++
		err := l.writer.Send(ctx, kafka.Message{Topic: r.Topic, Key: []byte(r.Key), Value: r.Value, ContentType: r.ContentType, Timestamp: time.Unix(0, r.Timestamp)})
		if err != nil {
			return err
		}
	}
	return nil
}

// placed are the records with the partitions that the product's writer would choose.
func placed(records []proof.Record) (all []kafkatest.Record) {
	for i := range records {
		r := &records[i]
		all = append(all, kafkatest.Record{Topic: r.Topic, Partition: r.Partition, Key: []byte(r.Key), Value: r.Value,
			ContentType: r.ContentType, Timestamp: time.Unix(0, r.Timestamp)})
	}
	return all
}

// finish sends what is on its way and waits until the broker has it.
func (l *crashLoad) finish() string {
	close(l.stop)
	if err := <-l.done; err != nil {
		l.t.Fatal("the load could not be sent: ", err)
	}
	ctx, cancel := context.WithTimeout(l.t.Context(), time.Minute)
	defer cancel()
	if err := l.writer.Close(ctx); err != nil {
		l.t.Fatal(err)
	}
	if err := l.load.Err(); err != nil {
		l.t.Fatal(err)
	}
	if err := l.buffer.Flush(); err != nil {
		l.t.Fatal(err)
	}
	if err := l.file.Close(); err != nil {
		l.t.Fatal(err)
	}
	return fmt.Sprintf("%d records sent, %v of the load's time", l.sent, time.Duration(l.load.Now()-proof.Start))
}
