package aggregate

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferlake/inferlake/stream"
)

// stubborn is a sink whose first commits fail before they have any effect.
type stubborn struct {
	*memorySink
	failures int
}

func (s *stubborn) Commit(ctx context.Context, b stream.Batch[Delta]) (stream.Answer, error) {
	if s.failures > 0 {
		s.failures--
		return 0, errFault
	}
	return s.memorySink.Commit(ctx, b)
}

// Case M31: one request whose commit fails three times and then works is one row.
func TestACommitThatFailsThreeTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := 1_700_000_000 * second
		log := newMemoryLog([]step{{start, finishedOf("r", "m", stream.OutcomeOK, start)}})
		sink := &memorySink{folder: newFolder(t, Rules{}), left: -1}
		loop := sink.loop(log, Rules{}, true)
		loop.Sink = &stubborn{sink, 3}
		defer loop.Fold.(*Fold).Close()
		if err := loop.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(sink.rows) != 1 || sink.status.Loaded != 1 {
			t.Errorf("%d rows, %d loaded; want one of each", len(sink.rows), sink.status.Loaded)
		}
	})
}

// Case W31: with an idle time of 30 s and a look every 5 s, a partition with something open is not idle after 29 s, and is by
// 45 s; data that comes back then is folded as if nothing had been.
func TestIdleNeitherTooEarlyNorTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		start := afterTheLog().UnixNano()
		events := life("r", "m", start)
		log := newMemoryLog([]step{{start, events[0]}})
		sink := &memorySink{folder: newFolder(t, Rules{}), left: -1}
		loop := sink.loop(log, Rules{}, false)
		loop.Options.Idle, loop.Options.TickEvery = 30*time.Second, 5*time.Second
		defer loop.Fold.(*Fold).Close()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- loop.Run(ctx) }()

		time.Sleep(29*time.Second - time.Since(began))
		if n := sink.ticks(); n != 0 {
			t.Errorf("%d ticks after 29 s", n)
		}
		time.Sleep(45*time.Second - time.Since(began))
		if n := sink.ticks(); n == 0 {
			t.Error("no tick after 45 s")
		}
		cancel()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		back := newMemoryLog([]step{{start, events[0]}, {start + 46*second, events[5]}})
		if err := sink.run(t.Context(), back, Rules{}, true); err != nil {
			t.Fatal(err)
		}
		for _, row := range sink.rows {
			if row["outcome"] != "ok" || number64(row["output_tokens"]) != 201 {
				t.Errorf("what came back gave %v with %v tokens", row["outcome"], row["output_tokens"])
			}
		}
		if len(sink.rows) != 1 {
			t.Errorf("%d rows, want 1", len(sink.rows))
		}
	})
}

// A partition in which nothing is open or held says once in a quiet period that it is caught up, and its time stays; one
// that lags does not say so.
func TestASettledPartitionTicksOnce(t *testing.T) {
	var beat stream.Event
	beat.Reset(stream.KindInstance)
	beat.SetInt(stream.EventTimeUnixNano, 1_700_000_000*second)
	beat.SetInt(stream.InstanceState, int64(stream.StateHeartbeat))
	log := newMemoryLog([]step{{1_700_000_000 * second, beat}})
	for _, c := range []struct {
		what  string
		ahead int64 // how far the high watermark is
		want  []stream.Tick
	}{{"caught up", 0, []stream.Tick{{Offset: log.end(), Flush: true}}}, {"lags", 1, nil}} {
		synctest.Test(t, func(t *testing.T) {
			sink := &memorySink{folder: newFolder(t, Rules{}), left: -1}
			loop := sink.loop(log, Rules{}, false)
			loop.Log = beyond{log, c.ahead}
			defer loop.Fold.(*Fold).Close()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := loop.Run(ctx); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(sink.ledger.Ticks, c.want) {
				t.Errorf("%s: ticks %v, want %v", c.what, sink.ledger.Ticks, c.want)
			}
		})
	}
}

// beyond is a log that does not give its last records.
type beyond struct {
	stream.Log
	more int64
}

func (l beyond) Read(ctx context.Context, from int64) (stream.Fetch, error) {
	fetch, err := l.Log.Read(ctx, from)
	fetch.End += l.more
	return fetch, err
}
