package stream

import "context"

// A loop decodes a few events ahead of the one that it folds. What a fold knows of an event's request lies somewhere in
// memory, and waiting for it takes longer than the folding: a fold that is told what comes can wait for several at a time.

// expecter is a fold that likes to know which events are folded next, in this order. That changes nothing.
type expecter interface {
	Expect(events []*Event)
}

// decoded is an event that waits to be folded.
type decoded struct {
	rec         *Record
	unbelieved  bool // the record's timestamp
	first, last bool // of its record
	index       int32
	event       *Event // nil when it is refused, or when the record has none
	why         Reason
}

// lookahead is the events that are decoded and not folded yet.
type lookahead struct {
	decoder Decoder
	expect  func(events []*Event)                       // may be nil
	fold    func(ctx context.Context, d *decoded) error // an error ends what waits

	waiting []decoded
	events  []*Event

	ctx  context.Context // of the read under way
	next decoded         // what all events of the record have in common
	err  error
	push func(index int32, e *Event, why Reason)
}

// read decodes a record. Its events wait until there are enough of them, or for flush.
func (l *lookahead) read(ctx context.Context, rec *Record, unbelieved bool) error {
	if l.push == nil {
		l.push = l.wait
	}
	l.ctx, l.err = ctx, nil
	l.next = decoded{rec: rec, unbelieved: unbelieved, first: true}
	l.decoder.Decode(rec, l.push)
	if l.next.first {
		l.wait(0, nil, Accepted)
	}
	if l.err == nil {
		l.waiting[len(l.waiting)-1].last = true
	}
	return l.err
}

// wait adds an event to those that wait, once there is room.
func (l *lookahead) wait(index int32, e *Event, why Reason) {
	if len(l.waiting) == Held {
		l.err = l.flush(l.ctx)
	}
	d := l.next
	l.next.first = false
	if l.err == nil {
		d.index, d.event, d.why = index, e, why
		l.waiting = append(l.waiting, d)
	}
}

// flush folds what waits.
func (l *lookahead) flush(ctx context.Context) error {
	if l.expect != nil {
		l.events = l.events[:0]
		for i := range l.waiting {
			if e := l.waiting[i].event; e != nil {
				l.events = append(l.events, e)
			}
		}
		l.expect(l.events)
	}
	var err error
	for i := 0; i < len(l.waiting) && err == nil; i++ {
		err = l.fold(ctx, &l.waiting[i])
	}
	l.waiting = l.waiting[:0]
	return err
}
