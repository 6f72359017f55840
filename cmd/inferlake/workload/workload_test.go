package workload

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/zeebo/xxh3"

	"github.com/inferlake/inferlake/stream"
)

// hash is a digest of the records that a load sends.
func hash(t *testing.T, o Options) (sum uint64, a Answer) {
	h := xxh3.New()
	send := func(r stream.Record) error {
		h.Write(r.Key)
		h.Write(r.Value)
		return nil
	}
	w := New(o)
	for _, err := range []error{w.Ramp(send), w.Steady(20_000, send)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return h.Sum64(), w.Answer()
}

// The same options give the same log, and about as many open requests as were asked for.
func TestLoadIsDeterministic(t *testing.T) {
	for _, encoding := range []string{"columns", "protobuf", "json"} {
		o := Options{Open: 2000, Encoding: encoding}
		first, a := hash(t, o)
		if again, _ := hash(t, o); again != first {
			t.Errorf("%s: two runs differ", encoding)
		}
		if a.Open < 1800 || a.Open > 2200 || a.Late < a.Events/200 || a.Late > a.Events/90 {
			t.Errorf("%s: %d requests open, %d of %d events late", encoding, a.Open, a.Late, a.Events)
		}
	}
}

// Every event is one that decoders accept, with all dimensions.
func TestEventsAreAccepted(t *testing.T) {
	w := New(Options{Open: 500, Encoding: "protobuf"})
	var d stream.Decoder
	send := func(r stream.Record) error {
		d.Decode(&r, func(_ int32, e *stream.Event, why stream.Reason) {
			if why != stream.Accepted {
				t.Fatalf("refused: %v", why)
			}
			if len(e.Text(stream.RequestRequestID)) != 36 || len(e.Text(stream.RequestTraceID)) != 32 || !e.Has(stream.EventMonoNano) {
				t.Fatal("an envelope is not full")
			}
		})
		return nil
	}
	if err := w.Ramp(send); err != nil {
		t.Fatal(err)
	}
}

// Producers spread evenly over the partitions: murmur2 is that of Kafka's clients.
func TestPartitionsAreEven(t *testing.T) {
	var n [Partitions]int
	partitioner := kgo.StickyKeyPartitioner(nil).ForTopic("t")
	names := newNames()
	for i := range instances {
		p := partitioner.Partition(&kgo.Record{Key: []byte(names.producer[i])}, Partitions)
		n[(p+int(names.lane[i]))%Partitions]++
	}
	for p, producers := range n {
		if producers != instances/Partitions {
			t.Errorf("partition %d has %d producers of %d", p, producers, instances)
		}
	}
}
