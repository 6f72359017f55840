package stream

import "slices"

// Field numbers of the messages Columns and Column, with their wire types.
const (
	columnsRows       = 1<<3 | wireVarint
	columnsDictionary = 2<<3 | wireBytes
	columnsBody       = 3<<3 | wireBytes
	columnsColumn     = 4<<3 | wireBytes

	columnField   = 1<<3 | wireVarint
	columnBody    = 2<<3 | wireVarint
	columnGaps    = 3<<3 | wireBytes
	columnDeltas  = 4<<3 | wireBytes
	columnLengths = 5<<3 | wireBytes
)

// ColumnsWriter gathers events and writes them field by field as one message Columns (content type ContentColumns):
// under a third of the bytes of the same events one by one, before any compression. The zero value is ready to use.
type ColumnsWriter struct {
	body       []byte // each row's kind
	kindRows   [24]int
	dictionary dictionary
	columns    [numFields]columnWriter
	used       []Field // columns that hold something
}

// columnWriter holds one field's values, as they will be written.
type columnWriter struct {
	gaps    []byte
	deltas  []byte
	lengths []byte
	zeros   int // gaps of 0 since the last one written
	rows    int
	nextRow int    // one past the last row that has the field
	last    int64  // number before; for a text, one past its index in the dictionary
	text    string // the text that last stands for
}

// Len is the number of events gathered.
func (w *ColumnsWriter) Len() int { return len(w.body) }

// Size is about how many bytes AppendTo will append; it is not less than what it appends.
func (w *ColumnsWriter) Size() int {
	const message, column = 32, 32 // heads
	size := message + len(w.body) + len(w.dictionary.encoded)
	for _, f := range w.used {
		c := &w.columns[f]
		size += column + len(c.deltas) + len(c.lengths)
		if c.rows != w.rowsOf(f) {
			size += len(c.gaps) + c.zeros
		}
	}
	return size
}

// rowsOf is the number of rows that could have the field.
func (w *ColumnsWriter) rowsOf(f Field) int {
	if kind := Fields[f].Message; kind != Envelope {
		return w.kindRows[kind]
	}
	return len(w.body)
}

// Add gathers one event, whose kind must be one of Kinds. It keeps nothing of it.
func (w *ColumnsWriter) Add(e *Event) {
	row := len(w.body)
	w.body = append(w.body, byte(e.Kind))
	w.kindRows[e.Kind]++
	for f, b, ok := e.Next(0); ok; f, b, ok = e.Next(b) {
		w.add(e, f, row)
	}
}

func (w *ColumnsWriter) add(e *Event, f Field, row int) {
	field, c := &wireFields[f], &w.columns[f]
	if c.rows == 0 {
		w.used = append(w.used, f)
	}
	c.mark(row)
	switch field.typ {
	case Text:
		c.deltas = appendVarint(c.deltas, zigzag(w.textIndex(c, e.text[field.slot])))
	case Ints:
		c.addInts(e.ints[field.slot])
	case Texts:
		w.addTexts(c, e.texts[field.slot])
	default:
		c.addInt(e.num[field.slot])
	}
}

// mark notes that the row has the field.
func (c *columnWriter) mark(row int) {
	gap := row - c.nextRow
	c.nextRow = row + 1
	c.rows++
	if gap == 0 {
		c.zeros++
		return
	}
	c.flush()
	c.gaps = appendVarint(c.gaps, uint64(gap))
}

// flush writes the gaps of 0 that were only counted.
func (c *columnWriter) flush() {
	for ; c.zeros > 0; c.zeros-- {
		c.gaps = append(c.gaps, 0)
	}
}

func (c *columnWriter) addInt(v int64) {
	c.deltas = appendVarint(c.deltas, zigzag(v-c.last))
	c.last = v
}

func (c *columnWriter) addInts(vs []int64) {
	c.lengths = appendVarint(c.lengths, uint64(len(vs)))
	for _, v := range vs {
		c.addInt(v)
	}
}

func (w *ColumnsWriter) addTexts(c *columnWriter, vs []string) {
	c.lengths = appendVarint(c.lengths, uint64(len(vs)))
	for _, s := range vs {
		c.deltas = appendVarint(c.deltas, zigzag(w.textIndex(c, s)))
	}
}

// textIndex finds a text in the dictionary; often it is the column's text before.
func (w *ColumnsWriter) textIndex(c *columnWriter, s string) int64 {
	if c.last == 0 || s != c.text {
		i := w.dictionary.index(s)
		c.last, c.text = int64(i)+1, w.dictionary.text(i)
	}
	return c.last - 1
}

// AppendTo appends the events as one message and returns the extended slice; the writer still holds them.
func (w *ColumnsWriter) AppendTo(dst []byte) []byte {
	dst = appendVarint(append(dst, columnsRows), uint64(len(w.body)))
	dst = append(dst, w.dictionary.encoded...)
	dst = appendBytesOf(dst, columnsBody, w.body)
	slices.Sort(w.used)
	for _, f := range w.used {
		dst = w.appendColumn(dst, f)
	}
	return dst
}

func (w *ColumnsWriter) appendColumn(dst []byte, f Field) []byte {
	c, info := &w.columns[f], &Fields[f]
	dst = append(dst, columnsColumn, 0)
	start := len(dst)
	dst = appendVarint(append(dst, columnField), uint64(info.Number))
	if info.Message != Envelope {
		dst = append(dst, columnBody, byte(info.Message))
	}
	if c.rows != w.rowsOf(f) {
		c.flush()
		dst = appendBytesOf(dst, columnGaps, c.gaps)
	}
	dst = appendBytesOf(dst, columnDeltas, c.deltas)
	dst = appendBytesOf(dst, columnLengths, c.lengths)
	return closeLength(dst, start)
}

func appendBytesOf(dst []byte, tag byte, b []byte) []byte {
	if len(b) == 0 {
		return dst
	}
	return append(appendVarint(append(dst, tag), uint64(len(b))), b...)
}

// Reset forgets the events and keeps the memory.
func (w *ColumnsWriter) Reset() {
	for _, f := range w.used {
		c := &w.columns[f]
		*c = columnWriter{gaps: c.gaps[:0], deltas: c.deltas[:0], lengths: c.lengths[:0]}
	}
	w.body, w.used = w.body[:0], w.used[:0]
	w.kindRows = [24]int{}
	w.dictionary.reset()
}
