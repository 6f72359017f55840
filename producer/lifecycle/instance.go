package lifecycle

import (
	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// Instance is an engine as its events name it. Empty texts and zero numbers are not known and are left out.
type Instance struct {
	Name string
	Role stream.Role

	Engine, EngineVersion string
	Model, Version        string
	Profile               *stepmodel.Profile // limits and GPUs; nil: not known
	PrefixCache           bool
	GPUs                  []string // UUIDs

	Deployment, Namespace, Cluster, Node, Pod, Region string

	Started int64 // ns since 1970: when this boot started
}

// State writes that the instance entered a state.
func (w *Writer) State(in *Instance, state stream.Lifecycle, at int64) error {
	w.BeginState(in, state, at)
	return w.Send()
}

// BeginState begins the event that the instance entered a state.
func (w *Writer) BeginState(in *Instance, state stream.Lifecycle, at int64) *stream.Event {
	e := w.Begin(stream.KindInstance, LaneInfra, in, at)
	e.SetInt(stream.InstanceState, int64(state))
	number(e, stream.InstanceBootStartedUnixNano, in.Started)
	text(e, stream.InstanceEngine, in.Engine)
	text(e, stream.InstanceEngineVersion, in.EngineVersion)
	text(e, stream.InstanceModel, in.Model)
	text(e, stream.InstanceModelVersion, in.Version)
	text(e, stream.InstanceDeployment, in.Deployment)
	text(e, stream.InstanceNamespace, in.Namespace)
	text(e, stream.InstanceCluster, in.Cluster)
	text(e, stream.InstanceNode, in.Node)
	text(e, stream.InstancePod, in.Pod)
	text(e, stream.InstanceRegion, in.Region)
	if len(in.GPUs) > 0 {
		e.SetTexts(stream.InstanceGPUUUIDs, in.GPUs)
	}
	if in.Profile != nil {
		limits(e, in.Profile)
	}
	return e
}

func limits(e *stream.Event, p *stepmodel.Profile) {
	number(e, stream.InstanceMaxSequences, p.MaxSequences)
	number(e, stream.InstanceMaxBatchedTokens, p.MaxBatchedTokens)
	number(e, stream.InstanceKVTokens, p.KVTokens)
	number(e, stream.InstanceKVBlockTokens, p.BlockTokens)
	number(e, stream.InstanceGPUCount, p.GPUs)
	text(e, stream.InstanceGPUType, p.GPUType)
	number(e, stream.InstanceTensorParallel, p.TensorParallel)
}

func text(e *stream.Event, f stream.Field, s string) {
	if s != "" {
		e.SetText(f, s)
	}
}

func number(e *stream.Event, f stream.Field, v int64) {
	if v != 0 {
		e.SetInt(f, v)
	}
}

func flag(e *stream.Event, f stream.Field, v bool) {
	if v {
		e.SetInt(f, 1)
	}
}

func known(e *stream.Event, f stream.Field, v int64) {
	if v != Unknown {
		e.SetInt(f, v)
	}
}
