package stepmodel

// The longest run of passes: attribution needs no finer cut, and nothing waits longer to be seen.
const (
	maxRunPasses = 64
	maxRunMicros = 1_000_000
)

// runs sums passes into Runs.
type runs struct {
	emit     func(time int64, r *Run)
	open     Counts
	end      int64 // of the last pass in open, µs
	decoding int64 // sequences in every pass of open
	total    Counts
}

// pass books one pass that ended at the time.
func (r *runs) pass(p *Counts, end int64) {
	if r.open.Passes > 0 && (p.PrefillTokens > 0 || p.DecodeSequences != r.decoding) {
		r.cut()
	}
	r.open.add(p)
	r.end, r.decoding = end, p.DecodeSequences
	if p.PrefillTokens > 0 || r.open.Passes >= maxRunPasses || r.open.Wall >= maxRunMicros {
		r.cut()
	}
}

// cut ends the open run, if any.
func (r *runs) cut() {
	if r.open.Passes == 0 {
		return
	}
	r.total.add(&r.open)
	r.emit(r.end, &Run{Counts: r.open, Total: r.total})
	r.open = Counts{}
}

// sum is all passes booked so far, the open run's too.
func (r *runs) sum() Counts {
	c := r.total
	c.add(&r.open)
	return c
}
