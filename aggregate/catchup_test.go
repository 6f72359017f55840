package aggregate

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferlake/inferlake/stream"
)

// slowLog takes a while for each read, and notes how far it came.
type slowLog struct {
	*memoryLog
	reached []int64
}

func (l *slowLog) Read(ctx context.Context, from int64) (stream.Fetch, error) {
	time.Sleep(2 * time.Millisecond)
	f, err := l.memoryLog.Read(ctx, from)
	l.reached = append(l.reached, f.Next)
	return f, err
}

// A loop that is behind commits when it has folded eight times as much as is left: rarely at first, and more often the nearer it comes.
func TestCommitsComeSoonerNearTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 1))
		log := &slowLog{memoryLog: newMemoryLog(randomLog(rng, 400))}
		sink := &memorySink{folder: newFolder(t, Rules{}), rng: rng, left: -1}
		loop := sink.loop(log.memoryLog, Rules{}, false)
		defer loop.Fold.(*Fold).Close()
		var got []int64
		loop.Log, loop.Options.CatchUpEvery = log, time.Hour
		loop.Observe = func(c stream.Committed) { got = append(got, c.Next) }
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := loop.Run(ctx); err != nil {
			t.Fatal(err)
		}
		var want []int64
		for from, end := int64(0), log.end(); ; {
			i := slices.IndexFunc(log.reached, func(at int64) bool { return at > from && (from == 0 || at-from >= 8*(end-at)) })
			if i < 0 {
				break
			}
			from = log.reached[i]
			want = append(want, from)
		}
		if got = slices.Compact(got); !slices.Equal(got, want) || len(got) < 3 {
			t.Errorf("read up to %v, committed up to %v, want %v", log.reached, got, want)
		}
	})
}
