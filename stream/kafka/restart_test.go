package kafka_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
)

// runBroker is the program of the child: a broker that says its address and waits to be killed.
func runBroker(dir string) {
	b, err := embedded.Start(dir, embedded.Options{})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	fmt.Println(b.Addrs()[0])
	time.Sleep(time.Minute)
}

func startChild(t *testing.T, dir string) (addr string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() { cmd.Process.Kill(); cmd.Wait() }
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || strings.HasPrefix(line, "error") {
		t.Fatalf("child: %s %v", line, err)
	}
	return strings.TrimSpace(line), kill
}

func TestAKilledBrokerKeepsWhatItAcknowledged(t *testing.T) {
	dir := t.TempDir()
	var total int
	var id stream.LogID
	for range 3 {
		addr, kill := startChild(t, dir)
		id = sameLog(t, kafka.Config{Brokers: []string{addr}}, id)
		w := newWriter(t, kafka.Config{Brokers: []string{addr}})
		send(t, w, total, 1000)
		total += 1000
		kill()
	}
	b, err := embedded.Start(dir, embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	conf := kafka.Config{Brokers: b.Addrs()}
	sameLog(t, conf, id)
	rows, _ := readTo(t, newReader(t, conf, partitionOf(t, conf)), 0, int64(total))
	for i, r := range rows {
		if r != (row{int64(i), fmt.Sprint(i)}) {
			t.Fatalf("row %d is %v", i, r)
		}
	}
	if len(rows) != total {
		t.Fatalf("%d rows of %d", len(rows), total)
	}
}

// sameLog checks that the broker's topic has the ids it had, if any.
func sameLog(t *testing.T, conf kafka.Config, had stream.LogID) stream.LogID {
	t.Helper()
	id, err := newReader(t, conf, requests0).Identify(t.Context())
	if err != nil || id.Cluster == "" || id.TopicID == "" || had != (stream.LogID{}) && id != had {
		t.Errorf("the log is %+v, and was %+v: %v", id, had, err)
	}
	return id
}

// A reader and a writer outlive restarts of the broker on its port: nothing is lost, doubled or reordered.
func TestClientsOutliveRestarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b, err := embedded.Start(dir, embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	conf := kafka.Config{Brokers: b.Addrs()}
	var port int
	fmt.Sscanf(conf.Brokers[0], "127.0.0.1:%d", &port)
	w := newWriter(t, conf)
	send(t, w, 0, 10)
	r := newReader(t, conf, partitionOf(t, conf))

	var rows []row
	for round := range 20 {
		b.Close()
		if b, err = embedded.Start(dir, embedded.Options{Port: port}); err != nil {
			t.Fatal(err)
		}
		send(t, w, 10*(round+1), 10)
		rows = append(rows, patientRead(t, r, int64(len(rows)), int64(10*(round+2)))...)
	}
	b.Close()
	for i, got := range rows {
		if got != (row{int64(i), fmt.Sprint(i)}) {
			t.Fatalf("row %d is %v", i, got)
		}
	}
}

// patientRead is readTo for a broker that comes and goes: an error is tried again.
func patientRead(t *testing.T, r *kafka.Reader, from, to int64) (rows []row) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for next := from; next < to; {
		f, err := r.Read(t.Context(), next)
		if time.Now().After(deadline) {
			t.Fatalf("stuck at %d of %d: %v", next, to, err)
		}
		if err != nil {
			continue
		}
		for _, rec := range f.Records {
			rows = append(rows, row{rec.Offset, string(rec.Value)})
		}
		next = f.Next
	}
	return rows
}
