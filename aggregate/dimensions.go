package aggregate

import "github.com/inferlake/inferlake/stream"

// dimensions admits the names of request windows, one admission a dimension.
type dimensions [5]admission

// The dimensions that are admitted. A role is one of a few.
const (
	nameInstance = iota
	nameModel
	nameVersion
	nameAdapter
	nameClass
)

func newDimensions(r Rules) (d dimensions) {
	for i := range d {
		d[i] = newAdmission(r.MaxNames, r.NameMemory.Nanoseconds(), r.Names)
	}
	return d
}

// of returns a request's dimensions in windows. The texts are kept: they must not be borrowed from an event.
func (d *dimensions) of(role stream.Role, texts [len(dimensions{})]string, log int64, refused bool) dims {
	name := func(dim int) string { return d[dim].name(texts[dim], log, refused) }
	return dims{
		role:         role.String(),
		instance:     name(nameInstance),
		model:        name(nameModel),
		version:      name(nameVersion),
		adapter:      name(nameAdapter),
		requestClass: name(nameClass),
	}
}

// refused says that the server turned the request away, by its outcome or by a status that blames the request: such
// names may be made up. 408 and 499 are of requests that were served.
func (r *Request) refused() bool {
	status := r.count(stream.RequestHTTPStatus)
	return r.outcome() == stream.OutcomeRejected || status/100 == 4 && status != 408 && status != 499
}

// other says that a name is not the request's own.
func (d *dims) other() bool {
	return d.instance == Other || d.model == Other || d.version == Other || d.adapter == Other || d.requestClass == Other
}

// forgetDims gives up the combinations of names that nothing refers to any longer, once there are many: names come and go,
// and the list has an end. What is left is numbered anew in the old order.
func (f *Fold) forgetDims() {
	w := &f.windows
	if len(w.dims) <= f.rules.MaxWindows/2 {
		return
	}
	used := make([]bool, len(w.dims))
	for k := range w.deltas {
		used[k.dims] = true
	}
	f.requests.booked(func(s *slot) { used[s.bookedDims] = true })
	kept, renumbered := newWindows(), make([]int32, len(w.dims))
	for i, d := range w.dims {
		if used[i] {
			renumbered[i] = kept.id(d)
		}
	}
	for k, delta := range w.deltas {
		kept.deltas[windowKey{k.start, renumbered[k.dims]}] = delta
	}
	f.requests.booked(func(s *slot) { s.bookedDims = renumbered[s.bookedDims] })
	clear(f.requests.dims.known)
	*w = kept
}

// booked visits the requests that stand in windows.
func (q *requests) booked(visit func(*slot)) {
	for _, list := range []*requestStore{q.open, q.closed} {
		for n := list.front; n != 0; n = list.at(n).next {
			if s := list.at(n); s.booked {
				visit(s)
			}
		}
	}
}
