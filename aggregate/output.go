package aggregate

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlake/inferlake/stream"
)

// output collects rows until the next cut. Requests stay in the state and are written then, so that a correction before
// the cut needs no second row.
type output struct {
	mem      memory.Allocator
	number   int64 // of the next cut, from 1
	requests []requestRow
	replaced []RowID
	tables   map[*Table]*rows
	count    int
}

// requestRow is a closed request's row; replaces says that an earlier cut has it too.
type requestRow struct {
	slot     uint32
	replaces bool
}

func newOutput(mem memory.Allocator) output {
	return output{mem: mem, number: 1, tables: map[*Table]*rows{}}
}

func (o *output) rows() int { return o.count + len(o.requests) }

// of returns the rows of a table, to add one.
func (o *output) of(t *Table) *rows {
	r := o.tables[t]
	if r == nil {
		r = newRows(o.mem, t)
		o.tables[t] = r
	}
	o.count++
	return r
}

// cut returns the rows as a delta and begins a new one.
func (o *output) cut(log stream.TopicPartition, q *requests) Delta {
	o.writeRequests(log, q)
	d := Delta{Replaced: o.replaced}
	for _, t := range Tables {
		if r := o.tables[t]; r != nil && r.n > 0 {
			d.Rows = append(d.Rows, TableRows{t, r.take()})
		}
	}
	o.replaced = nil
	o.count = 0
	o.number++
	return d
}

// skip drops the rows and begins anew, as cut does.
func (o *output) skip(q *requests) {
	o.freeForgotten(q)
	for _, r := range o.tables {
		r.take().Release()
	}
	o.replaced = nil
	o.count = 0
	o.number++
}

// writeRequests writes the rows of the requests that ended.
func (o *output) writeRequests(log stream.TopicPartition, q *requests) {
	for _, row := range o.requests {
		r := q.load(q.other, q.closed, row.slot)
		o.request(log, r)
		if row.replaces {
			o.replaced = append(o.replaced, RowID{log, r.place})
		}
	}
	o.freeForgotten(q)
}

// freeForgotten frees the requests that were forgotten while their rows waited. There are none then.
func (o *output) freeForgotten(q *requests) {
	for _, row := range o.requests {
		if q.closed.at(row.slot).gone {
			q.closed.drop(row.slot)
		}
	}
	o.requests = o.requests[:0]
}

// close gives the builders' memory back.
func (o *output) close() {
	for _, r := range o.tables {
		r.b.Release()
	}
	o.tables = map[*Table]*rows{}
}

// rows writes one table's rows cell by cell. A cell that is left out is NULL: it costs nothing until its column gets a
// value again.
type rows struct {
	b     *array.RecordBuilder
	cells []array.Builder // those of b
	col   int
	n     int
}

func newRows(mem memory.Allocator, t *Table) *rows {
	b := array.NewRecordBuilder(mem, t.Schema())
	return &rows{b: b, cells: b.Fields()}
}

// next is the builder of the next cell, which gets a value: NULLs that were left out are made up for first.
func (w *rows) next() array.Builder {
	b := w.cells[w.col]
	w.col++
	if missing := w.n - b.Len(); missing > 0 {
		b.AppendNulls(missing)
	}
	return b
}

// skip leaves cells out.
func (w *rows) skip(n int) { w.col += n }

func (w *rows) text(s string) {
	if s == "" {
		w.skip(1)
		return
	}
	w.next().(*array.StringBuilder).Append(s)
}

func (w *rows) int(v int64) { w.next().(*array.Int64Builder).Append(v) }

func (w *rows) known(v int64, ok bool) {
	if !ok {
		w.skip(1)
		return
	}
	w.int(v)
}

func (w *rows) time(ns int64, ok bool) {
	if !ok {
		w.skip(1)
		return
	}
	w.next().(*array.TimestampBuilder).Append(arrow.Timestamp(ns))
}

func (w *rows) bool(v, ok bool) {
	if !ok {
		w.skip(1)
		return
	}
	w.next().(*array.BooleanBuilder).Append(v)
}

func (w *rows) ints(v []int64) {
	if v == nil {
		w.skip(1)
		return
	}
	b := w.next().(*array.ListBuilder)
	b.Append(true)
	b.ValueBuilder().(*array.Int64Builder).AppendValues(v, nil)
}

func (w *rows) texts(v []string) {
	if v == nil {
		w.skip(1)
		return
	}
	b := w.next().(*array.ListBuilder)
	b.Append(true)
	b.ValueBuilder().(*array.StringBuilder).AppendValues(slices.Clone(v), nil)
}

func (w *rows) place(log stream.TopicPartition, at stream.Position) {
	w.text(log.Topic)
	w.int(int64(log.Partition))
	w.int(at.Offset)
	w.int(int64(at.Index))
}

// end finishes a row: every column has its cell, or NULL.
func (w *rows) end() {
	if w.col != len(w.cells) {
		panic("aggregate: a row of " + w.b.Schema().Field(0).Name + "… was left unfinished")
	}
	w.col = 0
	w.n++
}

func (w *rows) take() arrow.RecordBatch {
	for _, b := range w.cells {
		b.AppendNulls(w.n - b.Len())
	}
	w.n = 0
	return w.b.NewRecordBatch()
}
