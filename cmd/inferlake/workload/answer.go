package workload

// Answer is what a fold must have made of all that was sent.
type Answer struct {
	Events  int64 // sent
	Late    int64
	Pending int64 // events of requests whose end was not sent
	Open    int64 // requests of which something was sent, but no end
	Bytes   int64 // of the records' values
	Groups  []Group
}

// Group is the answer for one combination of dimensions.
type Group struct {
	Instance, Adapter, Class string

	Requests, Prompt, Cached, Output int64 // of requests that ended
	TTFTs, TTFT, E2E                 int64 // times to first token known, and their sum; sum of the times to the end, ns
	Arrivals, FirstTokens            int64 // of all requests
}

// Answer works the answer out, request by request.
func (w *Workload) Answer() Answer {
	a := Answer{Events: w.events, Late: w.late, Bytes: w.bytes, Groups: make([]Group, Groups)}
	for i := range a.Groups {
		g := &a.Groups[i]
		g.Instance, g.Adapter, g.Class = w.names.instance[i/classes/adapters], adapterNames[i/classes%adapters], classNames[i%classes]
	}
	for number, sent := range w.sent {
		r := requestOf(int64(number), w.gap, life)
		a.add(&r, sent)
	}
	return a
}

func (a *Answer) add(r *request, sent uint16) {
	g := &a.Groups[r.group()]
	has := func(phase int) int64 { return int64(sent >> phase & 1) }
	g.FirstTokens += has(first)
	if has(finished) == 0 {
		g.Arrivals += has(0)
		if sent != 0 {
			a.Open++
		}
		for i := range phases {
			a.Pending += has(i)
		}
		return
	}
	g.Arrivals++ // the end tells how long it took
	g.Requests++
	g.Prompt += r.prompt
	g.Cached += r.cached
	g.Output += r.output
	g.E2E += r.at[finished] - r.at[0]
	g.TTFTs += has(first)
	g.TTFT += has(first) * (r.at[first] - r.at[0])
}
