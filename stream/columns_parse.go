package stream

// packed is a packed list of varints: almost always one piece of the message, else the pieces put together.
type packed struct {
	b   []byte
	own []byte
}

func (p *packed) add(piece []byte) {
	if p.b == nil {
		p.b = piece
		return
	}
	if len(p.own) == 0 {
		p.own = append(p.own, p.b...)
	}
	p.own = append(p.own, piece...)
	p.b = p.own
}

// read adds what a field of this list holds at b[i:]: packed, or one number as protobuf also allows.
func (p *packed) read(b []byte, i int, wire uint64) (next int) {
	piece := b
	switch wire {
	case wireBytes:
		piece, next = span(b, i)
	case wireVarint:
		if _, next = uvarint(b, i); next != 0 {
			piece = b[i:next]
		}
	}
	if next != 0 {
		p.add(piece)
	}
	return next
}

// fields walks over a protobuf message and calls do at each value; do answers where the value ended, 0 when broken.
func fields(b []byte, do func(tag uint64, i int) (next int)) Reason {
	for i := 0; i < len(b); {
		tag, next := uvarint(b, i)
		if next == 0 || tag>>3 == 0 || tag>>3 > maxFieldNumber {
			return ReasonMalformed
		}
		if i = do(tag, next); i == 0 {
			return ReasonMalformed
		}
	}
	return Accepted
}

// parse takes the message apart.
func (c *columns) parse(b []byte, limits Limits) Reason {
	entries := 0
	why := fields(b, func(tag uint64, i int) (next int) {
		switch tag {
		case columnsRows:
			c.rows, next = uvarint(b, i)
		case columnsDictionary:
			_, next = span(b, i)
			entries++
		case columnsBody, columnsBody&^7 | wireVarint:
			next = c.body.read(b, i, tag&7)
		case columnsColumn:
			var col []byte
			if col, next = span(b, i); next != 0 && !c.parseColumn(col, limits) {
				next = 0
			}
		default:
			next = skipValue(b, i, tag>>3, tag&7, limits.Depth)
		}
		return next
	})
	switch {
	case why != Accepted:
		return why
	case c.rows > uint64(limits.Events) || uint64(entries) > textsARow*c.rows+textsAtLeast:
		return ReasonTooLarge
	}
	return c.readTexts(b, entries, limits)
}

// A dictionary with more texts than this is refused: its index would take more memory than its bytes warrant.
const (
	textsARow    = 32
	textsAtLeast = 256
)

// readTexts reads the dictionary. An entry that is no good text stays, so that the numbers hold, but may not be used.
func (c *columns) readTexts(b []byte, entries int, limits Limits) Reason {
	if cap(c.texts) < entries {
		c.texts = make([]string, 0, entries)
	}
	return fields(b, func(tag uint64, i int) int {
		if tag != columnsDictionary {
			return skipValue(b, i, tag>>3, tag&7, limits.Depth)
		}
		text, next := span(b, i)
		c.texts = append(c.texts, alias(text))
		if !goodText(text, limits.Text) {
			if c.bad == nil {
				c.bad = make([]bool, entries)
			}
			c.bad[len(c.texts)-1] = true
		}
		return next
	})
}

// parseColumn takes a column apart; one of an unknown field is left out.
func (c *columns) parseColumn(b []byte, limits Limits) bool {
	var number, kind uint64
	col := c.column()
	why := fields(b, func(tag uint64, i int) (next int) {
		switch tag {
		case columnField:
			number, next = uvarint(b, i)
		case columnBody:
			kind, next = uvarint(b, i)
		case columnGaps, columnGaps&^7 | wireVarint:
			next = col.gaps.read(b, i, tag&7)
		case columnDeltas, columnDeltas&^7 | wireVarint:
			next = col.deltas.read(b, i, tag&7)
		case columnLengths, columnLengths&^7 | wireVarint:
			next = col.lengths.read(b, i, tag&7)
		default:
			next = skipValue(b, i, tag>>3, tag&7, limits.Depth)
		}
		return next
	})
	return why == Accepted && c.place(col, number, kind)
}

// place files a column under its kind; ok is false when its field has one already.
func (c *columns) place(col *column, number, kind uint64) (ok bool) {
	known := kind == uint64(Envelope) || isKind(kind)
	if known {
		known = number < uint64(len(wireByNumber[0])) && wireByNumber[kind][number].known
	}
	if !known {
		c.columns = c.columns[:len(c.columns)-1]
		return true
	}
	col.field = &wireByNumber[kind][number]
	col.list = col.field.typ == Ints || col.field.typ == Texts
	if c.seen[col.field.field] {
		return false
	}
	c.seen[col.field.field] = true
	c.of[kind] = append(c.of[kind], len(c.columns)-1)
	return true
}
