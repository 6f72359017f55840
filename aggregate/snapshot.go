package aggregate

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/inferlake/inferlake/stream"
)

// Snapshot returns the whole state, written over used where that is large enough: two folds that were given the same return
// the same bytes. It is taken right after a cut, when no row waits.
func (f *Fold) Snapshot(used []byte) []byte {
	c := &codec{buf: used[:0]}
	f.state(c)
	return c.buf
}

// Restore replaces the state by a snapshot; nil is the empty state.
func (f *Fold) Restore(snapshot []byte) error {
	f.Skip()
	f.reset()
	if snapshot == nil {
		return nil
	}
	c := &codec{buf: snapshot, reading: true}
	f.state(c)
	if c.failed || len(c.buf) != 0 {
		f.reset()
		return errSnapshot
	}
	return nil
}

// state writes or reads every part that the fold may look at.
func (f *Fold) state(c *codec) {
	version := int64(stateVersion)
	if c.int(&version); version != stateVersion {
		c.fail()
		return
	}
	c.ints(&f.clocks.log, &f.clocks.greatest, &f.clocks.emitted, &f.clocks.first)
	n := &f.counts
	c.ints(&n.Records, &n.Consumed, &n.Loaded, &n.Duplicate, &n.Dead, &n.Late)
	g := &f.givenUp
	c.ints(&g.Evicted, &g.Forgotten, &g.Others, &g.Stale)
	f.coverage.state(c)
	f.bootState(c)
	for i := range f.dimensions {
		f.dimensions[i].state(c)
	}
	f.windows.state(c)
	f.requests.state(c, &f.windows)
	all := f.series.state(c)
	f.samples.state(c, all)
}

func (cov *coverage) state(c *codec) {
	lanes := slices.SortedFunc(maps.Values(cov.lanes), func(a, b *lane) int {
		return cmp.Or(cmp.Compare(a.producer, b.producer), cmp.Compare(a.boot, b.boot), cmp.Compare(a.laneKey.lane, b.laneKey.lane))
	})
	c.each(len(lanes), func(i int) {
		l := &lane{}
		if !c.reading {
			l = lanes[i]
		}
		c.textsOf(&l.producer, &l.boot, &l.source, &l.instance)
		c.ints(&l.lane, &l.announced, &l.received, &l.duplicates, &l.heartbeats, &l.bridged, &l.touched, &l.firstAt, &l.lastAt)
		c.bool(&l.stopped)
		n := c.size(len(l.runs))
		if c.reading {
			l.runs = make([]run, n)
			cov.lanes[l.laneKey] = l
		}
		for j := range l.runs {
			c.ints(&l.runs[j].from, &l.runs[j].to)
		}
	})
}

func (f *Fold) bootState(c *codec) {
	keys := slices.SortedFunc(maps.Keys(f.boots), func(a, b bootKey) int {
		return cmp.Or(cmp.Compare(a.instance, b.instance), cmp.Compare(a.dpIndex, b.dpIndex), cmp.Compare(a.role, b.role))
	})
	c.each(len(keys), func(i int) {
		var k bootKey
		if !c.reading {
			k = keys[i]
		}
		b, role := f.boots[k], int64(k.role)
		c.textsOf(&k.instance, &b.id)
		c.ints(&k.dpIndex, &role, &b.started, &b.touched)
		k.role = stream.Role(role)
		f.boots[k] = b
	})
}

func (a *admission) state(c *codec) {
	names := slices.Sorted(maps.Keys(a.seen))
	c.each(len(names), func(i int) {
		var name string
		if !c.reading {
			name = names[i]
		}
		c.text(&name)
		if c.reading {
			a.seen[name] = new(int64)
		}
		c.int(a.seen[name])
	})
}

func (w *windows) state(c *codec) {
	c.each(len(w.dims), func(i int) {
		var d dims
		if !c.reading {
			d = w.dims[i]
		}
		c.textsOf(&d.role, &d.instance, &d.model, &d.version, &d.adapter, &d.requestClass)
		if c.reading {
			w.id(d)
		}
	})
	keys := slices.SortedFunc(maps.Keys(w.deltas), func(a, b windowKey) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.dims, b.dims))
	})
	c.each(len(keys), func(i int) {
		var start, id int64
		if !c.reading {
			start, id = keys[i].start, int64(keys[i].dims)
		}
		if c.ints(&start, &id); !w.known(id) {
			c.fail()
			return
		}
		w.delta(start, int32(id)).state(c)
	})
	w.last = nil
}

func (w *windows) known(id int64) bool { return id >= 0 && id < int64(len(w.dims)) }

func (d *windowDelta) state(c *codec) {
	for i := range d.sums {
		c.int(&d.sums[i])
	}
	for i := range d.sketches {
		s := &d.sketches[i]
		c.ints(&s.N, &s.Zero, &s.Total, &s.Min, &s.Max)
		c.bool(&s.seen)
		s.indices(c)
		c.list(&s.cnt)
		if len(s.idx) != len(s.cnt) {
			c.fail()
		}
	}
}

// indices writes or reads which buckets there are, ascending.
func (s *Sketch) indices(c *codec) {
	n := c.size(len(s.idx))
	if c.reading {
		s.idx = make([]uint16, n)
	}
	for i := range s.idx {
		b := int64(s.idx[i])
		if c.int(&b); c.reading && (b < 0 || b > math.MaxUint16 || i > 0 && b <= int64(s.idx[i-1])) {
			c.fail()
			return
		}
		s.idx[i] = uint16(b)
	}
}

