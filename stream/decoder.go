package stream

// Decoder turns records into events. It keeps buffers from record to record, so it belongs to one goroutine.
// The zero value is ready to use.
type Decoder struct {
	Limits Limits // set before the first Decode

	limits  Limits // Limits with the defaults filled in
	rooms   [Held + 1]room
	at      int    // room of the event at hand
	room    *room  // the same
	event   *Event // the same
	why     Reason // why the event at hand is refused; the first reason stays
	columns columns

	keyed bool
	next  int32 // index of the next event in the record
	do    func(index int32, e *Event, why Reason)
}

// Held is how many events a decoder holds: an event that was handed over stays valid until Held more were, and as long as
// its record's Value stays unchanged.
const Held = 16

// room is what an event takes.
type room struct {
	event   Event
	lists   lists
	unquote []byte // texts that had escapes
}

// Decode calls do for every event of a record in order, with its index in the record. An event that is refused
// comes as nil with the reason. A record that cannot be read at all is refused once, with index 0; where the syntax
// breaks in the middle, the rest is refused once. An empty array or batch has no event and calls nothing. The event and its
// texts and lists are valid for as long as Held says; do may change the event.
//
// The content type decides how the value is read (a charset parameter is ignored). Without one the value is JSON
// when it begins with '{' or '[', or with white space and then what only JSON begins with; else it is one
// protobuf Event. Schema-registry framing is stripped from any of them.
func (d *Decoder) Decode(rec *Record, do func(index int32, e *Event, why Reason)) {
	if d.limits == (Limits{}) {
		d.limits = d.Limits.withDefaults()
	}
	d.keyed, d.next, d.do = len(rec.Key) > 0, 0, do
	if why := d.record(rec); why != Accepted {
		d.refuseNext(why)
	}
	d.do = nil
}

// record reads a record up to its end, or to where reading must stop: then the rest is refused for the reason returned.
func (d *Decoder) record(rec *Record) Reason {
	if rec.Refused != Accepted {
		return rec.Refused
	}
	if len(rec.Value) == 0 {
		return ReasonEmpty
	}
	if len(rec.Value) > d.limits.Record {
		return ReasonTooLarge
	}
	value, content := unframe(rec.Value, contentOf(rec.ContentType))
	switch content {
	case ContentProtobuf:
		return d.single(d.protobuf(value))
	case ContentColumns:
		return d.batch(value)
	case ContentJSON:
		return d.jsonValues(value)
	case ContentNDJSON:
		return d.jsonLines(value)
	}
	return ReasonEncoding
}

func (d *Decoder) single(why Reason) Reason {
	if why == Accepted {
		d.finish()
	}
	return why
}

// begin makes ready for the next event.
func (d *Decoder) begin() {
	d.room = &d.rooms[d.at]
	d.event = &d.room.event
	d.event.Reset(Envelope)
	d.why = Accepted
	d.room.lists.reset()
	d.room.unquote = d.room.unquote[:0]
}

// body says which body follows. Of several bodies the last one counts; the same one twice is merged.
func (d *Decoder) body(kind Kind) {
	e := d.event
	if e.Kind != kind {
		e.Kind = kind
		e.set = [2]uint64{e.set[0] & envelopeBits, 0}
		d.room.lists.reset()
	}
}

const envelopeBits = 1<<envelopeFields - 1

// note remembers why the event is refused, and passes on the place where reading goes on.
func (d *Decoder) note(why Reason, next int) int {
	if why != Accepted && d.why == Accepted {
		d.why = why
	}
	return next
}

// finish hands over the event at hand.
func (d *Decoder) finish() {
	why := d.why
	switch {
	case d.event.Has(EventSchemaVersion) && d.event.Num(EventSchemaVersion) != 1:
		why = ReasonVersion
	case why == Accepted:
		why = Validate(d.event, d.keyed)
	}
	if why != Accepted {
		d.refuseNext(why)
		return
	}
	d.at = (d.at + 1) % len(d.rooms)
	d.do(d.next, d.event, Accepted)
	d.next++
}

func (d *Decoder) refuseNext(why Reason) {
	d.do(d.next, nil, why)
	d.next++
}

// full says whether the record already held as many events as it may.
func (d *Decoder) full() bool {
	return int(d.next) >= d.limits.Events
}
