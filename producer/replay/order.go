package replay

import (
	"fmt"
	"time"

	"github.com/inferlake/inferlake/producer/stepmodel"
)

// maxDisorder is how much earlier than a row before it in the file a row may arrive.
const maxDisorder = int64(time.Minute)

// order brings rows into the order of arrival; rows of one time keep that of the file.
type order struct {
	held   stepmodel.Timeline[*Row]
	read   int64 // rows
	latest int64 // arrival so far
}

// add takes a row and returns the time up to which rows are in order now.
func (o *order) add(file string, r *Row) (ready int64, err error) {
	o.read++
	r.index = o.read
	if o.read == 1 {
		o.latest = r.At
	}
	if r.At == NoTime && o.latest != NoTime || r.At != NoTime && o.latest == NoTime {
		return 0, fmt.Errorf("%s:%d: rows with and without a time of arrival in one file", file, r.Line)
	}
	if r.At == NoTime {
		o.held.Put(o.read, r)
		return o.read + 1, nil
	}
	if r.At < o.latest-maxDisorder {
		return 0, fmt.Errorf("%s:%d: arrives %s before a row above it: sort the file", file, r.Line, time.Duration(o.latest-r.At))
	}
	o.latest = max(o.latest, r.At)
	o.held.Put(r.At, r)
	return o.latest - maxDisorder, nil
}

// until gives on the rows before the time.
func (o *order) until(time int64, do func(*Row) error) error {
	return o.held.Before(time, func(_ int64, r **Row) error { return do(*r) })
}
