package aggregate

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/inferlake/inferlake/stream"
)

// A gauge without a duration of its own holds for at most so many sample intervals.
const gaugeHoldIntervals = 3

// maxGauge bounds a gauge so that value · ns over a window stays a whole number of 63 bits.
const maxGauge = int64(1<<63-1) / WindowNS

// dtField and startedField are where a kind of sample says how long its gauges stand, and when its counters began.
var (
	dtField = map[stream.Kind]stream.Field{stream.KindEngine: stream.EngineDtNano, stream.KindGPU: stream.GPUDtNano,
		stream.KindNode: stream.NodeDtNano, stream.KindKube: stream.KubeDtNano}
	startedField = map[stream.Kind]stream.Field{stream.KindEngine: stream.EngineStartedUnixNano, stream.KindGPU: stream.GPUStartedUnixNano,
		stream.KindNode: stream.NodeStartedUnixNano, stream.KindKube: stream.KubeStartedUnixNano}
)

// seriesDimensions say what a series is of.
type seriesDimensions struct {
	kind                                       stream.Kind
	dpIndex                                    int64
	instance, gpu, node                        string
	namespace, deployment, pod, model, version string
}

// series is what is known of one source's gauges and counters in one boot.
type series struct {
	seriesDimensions
	key      string
	ordinal  int64 // in order of first sight
	points   []point
	lastAt   int64 // of its last sample in time
	interval int64 // between its last two
	started  int64
	touched  int64 // log clock of its last sample
	silent   bool  // dropped for silence; kept until its deltas are out
	deltas   int
}

// point is the last value of one gauge or counter.
type point struct {
	has       bool
	at, value int64
	until     int64 // gauges: booked up to here; 0: not booked yet
}

type seriesSet struct {
	byKey   map[string]*series
	next    int64
	scanned int64 // log clock of the last look for silent series
	scratch []byte
}

func newSeriesSet() seriesSet { return seriesSet{byKey: map[string]*series{}} }

// sample writes a sample's row and follows its gauges and counters.
func (f *Fold) sample(e *stream.Event, at stream.Position) {
	f.out.sample(f.log, e, at)
	measures := sampleMeasures[e.Kind]
	if len(measures) == 0 {
		if e.Kind == stream.KindInstance && stream.Lifecycle(e.Num(stream.InstanceState)) == stream.StateStopped {
			f.stopped(e)
		}
		return
	}
	s := f.series.of(e, &f.texts, len(measures))
	s.touched, s.silent = f.clocks.log, false
	f.makeRoomForSeries(s)
	t, fresh, stale, leapt := e.Num(stream.EventTimeUnixNano), false, false, false
	for i, m := range measures {
		v, ok := e.Int(m.field)
		if !ok || (v > maxGauge || v < -maxGauge) && !m.counter {
			continue // unknown or impossible: no effect on windows
		}
		if s.points[i].has && t <= s.points[i].at {
			stale = true
			continue
		}
		fresh = true
		if m.counter {
			leapt = !f.count(s, i, t, v, e.Num(startedField[e.Kind])) || leapt
		} else {
			f.gauge(s, i, t, v, e.Num(dtField[e.Kind]))
		}
	}
	if fresh {
		f.samples.of(s, windowOf(t)).samples++
	}
	if leapt || stale && !fresh {
		f.givenUp.Stale++
	}
	if t > s.lastAt {
		if s.lastAt != 0 {
			s.interval = t - s.lastAt
		}
		s.lastAt, s.started = t, max(s.started, e.Num(startedField[e.Kind]))
	}
}

// stopped notes that a boot said goodbye.
func (f *Fold) stopped(e *stream.Event) {
	if l := f.lane(e); l != nil {
		l.stopped = true
		if seq, ok := e.Int(stream.InstanceLastSeq); ok {
			l.announced = max(l.announced, seq)
		}
	}
}

// makeRoomForSeries keeps the series within their cap: those silent longest go, once no window waits for them. The one
// that the event at hand is of stays.
func (f *Fold) makeRoomForSeries(at *series) {
	if len(f.series.byKey) <= f.rules.MaxSeries {
		return
	}
	f.emit(maxTime)
	f.givenUp.Evicted += int64(len(evict(f.series.byKey, f.rules.MaxSeries, func(key string, s *series) (int64, string) {
		if s == at {
			return maxTime, key
		}
		return s.touched, key
	})))
}

// of returns the series of a sample.
func (set *seriesSet) of(e *stream.Event, texts *interner, points int) *series {
	d := seriesDimensionsOf(e)
	b := append(set.scratch[:0], byte(d.kind))
	for _, s := range []string{d.instance, e.Text(stream.EventBoot), d.gpu, d.node, d.namespace, d.deployment, d.pod, d.model, d.version} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	b = binary.AppendVarint(b, d.dpIndex)
	set.scratch = b
	if s := set.byKey[string(b)]; s != nil {
		return s
	}
	for _, s := range []*string{&d.instance, &d.gpu, &d.node, &d.namespace, &d.deployment, &d.pod, &d.model, &d.version} {
		*s = texts.intern(*s)
	}
	s := &series{seriesDimensions: d, key: string(b), ordinal: set.next, points: make([]point, points)}
	set.next++
	set.byKey[s.key] = s
	return s
}

