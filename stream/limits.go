package stream

import "cmp"

// Limits bounds what a record may hold. The zero value takes the defaults.
type Limits struct {
	Record int // bytes of a record's value; 16 MiB
	Events int // events in a record; 131,072
	Text   int // bytes of a text; MaxText
	Depth  int // nesting of JSON, and of unknown protobuf groups; 64
	List   int // elements of a list; 4096
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Record: cmp.Or(l.Record, 16<<20),
		Events: cmp.Or(l.Events, 1<<17),
		Text:   cmp.Or(l.Text, MaxText),
		Depth:  cmp.Or(l.Depth, 64),
		List:   cmp.Or(l.List, 4096),
	}
}
