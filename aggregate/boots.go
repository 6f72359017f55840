package aggregate

import (
	"fmt"

	"github.com/inferlake/inferlake/stream"
)

// bootKey names who has boots.
type bootKey struct {
	instance string
	dpIndex  int64
	role     stream.Role
}

// boot is the newest run of an instance that this partition was told of.
type boot struct {
	id      string
	started int64 // ns since 1970
	touched int64 // log clock at which it was told of last
}

// restart takes an instance event's boot. A newer one than was known ends the open requests of the older boots: their
// process is gone, so nobody will tell how they ended. The start of the boot tells which is newer, not the order on the log.
func (f *Fold) restart(e *stream.Event) {
	started, id := e.Num(stream.InstanceBootStartedUnixNano), e.Text(stream.EventBoot)
	if started == 0 || id == "" {
		return
	}
	key := bootKey{f.texts.intern(e.Text(stream.EventInstance)), e.Num(stream.EventDPIndex), stream.Role(e.Num(stream.EventRole))}
	had, known := f.boots[key]
	if known && (started < had.started || id == had.id) {
		had.touched = f.clocks.log
		f.boots[key] = had
		return
	}
	f.boots[key] = boot{f.texts.intern(id), started, f.clocks.log}
	if known {
		f.loseOlder(key, id)
	}
	f.givenUp.Evicted += int64(len(evict(f.boots, f.rules.MaxLanes, func(k bootKey, b boot) (int64, string) {
		return b.touched, fmt.Sprintf("%q %d %d", k.instance, k.dpIndex, k.role)
	})))
}

// loseOlder ends the open requests of an instance's other boots.
func (f *Fold) loseOlder(key bootKey, id string) {
	for r := range f.requests.all(f.requests.open) {
		if r.id.instance == key.instance && r.id.dpIndex == key.dpIndex && r.id.role == key.role && r.id.boot != id {
			f.lose(r.slot, FlagRestarted)
			f.makeRoom()
		}
	}
}
