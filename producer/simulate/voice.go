package simulate

import (
	"fmt"
	"hash/fnv"

	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/stream"
)

// voice is one run of a process that speaks: it numbers its events and its requests.
type voice struct {
	*lifecycle.Writer
	lanes    int64 // of requests
	ordinals int64
}

// lane is the lane of a request.
func (v *voice) lane(id string) int64 {
	if v.lanes == lifecycle.RequestLanes {
		return lifecycle.RequestLane(id)
	}
	return 0
}

func (v *voice) ordinal() int64 {
	v.ordinals++
	return v.ordinals
}

// voices makes them: one for all, or one for each run of an engine, for each gateway, and for the samples of the rest.
type voices struct {
	source, boot string
	emit         func(*stream.Event) error
	one          *voice // nil: each for itself
	rest         *voice
	all          []*voice
}

func newVoices(s *Scenario, boot string, emit func(*stream.Event) error) *voices {
	vs := &voices{source: "simulate", boot: boot, emit: emit}
	vs.rest = &voice{Writer: lifecycle.NewWriter("simulate", boot, vs.source, emit), lanes: lifecycle.RequestLanes}
	vs.all = []*voice{vs.rest}
	if s.Producers == "collector" {
		vs.one = vs.rest
	}
	return vs
}

// of is the voice of a process in its n-th run.
func (vs *voices) of(process string, run int64, lanes int64) *voice {
	if vs.one != nil {
		return vs.one
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %s %d", vs.boot, process, run)
	v := &voice{Writer: lifecycle.NewWriter(process, fmt.Sprintf("%016x", h.Sum64()), vs.source, vs.emit), lanes: lanes}
	vs.all = append(vs.all, v)
	return v
}

func (vs *voices) events() (n int64) {
	for _, v := range vs.all {
		n += v.Events
	}
	return n
}
