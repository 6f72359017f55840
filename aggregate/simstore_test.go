package aggregate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// store is what a reader of the warehouse would see: facts by place, windows added up, the newest row of each lane.
type store struct {
	sim     *sim
	facts   map[place]fact
	windows map[span10]window
	lanes   map[simLane]fact
}

// place names a fact, span10 a window of 10 s.
type place struct {
	table       *Table
	offset, idx int64
}

type span10 struct {
	table *Table
	start int64
	dims  string
}

// fact is a row's cells by column. A cell that is NULL is the zero value.
type fact []cell

type cell struct {
	known bool
	n     int64
	s     string
}

// window is the sums by column, and by bucket.
type window struct {
	sums    fact
	buckets map[int64]int64
}

func newStore(s *sim) *store {
	return &store{sim: s, facts: map[place]fact{}, windows: map[span10]window{}, lanes: map[simLane]fact{}}
}

// add applies a delta.
func (s *store) add(d Delta) {
	for _, id := range d.Replaced {
		key := place{Requests, id.Offset, int64(id.Index)}
		if _, ok := s.facts[key]; !ok && !s.sim.isLost() {
			s.sim.fail("I3 rows once", "%v is replaced but was never written", id)
		}
		delete(s.facts, key)
	}
	for _, r := range d.Rows {
		for i := range int(r.Batch.NumRows()) {
			s.row(r.Table, r.Batch, i)
		}
	}
}

func (s *store) row(t *Table, b arrow.RecordBatch, i int) {
	f := read(t, b, i)
	switch {
	case t == Coverage:
		s.lanes[simLane{f.at(t, "producer").s, f.at(t, "boot").s, f.at(t, "lane").n}] = f
	case t.Columns[0].Name == "window_start":
		s.window(t, b, i, f)
	default:
		key := place{t, f.at(t, "offset").n, f.at(t, "idx").n}
		if had, ok := s.facts[key]; ok && !s.sim.isLost() {
			s.sim.fail("I3 rows once", "%s is written twice:\n%s\n%s", t.Name, had.text(t), f.text(t))
		}
		s.facts[key] = f
		s.sane(t, f)
	}
}

// read takes a row's cells.
func read(t *Table, b arrow.RecordBatch, i int) fact {
	f := make(fact, len(t.Columns))
	for c := range f {
		a := b.Column(c)
		if a.IsNull(i) {
			continue
		}
		f[c].known = true
		switch a := a.(type) {
		case *array.Int64:
			f[c].n = a.Value(i)
		case *array.Timestamp:
			f[c].n = int64(a.Value(i))
		case *array.Boolean:
			f[c].n = is(a.Value(i))
		case *array.String:
			f[c].s = strings.Clone(a.Value(i))
		default:
			f[c].s = a.ValueStr(i)
		}
	}
	return f
}

// columnAt is where each table has its columns.
var columnAt = columnPlaces()

func columnPlaces() map[*Table]map[string]int {
	at := map[*Table]map[string]int{}
	for _, t := range Tables {
		at[t] = map[string]int{}
		for i, c := range t.Columns {
			at[t][c.Name] = i
		}
	}
	return at
}

func (f fact) at(t *Table, column string) cell { return f[columnAt[t][column]] }

func (f fact) text(t *Table) string {
	var b strings.Builder
	for i, c := range f {
		if c.known {
			fmt.Fprintf(&b, "%s=%d%s ", t.Columns[i].Name, c.n, c.s)
		}
	}
	return b.String()
}

// window adds a delta to its window. What is text, and the data-parallel index, says which.
func (s *store) window(t *Table, b arrow.RecordBatch, i int, f fact) {
	key := span10{t, f[0].n, fmt.Sprint(f.at(t, "dp_index").n)}
	for c := range f {
		if t.Columns[c].Type == Varchar {
			key.dims += "|" + f[c].s
		}
	}
	w, ok := s.windows[key]
	if !ok {
		w = window{sums: make(fact, len(f)), buckets: map[int64]int64{}}
	}
	for c := range f {
		if name := t.Columns[c].Name; f[c].known && t.Columns[c].Type.Arrow == arrow.PrimitiveTypes.Int64 && name != "level" && name != "dp_index" {
			w.sums[c] = w.sums[c].plus(f[c], name)
		}
	}
	if t == RequestSketch {
		w.addBuckets(b.Column(len(f)-2), b.Column(len(f)-1), i)
	}
	s.windows[key] = w
}

// plus merges a delta's cell as its column says.
func (c cell) plus(d cell, column string) cell {
	switch {
	case !c.known:
		return d
	case column == "min" || strings.HasSuffix(column, "_min"):
		d.n = min(c.n, d.n)
	case column == "max" || strings.HasSuffix(column, "_max"):
		d.n = max(c.n, d.n)
	default:
		d.n += c.n
	}
	return d
}

func (w window) addBuckets(idx, cnt arrow.Array, i int) {
	from, to := idx.(*array.List).ValueOffsets(i)
	in, n := idx.(*array.List).ListValues().(*array.Int64), cnt.(*array.List).ListValues().(*array.Int64)
	for j := from; j < to; j++ {
		w.buckets[in.Value(int(j))] += n.Value(int(j))
	}
}

// sane holds a row to I8.
func (s *store) sane(t *Table, f fact) {
	for c, v := range f {
		if v.n < 0 && strings.HasSuffix(t.Columns[c].Name, "_ns") {
			s.sim.fail("I8 negative duration", "%s", f.text(t))
		}
	}
}

// total adds up a column of request windows.
func (s *store) total(column string) (sum int64) {
	for k, w := range s.windows {
		if k.table == RequestWindows {
			sum += w.sums.at(k.table, column).n
		}
	}
	return sum
}

// lines lists all that the store holds, in order.
func (s *store) lines() (lines []string) {
	for k, f := range s.facts {
		lines = append(lines, fmt.Sprint(k.table.Name, " ", k.offset, "/", k.idx, ": ", f.text(k.table)))
	}
	for k, f := range s.lanes {
		lines = append(lines, fmt.Sprint("lane ", k, ": ", f.text(Coverage)))
	}
	for k, w := range s.windows {
		lines = append(lines, fmt.Sprint(k.table.Name, " ", k.start, k.dims, ": ", w.sums.text(k.table), w.buckets))
	}
	slices.Sort(lines)
	return lines
}

// equal compares what two stores hold.
func (s *store) equal(o *store) bool {
	same := func(a, b fact) bool { return slices.Equal(a, b) }
	return maps.EqualFunc(s.facts, o.facts, same) && maps.EqualFunc(s.lanes, o.lanes, same) &&
		maps.EqualFunc(s.windows, o.windows, func(a, b window) bool { return slices.Equal(a.sums, b.sums) && maps.Equal(a.buckets, b.buckets) })
}
