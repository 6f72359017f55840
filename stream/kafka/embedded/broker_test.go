package embedded

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestADirectoryHasOneBroker(t *testing.T) {
	dir := t.TempDir()
	b, err := Start(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Start(dir, Options{})
	if !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("a second broker: %v", err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err = Start(dir, Options{}); err != nil {
		t.Fatal(err)
	}
	b.Close()
}

func TestItListensOnThisMachineOnly(t *testing.T) {
	b, err := Start(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	addrs := b.Addrs()
	host, port, err := net.SplitHostPort(addrs[0])
	if err != nil || len(addrs) != 1 || host != "127.0.0.1" {
		t.Fatalf("listens on %v", addrs)
	}
	_, err = Start(t.TempDir(), Options{Port: atoi(t, port)})
	if err == nil {
		t.Error("a port in use was taken")
	}
}

func atoi(t *testing.T, s string) (n int) {
	t.Helper()
	if _, err := fmt.Sscan(s, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Old records go by age, also with a setting that changed since the directory was made; the disk gets smaller.
func TestRetention(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, Options{SegmentBytes: 100_000}, time.Now().Add(-3*time.Hour))
	before := size(t, dir)
	b, err := Start(dir, Options{SegmentBytes: 100_000, Retention: time.Hour, Sweep: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for deadline := time.Now().Add(10 * time.Second); size(t, dir) > before/2; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d bytes before, %d after", before, size(t, dir))
		}
	}
	f, err := read(t, b)
	if err != nil || f.Start != f.End || f.End == 0 {
		t.Fatalf("%+v %v", f, err)
	}
}

// write fills one partition with 400 records of 4 kB, stamped at one time.
func write(t *testing.T, dir string, o Options, at time.Time) {
	t.Helper()
	o.Partitions = 1
	b, err := Start(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	w, err := kafka.NewWriter(t.Context(), kafka.Config{Brokers: b.Addrs()}, kafka.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	value := make([]byte, 4000)
	for i := range 400 {
		for j := range value {
			value[j] = byte(i*31 + j*j*7 + j>>3) // does not compress away
		}
		m := kafka.Message{Topic: stream.TopicRequests, Value: append([]byte(nil), value...), Timestamp: at}
		if err := errors.Join(w.Send(t.Context(), m)); err != nil {
			t.Fatal(err)
		}
		if i%20 == 0 {
			w.Flush(t.Context())
		}
	}
	if err := w.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, b *Broker) (stream.Fetch, error) {
	t.Helper()
	r, err := kafka.NewReader(kafka.Config{Brokers: b.Addrs()}, stream.TopicPartition{Topic: stream.TopicRequests})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return r.Read(t.Context(), 0)
}

// size is what the files below a directory take.
func size(t *testing.T, dir string) (n int64) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			n += size(t, dir+"/"+e.Name())
		} else if info, err := e.Info(); err == nil {
			n += info.Size()
		}
	}
	return n
}
