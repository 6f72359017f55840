package producer_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/inferlake/inferlake/producer"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
)

// An engine tells of one request, and a reader sees what it told.
func Example() {
	dir, err := os.MkdirTemp("", "inferlake")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	broker, err := embedded.Start(dir, embedded.Options{Partitions: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer broker.Close()
	brokers := kafka.Config{Brokers: broker.Addrs()}

	serve(brokers)
	printRequests(brokers)
	// Output:
	// 0 heartbeat
	// 1 received req-1
	// 2 scheduled req-1
	// 3 first_token req-1
	// 4 finished req-1: 3 tokens, 2 gaps between them
	// 5 stopped
}

// serve is what an engine does.
func serve(brokers kafka.Config) {
	client, err := producer.New(producer.Options{Kafka: brokers, Instance: "engine-1", Model: "llama-3-8b"})
	if err != nil {
		log.Fatal(err)
	}
	call := client.Begin(producer.Request{ID: "req-1", PromptTokens: producer.N(812)})
	call.Scheduled()
	for n := range int64(3) {
		call.Tokens(n + 1) // after each forward pass: the tokens so far
	}
	call.Finish(producer.Outcome{Reason: stream.ReasonStop, Status: producer.N(200)})

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := client.Close(ctx); err != nil {
		log.Fatal(err)
	}
}

func printRequests(brokers kafka.Config) {
	reader, err := kafka.NewReader(brokers, stream.TopicPartition{Topic: stream.TopicRequests})
	if err != nil {
		log.Fatal(err)
	}
	defer reader.Close()
	var decoder stream.Decoder
	for next := int64(0); next == 0; {
		fetch, err := reader.Read(context.Background(), next)
		if err != nil {
			log.Fatal(err)
		}
		for i := range fetch.Records {
			decoder.Decode(&fetch.Records[i], printEvent)
		}
		next = fetch.Next
	}
}

func printEvent(_ int32, e *stream.Event, _ stream.Reason) {
	seq := e.Num(stream.EventSeq)
	if e.Kind == stream.KindInstance {
		fmt.Println(seq, stream.Lifecycle(e.Num(stream.InstanceState)))
		return
	}
	phase := stream.Phase(e.Num(stream.RequestPhase))
	fmt.Print(seq, " ", phase, " ", e.Text(stream.RequestRequestID))
	if phase == stream.PhaseFinished {
		var gaps int64
		for _, n := range e.Ints(stream.RequestITLCount) {
			gaps += n
		}
		fmt.Printf(": %d tokens, %d gaps between them", e.Num(stream.RequestOutputTokens), gaps)
	}
	fmt.Println()
}
