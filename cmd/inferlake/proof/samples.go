package proof

import (
	"fmt"

	"github.com/inferlake/inferlake/stream"
)

func (e *engine) gpu(i int) string { return fmt.Sprintf("GPU-%d-%d", e.index, i) }

// samples tells of levels and counters, each second or at longer intervals. Engines differ in what they can say: some
// give a level its duration, some the start of their counters.
func (e *engine) samples() {
	e.sampleAt += second * []int64{1, 2, 5, 15}[e.rng.IntN(4)]
	e.grow()
	e.engineSample()
	e.stepRun()
	e.gpuSample()
	if e.chance(0.5) {
		e.nodeSample()
	}
	if e.chance(0.02) {
		e.fault()
	}
}

// grow lets the counters count; now and then one starts again without saying so.
func (e *engine) grow() {
	for i := range e.totals {
		e.totals[i] += e.rng.Int64N(1000) * e.rng.Int64N(5)
	}
	if e.chance(0.02) {
		e.totals[e.rng.IntN(len(e.totals))] = e.rng.Int64N(100)
	}
}

func (e *engine) engineSample() {
	v := e.event(stream.KindEngine, sampleLane, e.now)
	v.SetText(stream.EngineModel, e.model)
	switch e.index % 3 {
	case 0:
		v.SetInt(stream.EngineDtNano, e.between(second/2, 7*second))
		v.SetInt(stream.EngineStartedUnixNano, e.started)
	case 1:
		v.SetInt(stream.EngineStartedUnixNano, e.started)
	}
	v.SetInt(stream.EngineRunningRequests, e.rng.Int64N(200))
	v.SetInt(stream.EngineKVCacheUsageRatio, e.rng.Int64N(1e6+1))
	if e.chance(0.7) {
		v.SetInt(stream.EngineWaitingRequests, e.rng.Int64N(3))
	}
	v.SetInt(stream.EngineOutputTokensTotal, e.totals[0])
	v.SetInt(stream.EnginePromptTokensTotal, e.totals[1])
	if e.chance(0.5) {
		v.SetInt(stream.EnginePreemptionsTotal, e.totals[2])
	}
	e.at(e.now, v)
}

func (e *engine) stepRun() {
	v := e.event(stream.KindStep, sampleLane, e.now)
	v.SetInt(stream.StepPasses, e.between(1, 50))
	v.SetInt(stream.StepWallNano, e.between(second/100, second))
	v.SetInt(stream.StepDecodeTokens, e.rng.Int64N(5000))
	e.at(e.now, v)
}

func (e *engine) gpuSample() {
	for i := range 2 {
		v := e.event(stream.KindGPU, sampleLane, e.now)
		v.SetText(stream.GPUGPU, e.gpu(i))
		v.SetText(stream.GPUNode, fmt.Sprint("node-", e.index))
		if e.index%2 == 0 {
			v.SetInt(stream.GPUDtNano, second)
		}
		v.SetInt(stream.GPUSMActiveRatio, e.rng.Int64N(1e6+1))
		v.SetInt(stream.GPUPowerMilliwatts, e.between(70_000, 700_000))
		v.SetInt(stream.GPUTemperatureCelsius, e.between(-5, 90))
		v.SetInt(stream.GPUEnergyMillijoulesTotal, e.totals[3+i])
		v.SetTexts(stream.GPUUnavailable, []string{"fp64_active_ratio"})
		e.at(e.now, v)
	}
}

func (e *engine) nodeSample() {
	v := e.event(stream.KindNode, sampleLane, e.now)
	v.SetText(stream.NodeNode, fmt.Sprint("node-", e.index))
	v.SetInt(stream.NodeCPUUsageRatio, e.rng.Int64N(1e6+1))
	v.SetInt(stream.NodePageFaultsTotal, e.totals[5])
	e.at(e.now, v)
	k := e.event(stream.KindKube, sampleLane, e.now)
	k.SetText(stream.KubeNamespace, "llm")
	k.SetText(stream.KubePod, fmt.Sprint("pod-", e.index))
	k.SetInt(stream.KubeReadyRatio, 1e6*e.rng.Int64N(2))
	k.SetInt(stream.KubeRestartsTotal, int64(e.boot))
	e.at(e.now, k)
}

func (e *engine) fault() {
	v := e.event(stream.KindFault, sampleLane, e.now)
	v.SetText(stream.FaultGPU, e.gpu(e.rng.IntN(2)))
	v.SetInt(stream.FaultFault, int64(stream.FaultKindXid))
	v.SetInt(stream.FaultCode, 79)
	e.at(e.now, v)
}
