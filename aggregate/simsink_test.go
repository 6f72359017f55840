package aggregate

import (
	"bytes"
	"sync"

	"github.com/inferlake/inferlake/stream"
)

// simDelta is a delta with the hash of the state at which it was cut.
type simDelta struct {
	Delta
	state uint64
}

// entry is what the sink keeps of a commit: the journal says in which order everything was decided.
type entry struct {
	from, to int64
	ledger   stream.Ledger
	status   stream.Status
	state    uint64
}

// keptState is a snapshot with the number of journal entries that it holds.
type keptState struct {
	at      int64
	content []byte
	entries int
}

// simSink is a warehouse in memory that does what stream.Sink asks and checks what it is given.
type simSink struct {
	sim   *sim
	store *store

	mu                         sync.Mutex
	generation, seq, next      int64
	attempts, trying, tried    int64
	lineage                    stream.Lineage
	states                     []keptState
	journal                    []entry
	superseded, again, damaged int
}

func newSimSink(s *sim) *simSink {
	return &simSink{sim: s, store: newStore(s), states: []keptState{{}}}
}

// acquire raises the generation. Now and then the newest state is found damaged and the one before it is taken.
func (k *simSink) acquire(damaged bool) stream.Lease {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.generation, k.seq, k.attempts = k.generation+1, 0, k.attempts+1
	if n := len(k.states); damaged && n > 1 {
		k.states = k.states[:n-1]
		k.damaged++
	}
	from := k.states[len(k.states)-1]
	lease := stream.Lease{Generation: k.generation, Next: k.next, Replay: from.at, Snapshot: from.content,
		Attempts: k.attempts, Trying: k.trying, Tried: k.tried, Lineage: k.lineage}
	for _, e := range k.journal[from.entries:] {
		lease.Ledger = joined(lease.Ledger, e.ledger)
	}
	return lease
}

func joined(a, b stream.Ledger) stream.Ledger {
	return stream.Ledger{Ticks: append(a.Ticks, b.Ticks...), Ahead: append(a.Ahead, b.Ahead...), Dead: append(a.Dead, b.Dead...), Gaps: append(a.Gaps, b.Gaps...)}
}

// commit answers a batch and makes it count once.
func (k *simSink) commit(b stream.Batch[simDelta]) stream.Answer {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case b.Generation != k.generation: // the fence
		k.superseded++
		return stream.Superseded
	case b.Seq <= k.seq:
		k.again++
		return stream.AlreadyApplied
	case b.From != k.next:
		return stream.Superseded
	}
	k.inspect(b)
	k.store.add(b.Delta.Delta)
	k.count(b)
	k.seq, k.next, k.lineage = b.Seq, b.To, b.Lineage
	k.journal = append(k.journal, entry{b.From, b.To, b.Ledger, b.Status, b.Delta.state})
	if b.Snapshot != nil {
		k.states = append(k.states, keptState{b.To, bytes.Clone(b.Snapshot), len(k.journal)})
	}
	return stream.Applied
}

// count follows starts without progress and the record that is tried.
func (k *simSink) count(b stream.Batch[simDelta]) {
	if b.To > k.next {
		k.attempts = 0
	}
	if k.tried++; b.Trying != k.trying || b.Trying == 0 {
		k.tried = min(b.Trying, 1)
	}
	k.trying = b.Trying
}

// inspect holds a batch that will be applied against the one before it.
func (k *simSink) inspect(b stream.Batch[simDelta]) {
	s, n := k.sim, b.Status
	if b.Generation != k.generation {
		s.fail("I3 stale lease", "a batch of lease %d is applied under lease %d", b.Generation, k.generation)
	}
	if n.Consumed != n.Loaded+n.Pending+n.Duplicate+n.Dead {
		s.fail("I4 accounted", "at %d: consumed %d ≠ loaded %d + pending %d + duplicate %d + dead %d", b.To, n.Consumed, n.Loaded, n.Pending, n.Duplicate, n.Dead)
	}
	if b.Restart != "" {
		s.fail("one lineage", "at %d the loop takes the log for another one: %s", b.From, b.Restart)
	}
	if b.To < b.From {
		s.fail("I3 position", "a batch goes back from %d to %d", b.From, b.To)
	}
	if n.SettledThrough > n.CompleteThrough {
		s.fail("I6 horizons", "settled through %d, complete through %d", n.SettledThrough, n.CompleteThrough)
	}
	if len(k.journal) == 0 || s.isLost() {
		return
	}
	if was := k.journal[len(k.journal)-1].status; n.Watermark < was.Watermark || n.LogClock < was.LogClock || n.Records < was.Records || n.Consumed < was.Consumed {
		s.fail("I5 never down", "at %d: %+v follows %+v", b.To, n, was)
	}
}

// position says up to where the sink has everything.
func (k *simSink) position() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.next
}

func (k *simSink) commits() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.journal)
}
