package stream

import "slices"

// check holds every number of rows and values to the bytes that are there. After it, the rows can be put together
// without looking back: each column has a value for each of its rows.
func (c *columns) check(limits Limits) Reason {
	if n, ok := countVarints(c.body.b); !ok || uint64(n) != c.rows {
		return ReasonMalformed
	}
	if !c.readKinds() {
		return ReasonMalformed
	}
	for i := range c.columns {
		if !c.columns[i].check(c) {
			return ReasonMalformed
		}
	}
	return Accepted
}

func (c *columns) readKinds() bool {
	c.kinds = slices.Grow(c.kinds, int(c.rows))
	for i := 0; i < len(c.body.b); {
		v, next := uvarint(c.body.b, i)
		if next == 0 {
			return false
		}
		kind := Envelope
		if isKind(v) {
			kind = Kind(v)
			c.count[kind]++
		}
		c.kinds = append(c.kinds, kind)
		i = next
	}
	c.count[Envelope] = len(c.kinds)
	return true
}

func (col *column) check(c *columns) bool {
	values, ok := countVarints(col.deltas.b)
	if !ok {
		return false
	}
	rows := c.count[Fields[col.field.field].Message]
	col.dense = len(col.gaps.b) == 0
	if !col.dense {
		if rows, ok = col.checkGaps(c.kinds); !ok {
			return false
		}
	}
	if col.list {
		return col.checkLengths(rows, values)
	}
	return rows == values && len(col.lengths.b) == 0
}

// checkGaps walks over the rows that have the field: each must exist and be of the field's kind.
func (col *column) checkGaps(kinds []Kind) (rows int, ok bool) {
	kind := Fields[col.field.field].Message
	row := -1
	for i := 0; i < len(col.gaps.b); rows++ {
		gap, next := uvarint(col.gaps.b, i)
		if next == 0 || gap >= uint64(len(kinds)-row-1) {
			return 0, false
		}
		row += int(gap) + 1
		if kind != Envelope && kinds[row] != kind {
			return 0, false
		}
		i = next
	}
	col.advance()
	return rows, true
}

func (col *column) checkLengths(rows, values int) bool {
	n, left := 0, uint64(values)
	for i := 0; i < len(col.lengths.b); n++ {
		length, next := uvarint(col.lengths.b, i)
		if next == 0 || length > left {
			return false
		}
		left -= length
		i = next
	}
	return n == rows && left == 0
}
