package kafka

import (
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// pools lend the fetch path its buffers: fresh pages cost more than the decoding that goes on in them.
type pools struct {
	bytes   sync.Pool
	wire    sync.Pool
	records sync.Pool
}

func (p *pools) GetDecompressBytes([]byte, kgo.CompressionCodecType) []byte {
	b, _ := p.bytes.Get().(*[]byte)
	if b == nil {
		return nil
	}
	return *b
}

func (p *pools) PutDecompressBytes(b []byte) { p.bytes.Put(&b) }

func (p *pools) GetKRecords(n int) []kmsg.Record {
	r, _ := p.wire.Get().(*[]kmsg.Record)
	if r == nil || cap(*r) < n {
		return make([]kmsg.Record, n)
	}
	return (*r)[:n]
}

func (p *pools) PutKRecords(r []kmsg.Record) { p.wire.Put(&r) }

func (p *pools) GetRecords(n int) []kgo.Record {
	r, _ := p.records.Get().(*[]kgo.Record)
	if r == nil || cap(*r) < n {
		return make([]kgo.Record, n)
	}
	return (*r)[:n]
}

func (p *pools) PutRecords(r []kgo.Record) { p.records.Put(&r) }
