package aggregate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/inferlake/inferlake/stream"
)

// Two sources that report one instance's requests would count them twice: their records have other ids, or boots, and
// never meet. By configuration one of them is the authority.

// refuses says that another source than the event's speaks for its instance.
func (r *Rules) refuses(e *stream.Event) bool {
	if len(r.Authority) == 0 || e.Kind != stream.KindRequest {
		return false
	}
	source := r.Authority[e.Text(stream.EventInstance)]
	return source != "" && source != e.Text(stream.EventSource)
}

// refuse turns an event away, and notes that it came: it is not missing. One that came before is a duplicate.
func (f *Fold) refuse(e *stream.Event) stream.Reason {
	if !f.repeated(e) {
		return stream.ReasonAuthority
	}
	f.counts.Consumed++
	return stream.Accepted
}

// authorities lists who speaks for whom, in order.
func (r *Rules) authorities() (all []string) {
	for _, instance := range slices.Sorted(maps.Keys(r.Authority)) {
		all = append(all, fmt.Sprintf("%s=%s", instance, r.Authority[instance]))
	}
	return all
}
