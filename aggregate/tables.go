package aggregate

import "github.com/inferlake/inferlake/stream"

// The tables that the fold fills. sql/schema creates them; a test holds the two to each other.
var (
	Requests       = &Table{"requests", "One row a request's leg, attempt and choice, written when it ended.", requestTable()}
	RequestMarks   = &Table{"request_marks", "Preemptions, and schedulings after the first, as they came.", repeatedMarkTable()}
	RequestWindows = &Table{"request_windows", "Sums over 10 s of event time, as additive deltas.", requestWindowTable()}
	RequestSketch  = &Table{"request_sketches", "Distributions over 10 s of event time, as additive deltas: one row a window, key and measure.", sketchTable()}
	EngineWindows  = sampleWindowTable("engine_windows", "engines", stream.KindEngine)
	GPUWindows     = sampleWindowTable("gpu_windows", "GPUs", stream.KindGPU)
	NodeWindows    = sampleWindowTable("node_windows", "nodes", stream.KindNode)
	KubeWindows    = sampleWindowTable("kube_windows", "Kubernetes objects", stream.KindKube)
	Coverage       = &Table{"producer_coverage", "What each lane of each producer was seen to send; the row of the highest commit counts.", coverageTable()}
	EngineSamples  = sampleTable("engine_samples", "Engine samples as they came.", stream.KindEngine)
	StepRuns       = sampleTable("step_runs", "Step runs as they came.", stream.KindStep)
	GPUSamples     = sampleTable("gpu_samples", "GPU samples as they came.", stream.KindGPU)
	GPUFaults      = sampleTable("gpu_faults", "GPU faults as they came.", stream.KindFault)
	NodeSamples    = sampleTable("node_samples", "Node samples as they came.", stream.KindNode)
	KubeSamples    = sampleTable("kube_samples", "Kubernetes samples as they came.", stream.KindKube)
	InstanceEvents = sampleTable("instance_events", "Instance events as they came, heartbeats left out.", stream.KindInstance)
)

// Tables lists them all, in the order in which a batch is loaded.
var Tables = []*Table{Requests, RequestMarks, RequestWindows, RequestSketch, EngineWindows, GPUWindows, NodeWindows, KubeWindows, Coverage,
	EngineSamples, StepRuns, GPUSamples, GPUFaults, NodeSamples, KubeSamples, InstanceEvents}

// windowDims are the dimensions of request windows.
var windowDims = []Column{
	{"role", Varchar, "Role of the leg; never summed over."},
	{"instance", Varchar, "Instance."},
	{"model", Varchar, "Model; __other__ beyond the admitted names."},
	{"model_version", Varchar, "Version of the model."},
	{"adapter", Varchar, "LoRA adapter."},
	{"request_class", Varchar, "Class of traffic."},
}

var windowColumns = []Column{
	{"window_start", Timestamp, "Start of the window, UTC."},
	{"level", BigInt, "Length of the window, seconds: 10, 60, 900 or 86400."},
}

func requestTable() []Column {
	cols := append(speakerColumns(),
		Column{"life", BigInt, "Which request under this id: its ordinal where given, else the offset of its first record."},
		Column{"step_first", BigInt, "Forward pass in which it was first scheduled, where known."},
		Column{"step_last", BigInt, "Forward pass of its last token, where known."},
	)
	for _, f := range stream.FieldsOf(stream.KindRequest) {
		if keptOnRow(f) {
			cols = append(cols, fieldColumn(f))
		}
	}
	return append(cols,
		Column{"output_seen_tokens", BigInt, "Output tokens reported on the way, before the end."},
		Column{"ttft_ns", BigInt, "First token − received, ns; else as the source measured it."},
		Column{"queue_ns", BigInt, "Scheduled − queued, ns; else as measured."},
		Column{"rest_ns", BigInt, "Queued − received, ns."},
		Column{"prefill_ns", BigInt, "First token − scheduled, ns; else as measured."},
		Column{"decode_ns", BigInt, "Last token − first token, ns; else as measured."},
		Column{"e2e_ns", BigInt, "Finished − received, ns; else as measured."},
		Column{"flags", BigInt, "What was odd, a bit each: see v1.flags."},
		Column{"late", Boolean, "An event of it was behind its partition's watermark."},
		Column{"events", BigInt, "Events merged into it."},
		Column{"revision", BigInt, "How often it was written again after its end."},
	)
}

// speakerColumns begin every table of facts: where on the log the row came from, and who spoke on whose behalf.
func speakerColumns() []Column {
	cols := append([]Column(nil), placeColumns...)
	for _, f := range []stream.Field{stream.EventProducer, stream.EventBoot, stream.EventSource, stream.EventInstance, stream.EventDPIndex, stream.EventRole} {
		cols = append(cols, fieldColumn(f))
	}
	return cols
}

// keptOnRow leaves out what only says how to read an event, and the sketch, which lives in request_sketches.
func keptOnRow(f stream.Field) bool {
	m := stream.Fields[f].Merge
	return m != stream.Context && m != stream.Whole
}

func requestWindowTable() []Column {
	cols := append(append([]Column(nil), windowColumns...), windowDims...)
	for _, m := range Measures {
		cols = append(cols, Column{m.Name, BigInt, m.Doc})
	}
	return cols
}

func sketchTable() []Column {
	cols := append(append([]Column(nil), windowColumns...), windowDims...)
	return append(cols,
		Column{"measure", Varchar, "Which distribution."},
		Column{"n", BigInt, "Observations."},
		Column{"zero", BigInt, "Observations of exactly 0, not in the buckets."},
		Column{"total", BigInt, "Sum of the observations."},
		Column{"min", BigInt, "Least observation seen; not retracted by revisions."},
		Column{"max", BigInt, "Greatest observation seen; not retracted by revisions."},
		Column{"idx", BigInts, "Bucket indices, ascending."},
		Column{"cnt", BigInts, "Observations in each bucket of idx; negative in a delta that takes back."},
	)
}

func coverageTable() []Column {
	return []Column{
		{"topic", Varchar, "Topic."}, {"partition", BigInt, "Partition."},
		{"producer", Varchar, "Producer."}, {"boot", Varchar, "Boot."}, {"lane", BigInt, "Lane."},
		{"source", Varchar, "Source kind."}, {"instance", Varchar, "Instance of the lane's last event."},
		{"first_seq", BigInt, "Least sequence number seen; NULL without sequence numbers."},
		{"last_seq", BigInt, "Greatest sequence number seen."},
		{"announced_seq", BigInt, "Greatest sequence number that a heartbeat announced."},
		{"received", BigInt, "Events received once."},
		{"duplicates", BigInt, "Events received again."},
		{"heartbeats", BigInt, "Heartbeats among the events received; they have no row of their own."},
		{"gaps", BigInt, "Holes in the sequence."},
		{"first_at", Timestamp, "Earliest event time."}, {"last_at", Timestamp, "Latest event time."},
		{"stopped", Boolean, "The boot said that it stopped."},
		{"runs", BigInts, "Sequence numbers that count as seen: pairs of the first of a run and one past its last, ascending."},
	}
}

// sampleTable keeps a kind of sample as it came.
func sampleTable(name, doc string, kind stream.Kind) *Table {
	cols := append(speakerColumns(),
		Column{"at", Timestamp, "Time of the sample, UTC."},
	)
	for _, f := range stream.FieldsOf(kind) {
		cols = append(cols, fieldColumn(f))
	}
	return &Table{name, doc, cols}
}
