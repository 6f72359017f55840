package apachetest

import (
	"sync"
	"testing"
)

// shared is the broker that all tests of one program use: to start one takes seconds.
var shared struct {
	sync.Mutex
	broker *Broker
	err    error
}

// Shared returns the program's broker, which the first call starts with its options. The program's TestMain must end by
// StopShared.
func Shared(t testing.TB, o Options) *Broker {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.broker == nil && shared.err == nil {
		shared.broker, shared.err = start(o)
	}
	if shared.err != nil {
		excuse(t, shared.err)
	}
	return shared.broker
}

// StopShared ends the program's broker, if there is one.
func StopShared() {
	shared.Lock()
	defer shared.Unlock()
	if shared.broker != nil {
		shared.broker.stop()
		shared.broker = nil
	}
}
