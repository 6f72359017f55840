package stream

// column is one field's values being read: a block of them at a time, so that the work for each value is small and
// the memory does not grow with the batch.
type column struct {
	field                 *wireField
	gaps, deltas, lengths packed

	dense   bool // every row of the kind has the field
	list    bool
	broken  bool // a delta cannot be read, so none after it can
	nextRow int  // the next row that has the field, when not dense

	gapAt, deltaAt, lengthAt int
	last                     int64
	n, at                    int    // values in the block, and taken from it
	bad                      uint64 // those of the block that are not simply kept
	values                   [64]int64
}

// reset makes ready for another column; the values are not worth clearing.
func (c *column) reset() {
	c.field, c.gaps, c.deltas, c.lengths = nil, packed{}, packed{}, packed{}
	c.dense, c.list, c.broken, c.nextRow = false, false, false, -1
	c.gapAt, c.deltaAt, c.lengthAt, c.last = 0, 0, 0, 0
	c.n, c.at, c.bad = 0, 0, 0
}

// advance finds the next row that has the field; past the last one it stays, and no row matches again.
func (c *column) advance() {
	gap, next := uvarint(c.gaps.b, c.gapAt)
	if next == 0 {
		c.nextRow = -1
		return
	}
	c.gapAt = next
	c.nextRow += int(gap) + 1
}

// pop takes the next value and returns its place in the block.
func (c *column) pop(all *columns) (at int) {
	if c.at == c.n {
		c.fill(all)
	}
	at = c.at
	c.at++
	return at & 63
}

// fill reads the next block.
func (c *column) fill(all *columns) {
	c.n, c.at, c.bad = len(c.values), 0, 0
	if !c.broken {
		c.n = c.read()
	}
	if c.broken {
		c.n, c.bad = len(c.values), ^uint64(0)
		return
	}
	c.judge(all)
}

// read reads deltas into the block as values.
func (c *column) read() (n int) {
	b, i, last := c.deltas.b, c.deltaAt, c.last
	relative := c.field.typ != Text && c.field.typ != Texts
	for n < len(c.values) && i < len(b) {
		u, next := uint64(b[i]), i+1
		if u >= 0x80 {
			if u, next = uvarintLong(b, i); next == 0 {
				c.broken = true
				break
			}
		}
		v := unzigzag(u)
		if relative {
			v += last
			last = v
		}
		c.values[n] = v
		n++
		i = next
	}
	c.deltaAt, c.last = i, last
	return n
}

// judge marks the values of the block that are not simply kept: out of range, or in need of a second look.
func (c *column) judge(all *columns) {
	least, most := c.field.least, c.field.most
	if c.field.typ == Text || c.field.typ == Texts {
		least, most = 0, int64(len(all.texts))-1
	}
	for i, v := range c.values[:c.n] {
		if v < least || v > most {
			c.bad |= 1 << i
		}
	}
	if all.bad != nil && (c.field.typ == Text || c.field.typ == Texts) {
		c.judgeTexts(all)
	}
}

func (c *column) judgeTexts(all *columns) {
	for i, v := range c.values[:c.n] {
		if c.bad>>i&1 == 0 && all.bad[v] {
			c.bad |= 1 << i
		}
	}
}
