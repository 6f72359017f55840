package stream

// Fold turns the events of one partition into rows. It is a function of the log and the ledger alone: it reads no
// clock and draws no chance, so the same calls give the same rows.
type Fold[D any] interface {
	// Begin starts a record: its offset and timestamp; ahead says that the timestamp is not to be believed.
	Begin(offset, timestamp int64, ahead bool)
	// Apply folds one event of the record. Texts and lists of e are valid during the call only.
	Apply(e *Event, at Position) Reason
	// Refuse counts an event of the record that could not be decoded.
	Refuse(d DeadLetter)
	// Gap says that the log has lost the offsets of g, which were never folded.
	Gap(g Gap)
	// Restart says that another log begins: what is open ends as lost, what windows hold is due, and all is forgotten
	// but what came of each lane; covered adds to that what the state does not know.
	Restart(covered []Covered)
	// Tick moves time on without a record.
	Tick(t Tick)
	// Cut returns the rows since the last cut.
	Cut() D
	// Skip drops the rows since the last cut: they were returned before.
	Skip()
	// Pending says how many rows Cut would return, about.
	Pending() int
	// Settled says that no tick would change anything: nothing is open and no window waits.
	Settled() bool
	// Status says how far the fold has come.
	Status() Status
	// Rules names the fold's version and parameters: a snapshot is good for the same rules only.
	Rules() string
	// Snapshot returns the whole state; it may write it over used, the last one's memory, or nil.
	Snapshot(used []byte) []byte
	// Restore replaces the state by a snapshot; nil is the empty state.
	Restore(snapshot []byte) error
}
