package simulate

import (
	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// board is what a type of GPU can do.
type board struct {
	idleWatts, maxWatts int64
	memoryMiB           int64
	clockMHz            int64
}

func boardOf(gpuType string) board {
	if gpuType == "H100" {
		return board{idleWatts: 75, maxWatts: 700, memoryMiB: 81_559, clockMHz: 1980}
	}
	return board{idleWatts: 60, maxWatts: 400, memoryMiB: 81_920, clockMHz: 1410}
}

// meter turns the passes of an engine into the state of its GPUs. They work in step, so one meter serves all.
type meter struct {
	board    board
	profile  *stepmodel.Profile
	interval int64 // µs
	next     int64 // µs since 1970
	last     stepmodel.Sample
	millis   int64 // mJ of one GPU so far
}

func newMeter(g *generation, o *Options) meter {
	every := o.GPUInterval.Microseconds()
	return meter{board: boardOf(g.profile.GPUType), profile: &g.profile, interval: every, next: g.from + every}
}

// load is the work of an interval, in millionths of its time.
type load struct{ busy, prefill, tensor, dram, watts int64 }

// due says whether an engine's sample ends an interval.
func (m *meter) due(at int64) bool { return at >= m.next }

// read ends an interval and returns its load. Prompts are computed at six tenths of the peak of the tensor cores,
// decoding reads weights and contexts at eight tenths of the memory's bandwidth: the usual figures for models of
// this size. Power follows both.
func (m *meter) read(s *stepmodel.Sample) load {
	const full = 1_000_000
	part := func(micros int64) int64 { return min(full, micros*full/m.interval) }
	var l load
	l.busy = part(s.Busy - m.last.Busy)
	l.prefill = min(l.busy, part((s.Passes.PrefillTokens-m.last.Passes.PrefillTokens)*m.profile.B/1_000_000))
	decode := l.busy - l.prefill
	l.tensor = l.prefill*6/10 + decode*5/100
	l.dram = l.prefill*3/10 + decode*8/10
	swing := m.board.maxWatts - m.board.idleWatts
	l.watts = m.board.idleWatts + swing*(l.busy*2+l.tensor*9/2+l.dram*4)/(10*full)
	m.millis += l.watts * m.interval / 1000
	m.last, m.next = *s, m.next+m.interval
	return l
}

// gpus writes a sample of each GPU of an instance. Like an exporter's, it tells of the interval that ended.
func (m *meter) gpus(w *lifecycle.Writer, in *lifecycle.Instance, l load, at int64) error {
	for _, id := range in.GPUs {
		e := w.Begin(stream.KindGPU, lifecycle.LaneGPUs, in, at)
		e.SetText(stream.GPUGPU, id)
		e.SetText(stream.GPUGPUType, m.profile.GPUType)
		e.SetText(stream.GPUNode, in.Node)
		e.SetInt(stream.GPUDtNano, m.interval*1000)
		e.SetInt(stream.GPUStartedUnixNano, in.Started)
		m.gauges(e, l)
		e.SetInt(stream.GPUEnergyMillijoulesTotal, m.millis)
		if err := w.Send(); err != nil {
			return err
		}
	}
	return nil
}

func (m *meter) gauges(e *stream.Event, l load) {
	used := m.board.memoryMiB * 9 / 10
	e.SetInt(stream.GPUUtilizationRatio, l.busy)
	e.SetInt(stream.GPUGraphicsActiveRatio, l.busy)
	e.SetInt(stream.GPUSMActiveRatio, l.prefill*95/100+(l.busy-l.prefill)*7/10)
	e.SetInt(stream.GPUTensorActiveRatio, l.tensor)
	e.SetInt(stream.GPUDRAMActiveRatio, l.dram)
	e.SetInt(stream.GPUFramebufferUsedMiB, used)
	e.SetInt(stream.GPUFramebufferFreeMiB, m.board.memoryMiB-used)
	e.SetInt(stream.GPUSMClockMHz, m.board.clockMHz)
	e.SetInt(stream.GPUPowerMilliwatts, l.watts*1000)
	e.SetInt(stream.GPUTemperatureCelsius, 32+40*l.watts/m.board.maxWatts)
}