// state writes the open requests, then the closed ones, each in queue order.
func (q *requests) state(c *codec, w *windows) {
	c.ints(&q.pending, &q.oldest, &q.longestUntold)
	for _, list := range []*requestStore{q.open, q.closed} {
		n := list.front
		c.each(list.n, func(int) {
			if c.reading {
				q.restore(c, w, list)
				return
			}
			c.buf = q.load(q.other, list, n).appendState(c.buf)
			n = list.at(n).next
		})
	}
}

// restore reads a request into a queue. A second one of the same key is damage.
func (q *requests) restore(c *codec, w *windows, to *requestStore) {
	r := q.fresh(q.other)
	r.closed = to == q.closed
	if r.closed {
		r.cut = writtenBefore
	}
	if r.state(c); r.booked && !w.known(int64(r.bookedDims)) || len(r.itlBucket) != len(r.itlCount) || q.open.find(r.key) != 0 || q.closed.find(r.key) != 0 {
		c.fail()
	}
	if c.failed {
		return
	}
	r.first, _ = r.extent()
	r.numbered = r.id.ordinal != 0
	q.admit(r, to)
	q.save(r)
}

func (r *Request) state(c *codec) {
	c.unsigned(&r.key[0])
	c.unsigned(&r.key[1])
	index, role, dims, flags := int64(r.place.Index), int64(r.id.role), int64(r.bookedDims), int64(r.flags)
	if c.ints(&r.place.Offset, &index, &role, &dims, &flags); stream.RoleNames.Name(role) == "" && role != 0 {
		c.fail()
	}
	r.place.Index, r.id.role, r.bookedDims, r.flags = int32(index), stream.Role(role), int32(dims), Flags(flags)
	id := &r.id
	c.textsOf(&id.producer, &id.boot, &id.source, &id.instance, &id.requestID)
	c.ints(&id.dpIndex, &id.attempt, &id.choice, &id.ordinal, &id.life)
	r.fields(c)
	c.list(&r.itlBucket)
	c.list(&r.itlCount)
	for i := range r.progressSeen {
		c.int(&r.progressSeen[i])
	}
	c.ints(&r.outputSeen, &r.stepFirst, &r.stepLast, &r.events, &r.revision, &r.touched)
	c.bools(&r.late, &r.booked)
}

// maxRank is the rank of the highest source's last word.
const maxRank = 3<<1 | 1

// writtenBefore is the cut of a row that went out before the snapshot.
const writtenBefore = -1

// fields writes what is known, field by field.
func (r *Request) fields(c *codec) {
	c.unsigned(&r.set[0])
	c.unsigned(&r.set[1])
	for w, word := range r.set {
		for word != 0 {
			i := w<<6 + bits.TrailingZeros64(word)
			word &= word - 1
			if i >= requestFields {
				c.fail()
				return
			}
			r.field(c, i)
		}
	}
}

func (r *Request) field(c *codec, i int) {
	rank := int64(r.rank[i])
	c.ints(&r.num[i], &rank)
	if rank < 0 || rank > maxRank {
		c.fail()
	}
	r.rank[i] = uint8(rank)
	r.noteRank(i, r.rank[i])
	f := requestFirst + stream.Field(i)
	info := &stream.Fields[f]
	if _, most := info.Bounds(); (info.Type == stream.Enum || info.Type == stream.Time) && (r.num[i] < 0 || r.num[i] > most) {
		c.fail()
	}
	switch {
	case info.Type == stream.Text:
		c.text(&r.text[textSlot[i]])
	case info.Merge == stream.FirstMark || info.Merge == stream.LastMark:
		m := &r.mono[markIndex[i]]
		domain := int64(m.domain)
		c.ints(&m.mono, &domain)
		m.domain = uint32(domain)
	}
}

func (set *seriesSet) state(c *codec) (all map[int64]*series) {
	c.ints(&set.next, &set.scanned)
	list := slices.SortedFunc(maps.Values(set.byKey), func(a, b *series) int { return cmp.Compare(a.ordinal, b.ordinal) })
	all = map[int64]*series{}
	c.each(len(list), func(i int) {
		s := &series{}
		if !c.reading {
			s = list[i]
		}
		kind := int64(s.kind)
		c.textsOf(&s.key, &s.instance, &s.gpu, &s.node, &s.namespace, &s.deployment, &s.pod, &s.model, &s.version)
		c.ints(&kind, &s.dpIndex, &s.ordinal, &s.lastAt, &s.interval, &s.started, &s.touched)
		c.bool(&s.silent)
		s.kind = stream.Kind(kind)
		n := c.size(len(s.points))
		if c.reading {
			if n == 0 || n != len(sampleMeasures[s.kind]) {
				c.fail()
				return
			}
			s.points = make([]point, n)
			set.byKey[s.key] = s
		}
		for j := range s.points {
			p := &s.points[j]
			c.bool(&p.has)
			c.ints(&p.at, &p.value, &p.until)
		}
		all[s.ordinal] = s
	})
	return all
}

func (w *sampleWindows) state(c *codec, all map[int64]*series) {
	keys := w.keys(maxTime)
	c.each(len(keys), func(i int) {
		var start, ordinal int64
		if !c.reading {
			start, ordinal = keys[i].start, keys[i].series.ordinal
		}
		c.ints(&start, &ordinal)
		s := all[ordinal]
		if s == nil {
			c.fail()
			return
		}
		w.of(s, start).state(c)
	})
	w.last = nil
}

// state writes the measures of which there is something to say.
func (d *sampleWindow) state(c *codec) {
	c.int(&d.samples)
	for i := range d.measures {
		m := &d.measures[i]
		changed := *m != sampleDelta{}
		if c.bool(&changed); changed {
			c.ints(&m.sum, &m.observedNS, &m.min, &m.max)
			c.bool(&m.seen)
		}
	}
}
