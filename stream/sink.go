package stream

import "context"

// Sink keeps rows and positions together. Acquire and Commit are safe for concurrent use by several partitions.
type Sink[D any] interface {
	// Acquire takes the lease of a partition from whoever held it and returns where to go on.
	Acquire(ctx context.Context, tp TopicPartition, rules string) (Lease, error)
	// Commit makes the batch durable with its position in one transaction. An error leaves the outcome unknown:
	// the same batch is committed again until an Answer comes. Once it returned an Answer, the sink no longer
	// uses the batch.
	Commit(ctx context.Context, b Batch[D]) (Answer, error)
}

// Answer is what became of a batch.
type Answer uint8

// The answers to a commit.
const (
	Applied        Answer = iota + 1 // its rows and position are durable now
	AlreadyApplied                   // they were durable before: this lease has committed Seq already
	Superseded                       // another owner took the lease: drop the state, acquire again
)

// Lease is the right to fold a partition, and the place to start from.
type Lease struct {
	Generation int64
	Next       int64  // fold with effect from here
	Replay     int64  // restore Snapshot, then fold [Replay, Next) in silence
	Snapshot   []byte // state at Replay; nil is the empty state
	Ledger     Ledger // decisions of [Replay, Next)
	Attempts   int64  // starts since the last batch that moved on, this one included
	Trying     int64  // offset + 1 of the record that was being tried when the process died; 0: none
	Tried      int64  // how often that record was tried
	Lineage    Lineage
	Coverage   []Covered // as of Next, for a new lineage; nil where Snapshot is of Next and holds it
}

// Batch is what a partition's owner commits: the range [From, To) that was asked for and all that came of it.
// It is immutable.
type Batch[D any] struct {
	Partition  TopicPartition
	Generation int64
	Seq        int64 // number of the commit under this lease, from 1: a batch without records has From = To
	From, To   int64
	Rules      string // the fold's version and parameters, as Fold.Rules says them
	Trying     int64  // offset + 1 of a record about to be tried by itself; the batch is empty then. 0: none
	Lineage    Lineage
	Restart    string // why another log takes the place of this one: the rows and the ledger end its lineage, at From, and the next begins at To, which is 0. "": the log goes on
	Ledger     Ledger // decisions taken in the range
	Status     Status // at To
	Snapshot   []byte // state at To, or nil when none was taken; the sink sets Replay to To with it. It is lent until Commit returns
	Delta      D
}

// Ledger holds the decisions that the log alone does not determine. Replay obeys it.
type Ledger struct {
	Ticks []Tick
	Ahead []int64 // offsets of records stamped further ahead of their arrival than the skew allows
	Dead  []DeadLetter
	Gaps  []Gap
}

// Tick moves a quiet partition's time on. It applies before the record at Offset.
type Tick struct {
	Offset int64
	At     int64 // ns since 1970 UTC: the log clock becomes at least this; 0 leaves it
	Flush  bool  // emit every window held, whatever the watermark; expires nothing
}

// DeadLetter is an event, or a whole record, that was refused. The content is not kept.
type DeadLetter struct {
	Position
	Reason Reason
	Length int64  // bytes of the record
	Hash   uint64 // xxh3 of the record
	Events int64  // events lost with it that were already counted as consumed; 1 for an undecodable record
}

// Gap is a range of offsets that the log had lost before they were folded.
type Gap struct {
	From, To int64
}

// Status is how far a partition's fold has come.
type Status struct {
	LogClock        int64 // greatest record time, ns since 1970 UTC
	Watermark       int64 // greatest event time less the out-of-orderness bound, ns; 0 before the first event
	CompleteThrough int64 // horizon of what is booked at its moment, ns
	SettledThrough  int64 // horizon of what is spread back, ns
	Counts
	GivenUp
}

// Counts accounts for every event since the log's start: Consumed = Loaded + Pending + Duplicate + Dead.
type Counts struct {
	Records   int64
	Consumed  int64
	Loaded    int64 // in rows, or merged into one
	Pending   int64 // merged into requests still open
	Duplicate int64
	Dead      int64
	Late      int64 // attribute of Loaded and Pending
	Open      int64 // requests open now
}

// GivenUp counts what the fold went without since the log's start, for want of room or because it came too late.
type GivenUp struct {
	Evicted   int64 // parts of the state: open requests (they end as lost), lanes, gaps of a lane, instances, series
	Forgotten int64 // closed requests before their time: what is told of them later is another row
	Others    int64 // bookings of requests in windows with a name that is __other__; what is booked anew counts anew
	Stale     int64 // samples without effect on windows: a later one of their series came before them; and samples with a counter that leapt beyond belief
}
