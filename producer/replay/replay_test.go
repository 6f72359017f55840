package replay

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferlake/inferlake/stream"
)

const threeRows = `TIMESTAMP,ContextTokens,GeneratedTokens
2024-01-01 00:00:00,100,2
2024-01-01 00:00:00.010,50,30
2024-01-01 00:00:00.500,70,1
`

// Every event of three requests, as text.
func TestEvents(t *testing.T) {
	lines, s := log(t, Options{Format: "azure", File: write(t, threeRows), Model: "m", Version: "v2", SampleInterval: 200 * time.Millisecond})
	env := "producer=" + s.Producer + " boot=" + s.Boot
	got := strings.ReplaceAll(strings.Join(lines, "\n")+"\n", env, "…")
	name := filepath.Join("testdata", "events.txt")
	if *rewrite {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s\n(-rewrite takes it)", got, want)
	}
}

var rewrite = flag.Bool("rewrite", false, "write what the tests got as what they want")

// Two replays of one file are equal to the byte.
func TestTwice(t *testing.T) {
	o := Options{Format: "azure", File: traces(t, "azure", "AzureLLMInferenceTrace_conv.csv"), MaxRows: 2000, Replicas: 3, Dispatch: "least-loaded"}
	a, _ := log(t, o)
	b, _ := log(t, o)
	if !slices.Equal(a, b) {
		t.Error("two replays differ")
	}
}

// The first rows alone give the same events with the same numbers as in a replay of all, and nothing else but their
// end.
func TestPrefix(t *testing.T) {
	o := Options{Format: "azure", File: traces(t, "azure", "AzureLLMInferenceTrace_conv.csv")}
	whole := map[string]bool{}
	play(t, o, func(e *stream.Event) error {
		whole[told(e)] = true
		return nil
	})
	o.MaxRows = 1000
	lines, s := log(t, o)
	if s.Rows != 1000 {
		t.Errorf("%+v", s)
	}
	for _, line := range lines {
		if !whole[line] && !strings.Contains(line, "state=stopped") && !strings.Contains(line, "state=heartbeat") {
			t.Fatalf("not in the whole replay: %s", line)
		}
		if strings.Contains(line, "state=stopped") && strings.Contains(line, " seq=") {
			t.Errorf("numbered: %s", line)
		}
	}
}

// What names the run: the content and the options that matter, not the pace nor the number of rows.
func TestIdentity(t *testing.T) {
	name := write(t, threeRows)
	base := play(t, Options{Format: "azure", File: name}, ignore)
	same := play(t, Options{Format: "azure", File: name, MaxRows: 1, Speedup: 1e9, Profile: "h100-llama3-8b-tp1"}, ignore)
	if same.Producer != base.Producer || same.Boot != base.Boot || len(base.Boot) != 16 || len(base.Producer) != 23 {
		t.Errorf("%+v and %+v", base, same)
	}
	for _, o := range []Options{{Replicas: 2}, {Quadratic: true}, {Cache: "infinite"}, {Model: "x"}, {StartTime: time.Unix(1e9, 0)}, {Profile: "a100-llama3-8b-tp1"}} {
		o.Format, o.File = "azure", name
		if s := play(t, o, ignore); s.Boot == base.Boot || s.Producer != base.Producer {
			t.Errorf("%+v: %s", o, s.Boot)
		}
	}
	if s := play(t, Options{Format: "azure", File: write(t, threeRows+"2024-01-01 00:00:01,1,1")}, ignore); s.Producer == base.Producer {
		t.Error("another file, the same producer")
	}
}

func ignore(*stream.Event) error { return nil }

// With a speed-up of 10 a second of the trace takes 0.1 s.
func TestPace(t *testing.T) {
	name := write(t, threeRows)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		s := play(t, Options{Format: "azure", File: name, Speedup: 10}, ignore)
		if took := time.Since(began); took != time.Duration(s.To-s.From)/10 {
			t.Errorf("took %s for %s", took, time.Duration(s.To-s.From))
		}
	})
}

// A start time moves the dates of the file, and rows without a time come one a second from it.
func TestStartTime(t *testing.T) {
	start := time.Date(2030, 5, 1, 0, 0, 0, 0, time.UTC)
	if s := play(t, Options{Format: "azure", File: write(t, threeRows), StartTime: start}, ignore); s.From != start.UnixNano() {
		t.Errorf("from %d", s.From)
	}
	var received []int64
	play(t, Options{Format: "bench", File: write(t, `[{"ttft":1,"e2e_latency":2},{"ttft":1,"e2e_latency":2}]`)}, func(e *stream.Event) error {
		if e.Kind == stream.KindRequest && stream.Phase(e.Num(stream.RequestPhase)) == stream.PhaseReceived {
			received = append(received, e.Num(stream.EventTimeUnixNano))
		}
		return nil
	})
	if !slices.Equal(received, []int64{1704067200_000000000, 1704067201_000000000}) {
		t.Errorf("received %d", received)
	}
}

// Rows a little out of order are put in order; far out of order is an error that says what to do.
func TestDisorder(t *testing.T) {
	c := newChecker(t)
	play(t, Options{Format: "azure", File: write(t, threeRows+"2023-12-31 23:59:30,9,9\n")}, c.event)
	if c.phases[stream.PhaseFinished] != 4 {
		t.Errorf("%v", c.phases)
	}
	_, err := Replay(context.Background(), Options{Format: "azure", File: write(t, threeRows+"2023-12-31 23:00:00,9,9\n")}, ignore)
	if err == nil || !strings.HasSuffix(err.Error(), ":5: arrives 1h0m0.5s before a row above it: sort the file") {
		t.Error(err)
	}
}

// Options that make no sense are refused in words; an error of the receiver and the end of the context end a replay.
func TestErrors(t *testing.T) {
	name := write(t, threeRows)
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Format: "azure"}, "no file given"},
		{Options{Format: "x", File: name}, `no format "x"; there are azure, mooncake, burstgpt, bailian, bench, vllmrun`},
		{Options{Format: "azure", File: name, Profile: "x"}, `no profile "x"; there are h100-llama3-8b-tp1, `},
		{Options{Format: "azure", File: name, Cache: "big"}, `cache "big": must be off, infinite or a number of blocks`},
		{Options{Format: "azure", File: name, CacheOrder: "x"}, `cache order "x": must be admission or arrival`},
		{Options{Format: "azure", File: name, Dispatch: "x"}, `dispatch "x": must be round-robin or least-loaded`},
		{Options{Format: "azure", File: name, Speedup: -1}, "speed-up -1: must not be negative"},
		{Options{Format: "azure", File: name, MaxRows: -1}, "max-rows -1: must not be negative"},
	} {
		if _, err := Replay(context.Background(), c.o, ignore); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
	full := errors.New("full")
	if _, err := Replay(context.Background(), Options{Format: "azure", File: name}, func(*stream.Event) error { return full }); err != full {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Replay(ctx, Options{Format: "azure", File: name}, ignore); err != context.Canceled {
		t.Error(err)
	}
}