func seriesDimensionsOf(e *stream.Event) seriesDimensions {
	d := seriesDimensions{kind: e.Kind, dpIndex: e.Num(stream.EventDPIndex), instance: e.Text(stream.EventInstance)}
	switch e.Kind {
	case stream.KindEngine:
		d.model, d.version = e.Text(stream.EngineModel), e.Text(stream.EngineModelVersion)
	case stream.KindGPU:
		d.gpu, d.node = e.Text(stream.GPUGPU), e.Text(stream.GPUNode)
	case stream.KindNode:
		d.node = e.Text(stream.NodeNode)
	case stream.KindKube:
		d.namespace, d.deployment, d.pod, d.node = e.Text(stream.KubeNamespace), e.Text(stream.KubeDeployment), e.Text(stream.KubePod), e.Text(stream.KubeNode)
	}
	return d
}

// gauge books the level that held until now, and the new one where it says for how long it stands.
func (f *Fold) gauge(s *series, i int, t, v, dt int64) {
	p := &s.points[i]
	if p.has {
		if p.until > t {
			f.samples.level(s, i, t, p.until, -p.value, -1) // it stood for less than it said
		}
		if p.until == 0 {
			f.hold(s, i, t)
		}
	}
	*p = point{has: true, at: t, value: v}
	f.samples.seen(s, i, t, v)
	if dt = min(dt, f.rules.MaxLife.Nanoseconds()); dt > 0 {
		p.until = t + dt
		f.samples.level(s, i, t, p.until, v, 1)
	}
}

// hold books a gauge without a duration until t, for three intervals at most.
func (f *Fold) hold(s *series, i int, t int64) {
	p := &s.points[i]
	limit := s.interval
	if limit == 0 {
		limit = t - p.at
	}
	longest := f.rules.MaxLife.Nanoseconds()
	until := min(t, p.at+min(gaugeHoldIntervals*min(limit, longest), longest))
	f.samples.level(s, i, p.at, until, p.value, 1)
}

// count books a counter's increase over the time since its last value. A later start, or without one a fall, is a
// reset: it counted from zero. It says whether the increase was believed.
func (f *Fold) count(s *series, i int, t, v, started int64) bool {
	p := &s.points[i]
	from, increase := p.at, v-p.value
	switch {
	case !p.has && started != 0 && started >= f.clocks.first && started <= t:
		from, increase = started, v
	case !p.has:
		from, increase = t, 0
	case started > s.started && started <= t:
		from, increase = max(p.at, started), v
	case increase < 0:
		increase = v
	}
	*p = point{has: true, at: t, value: v}
	from = max(from, t-f.rules.MaxLife.Nanoseconds())
	f.samples.seen(s, i, t, 0)
	if increase > 0 && !believable(increase, t-from) {
		return false
	}
	if increase > 0 {
		f.samples.increase(s, i, from, t, increase)
	}
	return true
}

// believable says that a counter may have grown so much: by 8 TB/s, beside 4 billion at once. What grows faster is another
// counter under the same name, or noise; a few such increases would make the sums over a day overflow.
func believable(increase, ns int64) bool {
	const perNano, atOnce, longest = 1 << 13, 1 << 32, 1 << 47
	return increase <= atOnce+perNano*min(ns, longest)
}

// dropSilent books the last level of series that have been silent for as long as a request may be, and forgets them.
func (f *Fold) dropSilent() {
	expiry := f.rules.Expiry.Nanoseconds()
	if f.clocks.log < f.series.scanned+expiry/4 {
		return
	}
	f.series.scanned = f.clocks.log
	for _, s := range f.series.silentSince(f.clocks.log - expiry) {
		if !s.silent {
			s.silent = true
			f.holdLast(s)
			f.makeRoom()
		}
		if s.deltas == 0 {
			delete(f.series.byKey, s.key)
		}
	}
}

// silentSince lists the series without a sample since a log clock, in order of first sight.
func (set *seriesSet) silentSince(log int64) (silent []*series) {
	for _, s := range set.byKey {
		if s.touched < log {
			silent = append(silent, s)
		}
	}
	slices.SortFunc(silent, func(a, b *series) int { return cmp.Compare(a.ordinal, b.ordinal) })
	return silent
}

// holdLast books the last levels for as long as they may hold; a sample that was the only one has no interval.
func (f *Fold) holdLast(s *series) {
	for i, m := range sampleMeasures[s.kind] {
		if p := &s.points[i]; p.has && !m.counter && p.until == 0 {
			if s.interval != 0 {
				f.hold(s, i, maxTime)
			}
			p.until = p.at
		}
	}
}
