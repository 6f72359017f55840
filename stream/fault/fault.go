// Package fault kills this process at a named point, where a test asks for it by INFERLAKE_FAULT_POINT=name, name:n, at
// the n-th passage, or name:n:file, at the n-th since a file is there. Without that a point costs the look at one pointer.
package fault

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
)

// The points at which a process may die.
const (
	AfterRead         = "after_read"          // records were read, none is folded
	MidBatch          = "mid_batch"           // some of them are folded
	BeforeCommit      = "before_commit"       // a batch is cut, the warehouse does not have it
	InTransaction     = "in_transaction"      // its rows are in, its position is not
	AfterCommit       = "after_commit"        // it is durable, its owner does not know
	InSnapshotFile    = "in_snapshot_file"    // half of a state is written
	AfterSnapshotFile = "after_snapshot_file" // a state is durable, nothing names it
	InRollup          = "in_rollup"           // some levels have taken in what is new
	InCompaction      = "in_compaction"       // deltas are deleted, their sums are not there
	InRetention       = "in_retention"        // old rows are deleted from some tables, what they summed to is noted of these
	InMigration       = "in_migration"        // a migration has run, its number is not noted
	InReaderCopy      = "in_reader_copy"      // a copy for readers is written, but not in its place
)

// Variable is the environment's variable that arms a point.
const Variable = "INFERLAKE_FAULT_POINT"

// Points are all points.
var Points = []string{AfterRead, MidBatch, BeforeCommit, InTransaction, AfterCommit, InSnapshotFile, AfterSnapshotFile,
	InRollup, InCompaction, InRetention, InMigration, InReaderCopy}

// trap is the armed point.
type trap struct {
	name  string
	since string       // passages count once this file is there; "" is always
	left  atomic.Int64 // passages until it springs
}

var armed = parse(os.Getenv(Variable)) // nil: none

func parse(setting string) *trap {
	if setting == "" {
		return nil
	}
	name, rest, _ := strings.Cut(setting, ":")
	count, since, _ := strings.Cut(rest, ":")
	n, err := strconv.ParseInt(count, 10, 64)
	if err != nil || n < 1 {
		n = 1
	}
	t := &trap{name: name, since: since}
	t.left.Store(n)
	return t
}

// Point ends the process by signal 9 when the point is armed and this is the passage asked for.
func Point(name string) {
	if armed != nil && armed.springs(name) {
		die()
	}
}

func (t *trap) springs(name string) bool {
	return t.name == name && t.counts() && t.left.Add(-1) == 0
}

func (t *trap) counts() bool {
	if t.since == "" {
		return true
	}
	_, err := os.Stat(t.since)
	return err == nil
}

// die returns never: the signal comes at its own time.
func die() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		self.Kill()
	}
	select {}
}
