package workload

import (
	"container/heap"

	"github.com/inferlake/inferlake/stream"
)

// Options say how much there is. The zero value is a load of 110,000 open requests.
type Options struct {
	Open  int64 // requests open once the ramp is over, about; default 110,000
	Batch int   // events a record, with columns; default 512
	Late  int64 // one event in so many is sent late; default 100, negative: none
	// Encoding is columns, protobuf or json; of the last two a record is one event.
	Encoding string
}

const (
	life  = 30 * second
	delay = 15 * second // of an event that is late: longer than the fold waits
)

// Workload makes the events. It is for one goroutine.
type Workload struct {
	o     Options
	gap   int64 // ns between arrivals
	names names
	ids   ids

	now    int64
	next   int64 // number of the next request
	due    due
	told   int64    // events that happened
	sent   []uint16 // by request: which of its moments were sent
	late   int64
	events int64
	lanes  [instances]lane
	event  stream.Event
	bytes  int64
	last   lane // of the record that is being sent
}

// New returns a load at its start.
func New(o Options) *Workload {
	if o.Open == 0 {
		o.Open = 110_000
	}
	if o.Batch == 0 {
		o.Batch = 512
	}
	if o.Late == 0 {
		o.Late = 100
	}
	w := &Workload{o: o, gap: life / o.Open, names: newNames(), now: Start}
	w.makeLanes()
	return w
}

// Ramp sends events until the number of open requests no longer grows.
func (w *Workload) Ramp(send func(stream.Record) error) error {
	for w.now < Start+life*6/5+second {
		if err := w.step(send); err != nil {
			return err
		}
	}
	return w.flush(send)
}

// Steady sends so many events more, and what waits for its record to be full.
func (w *Workload) Steady(events int64, send func(stream.Record) error) error {
	if err := w.Emit(events, send); err != nil {
		return err
	}
	return w.flush(send)
}

// Emit makes so many events more and sends the records that are full.
func (w *Workload) Emit(events int64, send func(stream.Record) error) error {
	for until := w.events + events; w.events < until; {
		if err := w.step(send); err != nil {
			return err
		}
	}
	return nil
}

// Events is how many were made.
func (w *Workload) Events() int64 { return w.events }

// step lets the next moment happen: one of a request that is open, or an arrival.
func (w *Workload) step(send func(stream.Record) error) error {
	arrival := Start + w.next*w.gap
	if len(w.due) == 0 || w.due[0].at > arrival {
		heap.Push(&w.due, moment{at: arrival, request: w.next})
		w.sent = append(w.sent, 0)
		w.next++
	}
	m := w.due[0]
	w.now = m.at
	r := requestOf(m.request, w.gap, life)
	if m.late {
		heap.Pop(&w.due)
		w.late++
		return w.emit(&r, int(m.phase), send)
	}
	if int(m.phase) == finished {
		heap.Pop(&w.due)
	} else {
		w.due[0] = moment{at: r.at[m.phase+1], request: m.request, phase: m.phase + 1}
		heap.Fix(&w.due, 0)
	}
	if w.told++; w.o.Late > 0 && w.told%w.o.Late == 0 {
		heap.Push(&w.due, moment{at: m.at + delay, request: m.request, phase: m.phase, late: true})
		return nil
	}
	return w.emit(&r, int(m.phase), send)
}

// moment is what happens next to a request, or an event that is sent late.
type moment struct {
	at      int64
	request int64
	phase   uint8
	late    bool
}

// due is a heap by time.
type due []moment

func (d due) Len() int { return len(d) }
func (d due) Less(i, j int) bool {
	return d[i].at < d[j].at || d[i].at == d[j].at && d[i].request < d[j].request
}
func (d due) Swap(i, j int) { d[i], d[j] = d[j], d[i] }
func (d *due) Push(m any)   { *d = append(*d, m.(moment)) }
func (d *due) Pop() any {
	last := len(*d) - 1
	m := (*d)[last]
	*d = (*d)[:last]
	return m
}
