package aggregate

import (
	"encoding/binary"
	"errors"
)

// codec writes a state into bytes or reads it back: one description of the state serves both ways.
type codec struct {
	buf     []byte
	reading bool
	failed  bool
}

var errSnapshot = errors.New("the snapshot is damaged or of another version")

func (c *codec) int(v *int64) {
	if !c.reading {
		c.buf = binary.AppendVarint(c.buf, *v)
		return
	}
	x, n := binary.Varint(c.buf)
	if n <= 0 {
		c.fail()
		*v = 0
		return
	}
	*v, c.buf = x, c.buf[n:]
}

func (c *codec) fail() { c.failed, c.buf = true, nil }

func (c *codec) ints(vs ...*int64) {
	for _, v := range vs {
		c.int(v)
	}
}

func (c *codec) bool(v *bool) {
	n := is(*v)
	c.int(&n)
	*v = n != 0
}

func (c *codec) bools(vs ...*bool) {
	for _, v := range vs {
		c.bool(v)
	}
}

func (c *codec) text(s *string) {
	n := int64(len(*s))
	c.int(&n)
	if !c.reading {
		c.buf = append(c.buf, *s...)
		return
	}
	if n < 0 || n > int64(len(c.buf)) {
		c.fail()
		return
	}
	*s, c.buf = string(c.buf[:n]), c.buf[n:]
}

func (c *codec) textsOf(ss ...*string) {
	for _, s := range ss {
		c.text(s)
	}
}

// size writes or reads a count of things that take at least one byte each.
func (c *codec) size(n int) int {
	v := int64(n)
	c.int(&v)
	if c.reading && (v < 0 || v > int64(len(c.buf))) {
		c.fail()
		return 0
	}
	return int(v)
}

// each writes or reads a count and then does so many things, up to the first that fails: what a damaged count claims
// costs nothing.
func (c *codec) each(n int, do func(i int)) {
	n = c.size(n)
	for i := 0; i < n && !c.failed; i++ {
		do(i)
	}
}

func (c *codec) list(v *[]int64) {
	n := c.size(len(*v))
	if c.reading {
		*v = nil
		if n > 0 {
			*v = make([]int64, n)
		}
	}
	for i := range *v {
		c.int(&(*v)[i])
	}
}

func (c *codec) unsigned(v *uint64) {
	n := int64(*v)
	c.int(&n)
	*v = uint64(n)
}
