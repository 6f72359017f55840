package producer

import (
	"sync"

	"github.com/inferlake/inferlake/stream"
)

// parcel is a record's worth of events of one line.
type parcel struct {
	line   *line
	events *stream.ColumnsWriter
}

// parcels is the client's bounded buffer: a number of writers, each of which is at a line, waiting to be sent, or
// spare. Nobody waits to put one, since there is room for all.
type parcels struct {
	full chan parcel

	mu    sync.Mutex
	spare []*stream.ColumnsWriter
	more  int // writers that may still be made
}

// limit sets the number of writers, and of those that lines may add for their last word.
func (p *parcels) limit(n, last int) {
	p.full, p.more = make(chan parcel, n+last), n
}

// empty returns a writer without events, nil when all are in use.
func (p *parcels) empty() *stream.ColumnsWriter {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.spare); n > 0 {
		w := p.spare[n-1]
		p.spare = p.spare[:n-1]
		return w
	}
	if p.more == 0 {
		return nil
	}
	p.more--
	return new(stream.ColumnsWriter)
}

func (p *parcels) put(full parcel) { p.full <- full }

// back takes a writer back whose events were sent.
func (p *parcels) back(w *stream.ColumnsWriter) {
	w.Reset()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spare = append(p.spare, w)
}

// end says that nothing more is put.
func (p *parcels) end() { close(p.full) }
