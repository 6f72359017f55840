package aggregate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// fact is a row of a table of facts: as a reader sees it, and its numbers and texts by column.
type fact struct {
	text    string
	numbers map[string]int64
	texts   map[string]string
}

// store is what a reader of the warehouse would see: facts by place, windows added up, the newest row of each lane.
type store struct {
	sim     *sim
	facts   map[string]fact
	windows map[string]map[string]int64
	lanes   map[string]fact
}

func newStore(s *sim) *store {
	return &store{sim: s, facts: map[string]fact{}, windows: map[string]map[string]int64{}, lanes: map[string]fact{}}
}

// add applies a delta.
func (s *store) add(d Delta) {
	for _, id := range d.Replaced {
		key := fmt.Sprint(Requests.Name, " ", id.Offset, "/", id.Index)
		if _, ok := s.facts[key]; !ok && !s.sim.isLost() {
			s.sim.fail("I3 rows once", "%s is replaced but was never written", key)
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
		s.lanes[fmt.Sprint(f.texts["producer"], " ", f.texts["boot"], " ", f.numbers["lane"])] = f
	case t.Columns[0].Name == "window_start":
		s.window(t, b, i, f)
	default:
		key := fmt.Sprint(t.Name, " ", f.numbers["offset"], "/", f.numbers["idx"])
		if _, ok := s.facts[key]; ok && !s.sim.isLost() {
			s.sim.fail("I3 rows once", "%s is written twice (lost: %v):\n%s\n%s", key, s.sim.isLost(), s.facts[key].text, f.text)
		}
		s.facts[key] = f
		s.sane(key, f)
	}
}

// read takes a row's cells; NULL is left out.
func read(t *Table, b arrow.RecordBatch, i int) fact {
	f := fact{numbers: map[string]int64{}, texts: map[string]string{}}
	var text strings.Builder
	for c, col := range t.Columns {
		a := b.Column(c)
		if a.IsNull(i) {
			continue
		}
		switch a := a.(type) {
		case *array.Int64:
			f.numbers[col.Name] = a.Value(i)
		case *array.Timestamp:
			f.numbers[col.Name] = int64(a.Value(i))
		case *array.Boolean:
			f.numbers[col.Name] = is(a.Value(i))
		case *array.String:
			f.texts[col.Name] = strings.Clone(a.Value(i))
		}
		text.WriteString(col.Name + "=" + a.ValueStr(i) + " ")
	}
	f.text = text.String()
	return f
}

// window adds a delta to its window.
func (s *store) window(t *Table, b arrow.RecordBatch, i int, f fact) {
	key := fmt.Sprint(t.Name, " ", f.numbers["window_start"], " ", f.texts)
	w := s.windows[key]
	if w == nil {
		w = map[string]int64{}
		s.windows[key] = w
	}
	for name, v := range f.numbers {
		had, known := w[name]
		switch sum := (Column{Name: name}).Sum(); {
		case name == "window_start" || name == "level" || name == "dp_index":
		case sum == "sum" && name != "min" && name != "max":
			w[name] += v
		case !known:
			w[name] = v
		case strings.HasSuffix(name, "min"):
			w[name] = min(had, v)
		default:
			w[name] = max(had, v)
		}
	}
	if t == RequestSketch {
		addBuckets(w, b.Column(len(t.Columns)-2), b.Column(len(t.Columns)-1), i)
	}
}

func addBuckets(w map[string]int64, idx, cnt arrow.Array, i int) {
	from, to := idx.(*array.List).ValueOffsets(i)
	in, n := idx.(*array.List).ListValues().(*array.Int64), cnt.(*array.List).ListValues().(*array.Int64)
	for j := from; j < to; j++ {
		w[fmt.Sprint("bucket ", in.Value(int(j)))] += n.Value(int(j))
	}
}

// sane holds a row to I8.
func (s *store) sane(key string, f fact) {
	for name, v := range f.numbers {
		if strings.HasSuffix(name, "_ns") && v < 0 {
			s.sim.fail("I8 negative duration", "%s: %s = %d", key, name, v)
		}
	}
}

// lines lists all that the store holds, in order.
func (s *store) lines() (lines []string) {
	for k, f := range s.facts {
		lines = append(lines, k+": "+f.text)
	}
	for k, f := range s.lanes {
		lines = append(lines, "lane "+k+": "+f.text)
	}
	for k, w := range s.windows {
		lines = append(lines, fmt.Sprint(k, ": ", w))
	}
	slices.Sort(lines)
	return lines
}

// total adds up a column of request windows.
func (s *store) total(column string) (sum int64) {
	for k, w := range s.windows {
		if strings.HasPrefix(k, RequestWindows.Name+" ") {
			sum += w[column]
		}
	}
	return sum
}
