package aggregate

import "maps"

// Other is the name in windows of all that was not admitted. Facts keep the true name.
const Other = "__other__"

// admission bounds how many names a dimension of windows takes: first come on the log, first served. It is part of the
// state, so a restart admits the same names. Configured names always are.
type admission struct {
	cap    int
	memory int64 // ns of log clock after which an unseen name gives up its place
	always map[string]bool
	seen   map[string]*int64 // log clock at which an admitted name was seen last
	freed  int64             // how often names gave up their places
}

func newAdmission(limit int, memory int64, always []string) admission {
	a := admission{cap: limit, memory: memory, always: map[string]bool{}, seen: map[string]*int64{}}
	for _, name := range always {
		a.always[name] = true
	}
	return a
}

// name is what windows call it. A request that was refused takes no place: made-up names in errors would fill them.
func (a *admission) name(name string, log int64, refused bool) string {
	if name == "" || a.always[name] {
		return name
	}
	if last := a.seen[name]; last != nil {
		*last = log
		return name
	}
	if refused || len(a.seen) >= a.cap && !a.free(log) {
		return Other
	}
	a.seen[name] = &log
	return name
}

// free gives up the places of names unseen for the memory, and reports whether there were any.
func (a *admission) free(log int64) bool {
	before := len(a.seen)
	maps.DeleteFunc(a.seen, func(_ string, last *int64) bool { return *last < log-a.memory })
	a.freed += is(len(a.seen) < before)
	return len(a.seen) < before
}
