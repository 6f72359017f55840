package lifecycle

import (
	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// Sample writes the state of an engine.
func (w *Writer) Sample(in *Instance, s *stepmodel.Sample, at int64) error {
	e := w.Begin(stream.KindEngine, LaneEngines, in, at)
	text(e, stream.EngineModel, in.Model)
	text(e, stream.EngineModelVersion, in.Version)
	e.SetInt(stream.EngineDtNano, s.Dt*1000)
	number(e, stream.EngineStartedUnixNano, in.Started)
	e.SetInt(stream.EngineRunningRequests, s.Running)
	e.SetInt(stream.EngineWaitingRequests, s.Waiting)
	e.SetInt(stream.EngineBatchSequences, s.BatchSequences)
	e.SetInt(stream.EngineBatchTokens, s.BatchTokens)
	if in.Profile != nil {
		kv(e, in.Profile, s)
	}
	counters(e, s)
	if in.PrefixCache {
		e.SetInt(stream.EngineCachedLocalTokensTotal, s.CachedTokens)
		e.SetInt(stream.EnginePrefixCacheQueriesTotal, s.CacheQueries)
		e.SetInt(stream.EnginePrefixCacheHitsTotal, s.CachedTokens)
		e.SetInt(stream.EngineEvictionsTotal, s.Evictions)
	}
	return w.Send()
}

func kv(e *stream.Event, p *stepmodel.Profile, s *stepmodel.Sample) {
	total := p.KVTokens / p.BlockTokens
	used := min(total, (s.KVTokens+p.BlockTokens-1)/p.BlockTokens)
	e.SetInt(stream.EngineKVCacheUsageRatio, s.KVTokens*1_000_000/p.KVTokens)
	e.SetInt(stream.EngineKVUsedBlocks, used)
	e.SetInt(stream.EngineKVFreeBlocks, total-used)
	e.SetInt(stream.EngineKVTotalBlocks, total)
	if s.Evictable >= 0 {
		e.SetInt(stream.EngineKVEvictableBlocks, s.Evictable/p.BlockTokens)
	}
	e.SetInt(stream.EngineMaxSequences, p.MaxSequences)
	e.SetInt(stream.EngineMaxBatchedTokens, p.MaxBatchedTokens)
}

func counters(e *stream.Event, s *stepmodel.Sample) {
	e.SetInt(stream.EnginePromptTokensTotal, s.PromptTokens)
	e.SetInt(stream.EngineComputedPromptTokensTotal, s.Passes.PrefillTokens)
	e.SetInt(stream.EngineOutputTokensTotal, s.OutputTokens)
	e.SetInt(stream.EngineFinishedTotal, s.Finished)
	e.SetInt(stream.EngineStepsTotal, s.Passes.Passes)
	if s.Evictable < 0 { // an engine that reserves never preempts
		return
	}
	e.SetInt(stream.EnginePreemptionsTotal, s.Preemptions)
	e.SetInt(stream.EngineAllocationFailuresTotal, s.Failures)
	e.SetInt(stream.EngineRejectionsTotal, s.Rejections)
	e.SetInt(stream.EngineAbortedTotal, s.Aborted)
}

// Run writes a run of passes.
func (w *Writer) Run(in *Instance, r *stepmodel.Run, at int64) error {
	e := w.Begin(stream.KindStep, LaneEngines, in, at)
	e.SetInt(stream.StepRankIndex, 0)
	e.SetInt(stream.StepPasses, r.Passes)
	e.SetInt(stream.StepWallNano, r.Wall*1000)
	e.SetInt(stream.StepPrefillTokens, r.PrefillTokens)
	e.SetInt(stream.StepPrefillContextTwice, r.PrefillContextTwice)
	e.SetInt(stream.StepPrefillSequences, r.PrefillSequences)
	e.SetInt(stream.StepDecodeSequences, r.DecodeSequences)
	e.SetInt(stream.StepDecodeTokens, r.DecodeTokens)
	e.SetInt(stream.StepKVTokensRead, r.KVTokensRead)
	e.SetInt(stream.StepPassesTotal, r.Total.Passes)
	e.SetInt(stream.StepWallNanoTotal, r.Total.Wall*1000)
	e.SetInt(stream.StepPrefillTokensTotal, r.Total.PrefillTokens)
	e.SetInt(stream.StepPrefillContextTwiceTotal, r.Total.PrefillContextTwice)
	e.SetInt(stream.StepDecodeTokensTotal, r.Total.DecodeTokens)
	e.SetInt(stream.StepKVTokensReadTotal, r.Total.KVTokensRead)
	return w.Send()
}
