package stream

import "slices"

// columns is a batch being read: first the message is taken apart and every size in it is checked against the bytes
// that are there, then the rows are put together one by one. The slices are kept from batch to batch.
type columns struct {
	rows    uint64
	body    packed
	kinds   []Kind    // each row's kind; 0 for one that is not known
	count   [24]int   // rows of each kind; of all kinds at 0
	texts   []string  // the dictionary
	bad     []bool    // entries of texts that may not be used; nil when all are good
	columns []column  // those of known fields
	of      [24][]int // columns of each kind, of the envelope at 0
	seen    [numFields]bool
}

// batch reads a message Columns. A batch that is not whole is refused whole; a bad value costs the rows that use it.
func (d *Decoder) batch(b []byte) Reason {
	c := &d.columns
	c.reset()
	if why := c.parse(b, d.limits); why != Accepted {
		return why
	}
	if why := c.check(d.limits); why != Accepted {
		return why
	}
	for row, kind := range c.kinds {
		d.begin()
		d.event.Kind = kind
		d.row(row, c.of[Envelope])
		if kind != Envelope {
			d.row(row, c.of[kind])
		}
		d.finish()
	}
	return Accepted
}

// row takes the row's values from those of the columns that have it.
func (d *Decoder) row(row int, indices []int) {
	e, all := d.event, d.columns.columns
	for _, i := range indices {
		c := &all[i]
		if !c.dense {
			if c.nextRow != row {
				continue
			}
			c.advance()
		}
		if c.list {
			d.columnList(c)
			continue
		}
		at := c.pop(&d.columns)
		v, w := c.values[at], c.field
		switch {
		case c.bad>>at&1 != 0:
			d.note(d.columnBad(c, v), 0)
		case w.typ == Text:
			w.keepText(e, d.columns.texts[v])
		default:
			e.num[w.slot] = v
			e.set[w.bit>>6] |= 1 << (w.bit & 63)
		}
	}
}

// columnBad deals with a value that is not simply kept.
func (d *Decoder) columnBad(c *column, v int64) Reason {
	switch {
	case c.broken:
		return ReasonMalformed
	case c.field.typ == Text || c.field.typ == Texts:
		return d.columns.badText(v)
	case c.field.typ == Ints:
		return ReasonRange
	}
	return c.field.keep(d.event, v)
}

// badText says why a row may not use an entry of the dictionary.
func (c *columns) badText(index int64) Reason {
	if uint64(index) >= uint64(len(c.texts)) {
		return ReasonMalformed
	}
	return ReasonBadText
}

// columnList takes as many values as the column's next length says; the lengths were checked.
func (d *Decoder) columnList(c *column) {
	n, next := uvarint(c.lengths.b, c.lengthAt)
	c.lengthAt = next
	for range n {
		at := c.pop(&d.columns)
		v, why := c.values[at], Accepted
		switch {
		case c.bad>>at&1 != 0:
			why = d.columnBad(c, v)
		case c.field.typ == Texts:
			why = d.room.lists.addText(c.field, d.event, d.columns.texts[v], d.limits.List)
		default:
			why = d.room.lists.addInt(c.field, d.event, v, d.limits.List)
		}
		d.note(why, 0)
	}
}

func (c *columns) reset() {
	for i := range c.of {
		c.of[i] = c.of[i][:0]
	}
	clear(c.texts)
	*c = columns{kinds: c.kinds[:0], texts: c.texts[:0], columns: c.columns[:0], of: c.of, body: packed{own: c.body.own[:0]}}
}

// column makes room for one more column.
func (c *columns) column() *column {
	if len(c.columns) == cap(c.columns) {
		c.columns = slices.Grow(c.columns, 16)
	}
	c.columns = c.columns[:len(c.columns)+1]
	col := &c.columns[len(c.columns)-1]
	col.reset()
	return col
}
