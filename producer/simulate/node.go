package simulate

import (
	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// node is a machine: the seats on it and what its kernel has counted. All follows from what its engines did.
type node struct {
	name  string
	seats []*seat
	last  []stepmodel.Sample // by seat, when the node was sampled last

	busyPPM int64 // CPU taken by others, by incidents
	ballast int64 // MiB taken by a leak, by incidents

	faults, major, received, sent, dropped, read, written, diskBusy int64
}

// What a node has, and what its engines cost it: assumptions of the right size, not measurements.
const (
	nodeCores       = 64
	nodeMemoryMiB   = 1_031_000
	engineMemoryMiB = 24_000
	requestMicros   = 15_000 // of one core: HTTP, tokenizer and templates
	tokenMicros     = 12     // of one core a prompt token
	answerMicros    = 150    // of one core an output token: detokenizer, server-sent event
)

// nodeOf puts a seat on its node.
func (m *simulation) nodeOf(s *seat) {
	for _, n := range m.nodes {
		if n.name == s.in.Node {
			n.seats, n.last = append(n.seats, s), append(n.last, stepmodel.Sample{})
			return
		}
	}
	m.nodes = append(m.nodes, &node{name: s.in.Node, seats: []*seat{s}, last: make([]stepmodel.Sample, 1)})
}

// nodeNamed is the node of a seat.
func (m *simulation) nodeNamed(name string) *node {
	for _, n := range m.nodes {
		if n.name == name {
			return n
		}
	}
	return nil
}

// work is what a node's engines did in an interval.
type work struct {
	micros                   int64 // of one core
	requests, prompt, output int64
	starting                 int64 // bytes of models read
	memory                   int64 // MiB
}

// since is the work since the last call, over an interval of so many µs. The figures of engines are those of their last
// samples.
func (n *node) since(interval int64) (w work) {
	for i, s := range n.seats {
		now, was := s.last, n.last[i]
		if n.last[i] = now; now.Finished < was.Finished || now.Passes.Passes < was.Passes.Passes {
			was = stepmodel.Sample{} // a new boot
		}
		w.requests += now.Finished - was.Finished
		w.prompt += now.PromptTokens - was.PromptTokens
		w.output += now.OutputTokens - was.OutputTokens
		w.micros += now.Busy - was.Busy // the engine's own loop
		if s.held() {
			w.memory += engineMemoryMiB
		}
		if s.state == stream.StateStarting {
			startup := s.pool.gen.service.deployment.Startup.Microseconds()
			w.starting += int64(float64(modelOf(&s.pool.profile).weights) * min(1, float64(interval)/float64(startup)))
		}
	}
	w.micros += w.requests*requestMicros + w.prompt*tokenMicros + w.output*answerMicros
	return w
}

// sample writes a node's state after an interval. A node without engines is not there.
func (n *node) sample(m *simulation, at, interval int64) error {
	w := n.since(interval)
	if w.memory == 0 {
		return nil
	}
	own := w.micros * 1_000_000 / (nodeCores * interval)
	use := min(1_000_000, 20_000+own+n.busyPPM)
	n.count(w, interval)
	e := m.voices.rest.Begin(stream.KindNode, lifecycle.LaneInfra, m.observer(), at*1000)
	e.SetText(stream.NodeNode, n.name)
	e.SetInt(stream.NodeDtNano, interval*1000)
	e.SetInt(stream.NodeStartedUnixNano, (m.firstStart()-3600e6)*1000)
	e.SetInt(stream.NodeCPUUsageRatio, use)
	e.SetInt(stream.NodeCPUThrottledRatio, min(1_000_000, max(0, 20_000+own+n.busyPPM-900_000)*4))
	e.SetInt(stream.NodeLoad1Milli, (20_000+own+n.busyPPM)*nodeCores/1000)
	e.SetInt(stream.NodeMemoryUsedMiB, min(nodeMemoryMiB, 20_000+w.memory+n.ballast))
	e.SetInt(stream.NodeMemoryTotalMiB, nodeMemoryMiB)
	for _, c := range []struct {
		field stream.Field
		total int64
	}{
		{stream.NodePageFaultsTotal, n.faults}, {stream.NodeMajorPageFaultsTotal, n.major},
		{stream.NodeNetworkReceiveBytesTotal, n.received}, {stream.NodeNetworkTransmitBytesTotal, n.sent},
		{stream.NodeNetworkErrorsTotal, 0}, {stream.NodeNetworkDropsTotal, n.dropped},
		{stream.NodeDiskReadBytesTotal, n.read}, {stream.NodeDiskWrittenBytesTotal, n.written}, {stream.NodeDiskBusyNanoTotal, n.diskBusy},
	} {
		e.SetInt(c.field, c.total)
	}
	return m.voices.rest.Send()
}

// count adds an interval to the counters.
func (n *node) count(w work, interval int64) {
	n.faults += interval/2_000 + w.requests*40
	n.major += w.starting/4_000_000 + n.ballast/100
	n.received += interval/50 + w.prompt*6 + w.requests*1_500
	n.sent += interval/50 + w.output*220 + w.requests*600
	n.read += w.starting
	n.written += interval/200 + w.requests*400
	n.diskBusy += w.starting/3 + w.requests*20_000 // 3 GB/s
}
