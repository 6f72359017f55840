package kafka

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// TestBuffersFit: a buffer holds what is asked for and not much more, up to the largest batch.
func TestBuffersFit(t *testing.T) {
	for n := 1; n <= batchBytes; n += 1 + n/50 {
		have := sizeAt(poolFor(n))
		if have < n || n > leastBuffer && have > n+n/8 {
			t.Fatalf("%d bytes get a buffer of %d", n, have)
		}
	}
	if last := poolFor(batchBytes); last >= poolSizes {
		t.Fatalf("a batch of %d bytes has pool %d of %d", batchBytes, last, poolSizes)
	}
}

// TestBuffersComeBack: once it is known how much batches grow, their buffers are lent again, and those of the client's
// own making are not kept.
func TestBuffersComeBack(t *testing.T) {
	p := new(pools)
	p.OnFetchBatchRead(kgo.BrokerMetadata{}, "", 0, kgo.FetchBatchMetrics{UncompressedBytes: 900_000, CompressedBytes: 300_000, CompressionType: 3})
	b := p.GetDecompressBytes(make([]byte, 300_000), kgo.CodecLz4)
	if cap(b) < 900_000+spare || cap(b) > 1_020_000 {
		t.Fatalf("a buffer of %d bytes for 900,000", cap(b))
	}
	p.PutDecompressBytes(b[:cap(b)])
	grown := make([]byte, 1_234_567)
	p.PutDecompressBytes(grown)
	for range 10 {
		if c := p.GetDecompressBytes(make([]byte, 300_000), kgo.CodecLz4); cap(c) != cap(b) {
			t.Fatalf("a buffer of %d bytes, then one of %d", cap(b), cap(c))
		}
	}
}
