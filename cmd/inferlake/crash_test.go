package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/cmd/inferlake/proof"
	"github.com/inferlake/inferlake/stream/kafka"
)

const (
	crashOpen   = 1000 // requests that must be open at each kill
	crashKills  = 30   // INFERLAKE_KILLS=N asks for another number
	crashSpeed  = 5    // seconds of the load's time in a second
	crashIdle   = 15 * time.Second
	crashExpiry = 2 * time.Minute
	crashMemory = time.Minute
)

// The full process is killed by signal 9 at random moments under load. What its warehouse says in the end is what an
// undisturbed fold of the same log under the same ledger says, and what the oracle computes from the load's ledger.
// Cases M32, M33, M35: positions are stored with the rows, and the client commits none by itself.
func TestKilledUnderLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	python := proof.Python(t)
	dir := t.TempDir()
	serve := &victim{t: t, program: buildProgram(t), data: filepath.Join(dir, "data"), port: freePort(t)}
	serve.start()
	load := startLoad(t, filepath.Join(dir, "ledger.jsonl"), serve.port)
	killAll(t, serve)
	t.Log(load.finish())
	answer := askOracle(t.Context(), python, load.ledger) // meanwhile
	serve.settle()
	killSettled(serve)
	serve.stop()

	crashed := openHouse(t, serve.data)
	again := refold(t, crashed, serve.data, filepath.Join(dir, "again"))
	compareViews(t, crashed, again)
	compareOracle(t, crashed, answer(t))
	crashed.close()
	serve.verify()
}

// askOracle begins to compute the answer and returns how to wait for it.
func askOracle(ctx context.Context, python, ledger string) func(*testing.T) proof.Rows {
	type answer struct {
		rows proof.Rows
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		rows, err := proof.Answer(ctx, python, ledger, fmt.Sprint("expiry=", crashExpiry.Seconds()), fmt.Sprint("closed=", crashMemory.Seconds()))
		done <- answer{rows, err}
	}()
	return func(t *testing.T) proof.Rows {
		a := <-done
		if a.err != nil {
			t.Fatal(a.err)
		}
		return a.rows
	}
}

// kills is how many kills are asked for.
func kills(t *testing.T) int {
	n := crashKills
	if more := os.Getenv("INFERLAKE_KILLS"); more != "" {
		var err error
		if n, err = strconv.Atoi(more); err != nil {
			t.Fatal("INFERLAKE_KILLS: ", err)
		}
	}
	return n
}

// killAll kills serve again and again: under load with enough requests open, and now and then while it starts.
func killAll(t *testing.T, serve *victim) {
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	least, early := int64(1<<62), 0
	for n := range kills(t) {
		if n%5 == 4 { // one more, whatever it is doing
			time.Sleep(time.Duration(rng.IntN(1500)) * time.Millisecond)
			serve.kill()
			serve.start()
			early++
		}
		open := serve.awaitOpen(crashOpen, time.Duration(rng.IntN(2000))*time.Millisecond)
		serve.kill()
		t.Logf("kill %d with %d requests open", n+1, open)
		least = min(least, open)
		serve.start()
	}
	t.Logf("%d kills with at least %d requests open, and %d kills of a process that had just begun", kills(t), least, early)
}

// killSettled kills serve when everything is written: the ticks that did it must hold.
func killSettled(serve *victim) {
	for range 2 {
		serve.kill()
		serve.start()
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
	}
}

// crashLoad sends a load in the background, at its own pace, whatever becomes of the broker.
type crashLoad struct {
	t      *testing.T
	load   *proof.Load
	writer *kafka.Writer
	ledger string
	file   *os.File
	buffer *bufio.Writer
	stop   chan struct{}
	done   chan error
	sent   int
}

func startLoad(t *testing.T, ledger string, port int) *crashLoad {
	file, err := os.Create(ledger)
	if err != nil {
		t.Fatal(err)
	}
	writer, err := kafka.NewWriter(t.Context(), kafka.Config{Brokers: []string{fmt.Sprint("127.0.0.1:", port)}}, kafka.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	l := &crashLoad{t: t, writer: writer, ledger: ledger, file: file, buffer: bufio.NewWriter(file), stop: make(chan struct{}), done: make(chan error, 1)}
	l.load = proof.NewLoad(proof.Options{Seed: 9}, l.buffer)
	go func() { l.done <- l.run(t.Context()) }()
	return l
}

// run steps the load, a step of its time a fraction of ours.
func (l *crashLoad) run(ctx context.Context) error {
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
			if err := l.send(ctx, l.load.Step()); err != nil {
				return err
			}
		}
	}
}

func (l *crashLoad) send(ctx context.Context, records []proof.Record) error {
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

func crashRules() aggregate.Rules {
	return aggregate.Rules{Expiry: crashExpiry, ClosedMemory: crashMemory}
}
