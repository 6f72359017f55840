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

// of returns the request's dimensions in windows.
func (d *dimensions) of(r *Request, log int64) dims {
	refused := r.outcome() == stream.OutcomeRejected
	name := func(dim int, text string) string { return d[dim].name(text, log, refused) }
	return dims{
		role:         r.id.role.String(),
		instance:     name(nameInstance, r.id.instance),
		model:        name(nameModel, r.textOf(stream.RequestModel)),
		version:      name(nameVersion, r.textOf(stream.RequestModelVersion)),
		adapter:      name(nameAdapter, r.textOf(stream.RequestAdapter)),
		requestClass: name(nameClass, r.textOf(stream.RequestRequestClass)),
	}
}

// other says that a name is not the request's own.
func (d *dims) other() bool {
	return d.instance == Other || d.model == Other || d.version == Other || d.adapter == Other || d.requestClass == Other
}
