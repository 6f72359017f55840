package kafka

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"
)

// pools lend the fetch path its buffers: fresh pages cost more than the decoding that goes on in them. The client wipes
// all of a buffer each time that it gives it back, so a batch gets one that is not much larger than it needs.
type pools struct {
	bytes   [poolSizes]sync.Pool
	records sync.Pool
	growth  atomic.Int64 // the most that 1,024 compressed bytes became lately
}

var (
	_ kgo.PoolDecompressBytes = (*pools)(nil)
	_ kgo.PoolRecords         = (*pools)(nil)
	_ kgo.HookFetchBatchRead  = (*pools)(nil)
)

// A buffer has one of eight sizes between a power of two and the next.
const (
	leastBuffer = 1 << 12
	poolSizes   = 8 * 16
	spare       = 512 // what the client wants to be free behind what it has unpacked
)

// sizeAt is the capacity of the buffers of a pool.
func sizeAt(i int) int { return leastBuffer / 8 * (8 + i%8) << (i / 8) }

// poolFor is the first pool whose buffers hold n bytes.
func poolFor(n int) int {
	if n <= leastBuffer {
		return 0
	}
	octave := bits.Len(uint(n-1)) - bits.Len(leastBuffer)
	eighth := leastBuffer / 8 << octave
	return 8*octave + (n+eighth-1)/eighth - 8
}

// OnFetchBatchRead learns how much batches grow when they are unpacked, and forgets it slowly.
func (p *pools) OnFetchBatchRead(_ kgo.BrokerMetadata, _ string, _ int32, m kgo.FetchBatchMetrics) {
	if m.CompressionType == 0 || m.CompressedBytes == 0 {
		return
	}
	before := p.growth.Load()
	p.growth.Store(max(int64(m.UncompressedBytes)<<10/int64(m.CompressedBytes)+1, before-before/1024))
}

func (p *pools) GetDecompressBytes(compressed []byte, _ kgo.CompressionCodecType) []byte {
	want := int64(len(compressed))*p.growth.Load()>>10 + spare
	i := poolFor(int(min(want, batchBytes)))
	if b, ok := p.bytes[i].Get().(*[]byte); ok {
		return *b
	}
	return make([]byte, 0, sizeAt(i))
}

// PutDecompressBytes keeps a buffer of ours. One that the client has made instead, because ours was too small, is dropped.
func (p *pools) PutDecompressBytes(b []byte) {
	if i := poolFor(cap(b)); i < poolSizes && sizeAt(i) == cap(b) {
		p.bytes[i].Put(&b)
	}
}

func (p *pools) GetRecords(n int) []kgo.Record {
	r, _ := p.records.Get().(*[]kgo.Record)
	if r == nil || cap(*r) < n {
		return make([]kgo.Record, n)
	}
	return (*r)[:n]
}

func (p *pools) PutRecords(r []kgo.Record) { p.records.Put(&r) }
