package aggregate

import (
	"strings"

	"github.com/inferlake/inferlake/stream"
)

// sampleMeasure is a gauge or a counter of a kind of sample.
type sampleMeasure struct {
	field   stream.Field
	counter bool
}

// sampleMeasures lists the gauges and counters of each kind of sample.
var sampleMeasures = map[stream.Kind][]sampleMeasure{
	stream.KindEngine: measuresOf(stream.KindEngine), stream.KindGPU: measuresOf(stream.KindGPU),
	stream.KindNode: measuresOf(stream.KindNode), stream.KindKube: measuresOf(stream.KindKube),
}

func measuresOf(kind stream.Kind) (ms []sampleMeasure) {
	for _, f := range stream.FieldsOf(kind) {
		if m := stream.Fields[f].Merge; m == stream.Gauge || m == stream.Counter {
			ms = append(ms, sampleMeasure{f, m == stream.Counter})
		}
	}
	return ms
}

// columns are the measure's columns in its window table; rows.sampleDelta fills them.
func (m sampleMeasure) columns() []Column {
	c := fieldColumn(m.field)
	if m.counter {
		return []Column{{strings.TrimSuffix(c.Name, "_total") + "_increase", BigInt, "Increase of " + c.Name + "; NULL when it was not known."}}
	}
	return []Column{
		{c.Name + "_value_ns", HugeInt, "Σ value · ns over the observed time of " + c.Name + "."},
		{c.Name + "_observed_ns", BigInt, "Time for which " + c.Name + " was known, ns."},
		{c.Name + "_min", BigInt, "Least " + c.Name + " seen."},
		{c.Name + "_max", BigInt, "Greatest " + c.Name + " seen."},
	}
}

// sampleDelta writes a measure's cells; what did not change is NULL.
func (w *rows) sampleDelta(m sampleMeasure, d sampleDelta) {
	changed := d != sampleDelta{}
	w.known(d.sum, changed)
	if !m.counter {
		w.known(d.observedNS, changed)
		w.known(d.min, d.seen)
		w.known(d.max, d.seen)
	}
}

// sampleDim is a dimension of a window table: its column and the cell of a series. Views group sources that speak of
// one thing by instance, since to add them up would count it twice.
type sampleDim struct {
	Column
	write func(*rows, *series)
}

func sampleText(name, doc string, of func(*series) string) sampleDim {
	return sampleDim{Column{name, Varchar, doc}, func(w *rows, s *series) { w.text(of(s)) }}
}

var (
	dimInstance   = sampleText("instance", "Instance on whose behalf the samples speak.", func(s *series) string { return s.instance })
	dimDPIndex    = sampleDim{Column{"dp_index", BigInt, "Data-parallel index."}, func(w *rows, s *series) { w.int(s.dpIndex) }}
	dimModel      = sampleText("model", "Model.", func(s *series) string { return s.model })
	dimVersion    = sampleText("model_version", "Version of the model.", func(s *series) string { return s.version })
	dimGPU        = sampleText("gpu", "GPU.", func(s *series) string { return s.gpu })
	dimNode       = sampleText("node", "Node.", func(s *series) string { return s.node })
	dimNamespace  = sampleText("namespace", "Namespace.", func(s *series) string { return s.namespace })
	dimDeployment = sampleText("deployment", "Deployment.", func(s *series) string { return s.deployment })
	dimPod        = sampleText("pod", "Pod.", func(s *series) string { return s.pod })
)

// sampleDims are the dimensions of each kind's window table.
var sampleDims = map[stream.Kind][]sampleDim{
	stream.KindEngine: {dimInstance, dimDPIndex, dimModel, dimVersion},
	stream.KindGPU:    {dimInstance, dimDPIndex, dimGPU, dimNode},
	stream.KindNode:   {dimInstance, dimDPIndex, dimNode},
	stream.KindKube:   {dimInstance, dimDPIndex, dimNamespace, dimDeployment, dimPod, dimNode},
}

// sampleWindowTables are the window tables by kind of sample.
var sampleWindowTables = map[stream.Kind]*Table{
	stream.KindEngine: EngineWindows, stream.KindGPU: GPUWindows, stream.KindNode: NodeWindows, stream.KindKube: KubeWindows,
}

func sampleWindowTable(name, what string, kind stream.Kind) *Table {
	cols := append([]Column(nil), windowColumns...)
	for _, d := range sampleDims[kind] {
		cols = append(cols, d.Column)
	}
	cols = append(cols, Column{"samples", BigInt, "Samples in the window."})
	for _, m := range sampleMeasures[kind] {
		cols = append(cols, m.columns()...)
	}
	return &Table{name, "Gauges and counters of " + what + " over 10 s of event time, as additive deltas: one row a window and series.", cols}
}

// sampleWindow writes a series' window, unless nothing changed.
func (o *output) sampleWindow(k sampleKey, d *sampleWindow) {
	if d.empty() {
		return
	}
	kind := k.series.kind
	w := o.of(sampleWindowTables[kind])
	w.window(k.start)
	for _, dim := range sampleDims[kind] {
		dim.write(w, k.series)
	}
	w.int(d.samples)
	for i, m := range sampleMeasures[kind] {
		w.sampleDelta(m, d.measures[i])
	}
	w.end()
}
