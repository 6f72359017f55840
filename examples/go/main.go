// Command go sends one request to Inferlake as an engine would: received, scheduled, tokens, finished.
//
//	go run ./examples/go localhost:9092
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/inferlake/inferlake/producer"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
)

func main() {
	client, err := producer.New(producer.Options{Kafka: kafka.Config{Brokers: os.Args[1:]}, Instance: "example", Model: "llama-3-8b"})
	if err != nil {
		log.Fatal(err)
	}
	call := client.Begin(producer.Request{ID: "request-1", PromptTokens: producer.N(12)})
	call.Scheduled()
	for n := range int64(34) {
		time.Sleep(5 * time.Millisecond) // a forward pass
		call.Tokens(n + 1)               // the tokens so far
	}
	call.Finish(producer.Outcome{Reason: stream.ReasonStop, Status: producer.N(200)})

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := client.Close(ctx); err != nil {
		log.Fatal(err)
	}
}
