package simulate

import (
	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// meter turns the passes of an engine into the state of its GPUs. They work in step, so one meter serves all. Counters of
// the GPU go on from boot to boot.
type meter struct {
	seat     *seat
	board    board
	interval int64 // µs
	next     int64 // µs since 1970
	since    int64 // ns since 1970: start of the counters

	last                   stepmodel.Sample
	millis                 int64 // mJ of one GPU so far
	received, sent, linked int64 // bytes of one GPU so far: PCIe, PCIe, NVLink each way
	throttled, corrected   int64 // ns for heat, memory errors so far
	uncorrected            int64
}

func newMeter(s *seat, m *simulation) *meter {
	every := m.scenario.Samples.GPU.Microseconds()
	from := s.pool.gen.from
	return &meter{seat: s, board: boardOf(s.pool.profile.GPUType), interval: every, next: from + every, since: (from - s.pool.gen.service.deployment.Startup.Microseconds()) * 1000}
}

// boot says that the engine's counters begin anew.
func (t *meter) boot() { t.last = stepmodel.Sample{} }

// due says whether an engine's sample ends an interval.
func (t *meter) due(at int64) bool { return t.interval > 0 && at >= t.next }

// load is the work of an interval, in millionths of its time.
type load struct{ busy, prefill, tensor, dram, watts int64 }

// read ends an interval and returns its load. Prompts are computed at six tenths of the peak of the tensor cores,
// decoding reads weights and contexts at eight tenths of the memory's bandwidth: the usual figures for models of
// this size. Power follows both, and the clock.
func (t *meter) read(s *stepmodel.Sample) load {
	const full = 1_000_000
	part := func(micros int64) int64 { return max(0, min(full, micros*full/t.interval)) }
	var l load
	p := &t.seat.pool.profile
	prompt, decoded := s.Passes.PrefillTokens-t.last.Passes.PrefillTokens, s.Passes.DecodeTokens-t.last.Passes.DecodeTokens
	l.busy = part(s.Busy - t.last.Busy)
	l.prefill = min(l.busy, part(prompt*p.B/1_000_000))
	decode := l.busy - l.prefill
	l.tensor = l.prefill*6/10 + decode*5/100
	l.dram = l.prefill*3/10 + decode*8/10
	swing := int64(float64(t.board.maxWatts-t.board.idleWatts) / t.seat.clock)
	l.watts = t.board.idleWatts + swing*(l.busy*2+l.tensor*9/2+l.dram*4)/(10*full)
	t.count(l, s.Passes.Passes-t.last.Passes.Passes, max(0, prompt+decoded))
	t.last, t.next = *s, t.next+t.interval
	return l
}

// count adds an interval to the counters.
func (t *meter) count(l load, passes, tokens int64) {
	t.millis += l.watts * t.interval / 1000
	t.received += max(0, passes)*32_768 + tokens*16
	t.sent += max(0, passes)*8_192 + tokens*8
	t.linked += tokens * linkBytes(&t.seat.pool.profile)
	t.corrected += t.seat.failing
	if t.seat.clock > 1 {
		t.throttled += int64(float64(t.interval*1000) * (1 - 1/t.seat.clock))
	}
}

// gpus writes a sample of each GPU of an instance. Like an exporter's, it tells of the interval that ended.
func (t *meter) gpus(w *voice, in *lifecycle.Instance, l load, at int64) error {
	for _, id := range in.GPUs {
		e := w.Begin(stream.KindGPU, lifecycle.LaneGPUs, in, at)
		e.SetText(stream.GPUGPU, id)
		e.SetText(stream.GPUGPUType, t.seat.pool.profile.GPUType)
		e.SetText(stream.GPUNode, in.Node)
		e.SetInt(stream.GPUDtNano, t.interval*1000)
		e.SetInt(stream.GPUStartedUnixNano, t.since)
		t.gauges(e, l)
		t.counters(e)
		if err := w.Send(); err != nil {
			return err
		}
	}
	return nil
}

// thermal is DCGM's clock event reason for a slowdown by software for heat, and its hardware's.
const thermal = 0x20 | 0x40

func (t *meter) gauges(e *stream.Event, l load) {
	used, clock := t.board.memoryMiB*9/10, int64(float64(t.board.clockMHz)/t.seat.clock)
	if !t.seat.up() {
		used = 600 // no weights, no KV cache
	}
	e.SetInt(stream.GPUUtilizationRatio, l.busy)
	e.SetInt(stream.GPUGraphicsActiveRatio, l.busy)
	e.SetInt(stream.GPUSMActiveRatio, l.prefill*95/100+(l.busy-l.prefill)*7/10)
	e.SetInt(stream.GPUSMOccupancyRatio, l.prefill*35/100+(l.busy-l.prefill)*2/10)
	e.SetInt(stream.GPUTensorActiveRatio, l.tensor)
	e.SetInt(stream.GPUDRAMActiveRatio, l.dram)
	e.SetInt(stream.GPUFramebufferUsedMiB, used)
	e.SetInt(stream.GPUFramebufferFreeMiB, t.board.memoryMiB-used)
	e.SetInt(stream.GPUSMClockMHz, clock)
	e.SetInt(stream.GPUMemoryClockMHz, t.board.memoryMHz)
	e.SetInt(stream.GPUPowerMilliwatts, l.watts*1000)
	warm := 32 + 40*l.watts/t.board.maxWatts
	if e.SetInt(stream.GPUThrottleReasons, 0); t.seat.clock > 1 {
		warm = 88
		e.SetInt(stream.GPUThrottleReasons, thermal)
	}
	e.SetInt(stream.GPUTemperatureCelsius, warm)
	e.SetInt(stream.GPUMemoryTemperatureCelsius, warm+6)
}

func (t *meter) counters(e *stream.Event) {
	e.SetInt(stream.GPUEnergyMillijoulesTotal, t.millis)
	e.SetInt(stream.GPUPCIeRxBytesTotal, t.received)
	e.SetInt(stream.GPUPCIeTxBytesTotal, t.sent)
	if t.seat.pool.profile.GPUs > 1 {
		e.SetInt(stream.GPUNVLinkRxBytesTotal, t.linked)
		e.SetInt(stream.GPUNVLinkTxBytesTotal, t.linked)
	}
	e.SetInt(stream.GPUPowerViolationNanoTotal, 0)
	e.SetInt(stream.GPUThermalViolationNanoTotal, t.throttled)
	e.SetInt(stream.GPUECCSBETotal, t.corrected)
	e.SetInt(stream.GPUECCDBETotal, t.uncorrected)
}

// sampled writes the state of an engine, and that of its GPUs when it is their time too. What does not run is silent, its
// GPUs are not.
func (s *seat) sampled(state *stepmodel.Sample, at int64) error {
	if !s.held() {
		return nil
	}
	if s.up() {
		s.last = *state
		if err := s.voice.Sample(&s.in, state, at*1000); err != nil {
			return err
		}
	}
	if !s.meter.due(at) {
		return nil
	}
	return s.meter.gpus(s.m.voices.rest, &s.in, s.meter.read(state), at*1000)
}

// fault writes an error of a seat's first GPU.
func (s *seat) fault(kind stream.FaultKind, code, count, at int64) error {
	w := s.m.voices.rest
	e := w.Begin(stream.KindFault, lifecycle.LaneGPUs, &s.in, at*1000)
	e.SetText(stream.FaultGPU, s.in.GPUs[0])
	e.SetText(stream.FaultNode, s.in.Node)
	e.SetInt(stream.FaultFault, int64(kind))
	if code > 0 {
		e.SetInt(stream.FaultCode, code)
	}
	e.SetInt(stream.FaultCount, count)
	return w.Send()
}
