package replay

import (
	"fmt"
	"math"

	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// playVLLMRun plays the three logs of a load as one sequence of events.
func playVLLMRun(p *player, folder string) error {
	run, err := openVLLMRun(folder, p.Load)
	if err != nil {
		return err
	}
	p.Load = run.load
	if err := p.identify(run.detail, run.vllm, run.gpu); err != nil {
		return err
	}
	if err := p.begin(p.start); err != nil {
		return err
	}
	var line stepmodel.Timeline[func() error]
	for i := range run.requests {
		p.putRequest(run, &run.requests[i], int64(i+1), &line)
	}
	p.putEngine(run, &line)
	p.putGPU(run, &line)
	err = line.Before(math.MaxInt64, func(_ int64, tell *func() error) error { return (*tell)() })
	if err != nil {
		return err
	}
	return p.close(p.MaxRows > 0 && p.MaxRows < int64(len(run.requests)))
}

// clock is a moment of the run's clock in ns since 1970.
func (p *player) clock(run *vllmRun, seconds float64) int64 {
	return p.start + nanos(seconds-run.origin)
}

// putRequest puts the three moments of a request. The last chunk is the end.
func (p *player) putRequest(run *vllmRun, r *vllmRequest, index int64, line *stepmodel.Timeline[func() error]) {
	row := &Row{Line: r.ID + 1, Prompt: r.Prompt, Output: lifecycle.Unknown, Images: lifecycle.Unknown, index: index}
	row.Measured = &Measured{TTFT: nanos(r.FirstChunk), E2E: nanos(r.TotalChunk), Outcome: stream.OutcomeOK}
	at := p.clock(run, r.arrival())
	l := p.request(row)
	p.requests[index] = l
	put := func(at int64, o stepmodel.Output) {
		o.Request = index
		line.Put(at, func() error { return p.tell(at, &o) })
	}
	p.moments(row, at, put)
}

// putEngine puts the engine's samples, each standing until the next, the last for no time.
func (p *player) putEngine(run *vllmRun, line *stepmodel.Timeline[func() error]) {
	for i, s := range run.engine {
		at, next := p.clock(run, s.at), p.clock(run, run.engine[min(i+1, len(run.engine)-1)].at)
		line.Put(at, func() error { return p.engineState(&s, at, next-at) })
	}
}

func (p *player) engineState(s *vllmState, at, dt int64) error {
	in := &p.instances[0]
	e := p.out.Begin(stream.KindEngine, lifecycle.LaneEngines, in, at)
	if in.Model != "" {
		e.SetText(stream.EngineModel, in.Model)
	}
	e.SetInt(stream.EngineDtNano, dt)
	e.SetInt(stream.EngineRunningRequests, s.running)
	e.SetInt(stream.EngineWaitingRequests, s.pending)
	e.SetInt(stream.EngineSwappedRequests, s.swapped)
	e.SetInt(stream.EngineKVCacheUsageRatio, percent(s.kv))
	return p.out.Send()
}

// putGPU puts the samples of the one GPU, each standing until the next, the last for no time.
func (p *player) putGPU(run *vllmRun, line *stepmodel.Timeline[func() error]) {
	for i, s := range run.gpus {
		at, next := p.clock(run, s.At), p.clock(run, run.gpus[min(i+1, len(run.gpus)-1)].At)
		line.Put(at, func() error { return p.gpuState(&s, at, next-at) })
	}
}

func (p *player) gpuState(s *gpuState, at, dt int64) error {
	in := &p.instances[0]
	e := p.out.Begin(stream.KindGPU, lifecycle.LaneGPUs, in, at)
	e.SetText(stream.GPUGPU, in.GPUs[0])
	e.SetInt(stream.GPUDtNano, dt)
	e.SetInt(stream.GPUUtilizationRatio, percent(s.Utilization))
	e.SetInt(stream.GPUFramebufferUsedMiB, s.UsedMiB)
	e.SetInt(stream.GPUFramebufferFreeMiB, max(0, s.TotalMiB-s.UsedMiB))
	e.SetInt(stream.GPUTemperatureCelsius, s.Celsius)
	return p.out.Send()
}

// percent turns per cent into millionths, rounded.
func percent(v float64) int64 { return int64(math.Round(v * 10_000)) }

// gpuName names a GPU that its log does not name.
func gpuName(instance string) string { return fmt.Sprintf("GPU-%s-0", instance) }
