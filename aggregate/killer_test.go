package aggregate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/inferlake/inferlake/stream"
)

// mined is a fold that dies on one record.
type mined struct {
	*Fold
	offset int64
}

func (m mined) Begin(offset, timestamp int64, ahead bool) {
	if offset == m.offset && !ahead {
		panic("the record kills the process")
	}
	m.Fold.Begin(offset, timestamp, ahead)
}

// die runs the loop and reports whether the process died.
func (s *memorySink) die(t *testing.T, log *memoryLog, offset int64) (died bool) {
	fold := NewFold(testLog, Rules{}, s.mem)
	defer fold.Close()
	defer func() { died = recover() != nil }()
	loop := stream.Loop[Delta]{Partition: testLog, Log: log, Fold: mined{fold, offset}, Sink: s, Release: Delta.Release,
		Options: stream.LoopOptions{Once: true, Until: log.end(), SnapshotEvents: 100, Now: afterTheLog}}
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return false
}

// Rule 20: a record that kills the process is skipped as crashed after a few starts, alone; nothing else is lost, and a
// restart adds nothing.
func TestAKillerRecordIsSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		steps := randomLog(rand.New(rand.NewPCG(1, 1)), 40)
		log := newMemoryLog(steps)
		const victim = 77
		without := &memoryLog{records: slices.Delete(slices.Clone(log.records), victim, victim+1), chunk: log.chunk}
		calm := &memorySink{folder: newFolder(t, Rules{}), left: -1}
		if err := calm.run(t.Context(), without, Rules{}, true); err != nil {
			t.Fatal(err)
		}
		struck := &memorySink{folder: newFolder(t, Rules{}), left: -1}
		deaths := 0
		for struck.die(t, log, log.records[victim].Offset) {
			if deaths++; deaths > 10 {
				t.Fatal("the process dies for ever")
			}
		}
		t.Logf("skipped after %d deaths", deaths)
		if len(struck.ledger.Dead) != 1 || struck.ledger.Dead[0].Reason != stream.ReasonCrashed || struck.ledger.Dead[0].Offset != log.records[victim].Offset {
			t.Errorf("dead letters: %+v", struck.ledger.Dead)
		}
		before := fmt.Sprint(struck.rows)
		if a, b := before, fmt.Sprint(calm.rows); a != b {
			t.Errorf("rows differ from those of the log without the record:\n%s\n%s", a, b)
		}
		if struck.die(t, log, log.records[victim].Offset) || fmt.Sprint(struck.rows) != before || len(struck.ledger.Dead) != 1 {
			t.Error("a restart changed something")
		}
	})
}
