package simulate

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"strings"
	"testing"
	"time"

	"github.com/inferlake/inferlake/stream"
)

func end() time.Time { return time.Date(2024, 9, 10, 0, 0, 0, 0, time.UTC) }

// digest takes every field of every event into a hash.
func digest(h hash.Hash, e *stream.Event) {
	fmt.Fprint(h, e.Kind)
	e.Each(func(f stream.Field) {
		switch stream.Fields[f].Type {
		case stream.Text:
			fmt.Fprintln(h, f, e.Text(f))
		case stream.Texts:
			fmt.Fprintln(h, f, e.Texts(f))
		default:
			fmt.Fprintln(h, f, e.Num(f))
		}
	})
}

// watch checks what must hold of every event and counts what is there.
type watch struct {
	next   [8]int64
	last   int64
	kinds  map[stream.Kind]int64
	states map[string]string
	open   map[string]string // instance by request
	seen   map[string]map[string]bool
}

func newWatch() *watch {
	return &watch{kinds: map[stream.Kind]int64{}, states: map[string]string{}, open: map[string]string{},
		seen: map[string]map[string]bool{"version": {}, "gpu": {}, "class": {}, "model": {}}}
}

func (w *watch) event(e *stream.Event) error {
	at, lane, in := e.Num(stream.EventTimeUnixNano), e.Num(stream.EventLane), e.Text(stream.EventInstance)
	if at < w.last {
		return fmt.Errorf("back in time: %d after %d", at, w.last)
	}
	w.last = at
	w.kinds[e.Kind]++
	if seq, ok := e.Int(stream.EventSeq); ok {
		if seq != w.next[lane] {
			return fmt.Errorf("lane %d: %d, want %d", lane, seq, w.next[lane])
		}
		w.next[lane]++
	}
	switch e.Kind {
	case stream.KindInstance:
		w.instance(e, in)
	case stream.KindGPU:
		return ratios(e)
	case stream.KindRequest:
		return w.request(e, in)
	}
	if w.states[in] == "stopped" && e.Kind != stream.KindInstance {
		return fmt.Errorf("%s speaks after its end", in)
	}
	return nil
}

func (w *watch) instance(e *stream.Event, in string) {
	if state := stream.Lifecycle(e.Num(stream.InstanceState)).String(); state != "heartbeat" {
		w.states[in] = state
	}
	w.seen["gpu"][e.Text(stream.InstanceGPUType)] = true
}

func (w *watch) request(e *stream.Event, in string) error {
	id := e.Text(stream.RequestRequestID)
	switch stream.Phase(e.Num(stream.RequestPhase)) {
	case stream.PhaseReceived:
		if w.states[in] != "ready" {
			return fmt.Errorf("%s receives while %s", in, w.states[in])
		}
		w.open[id] = in
		w.seen["version"][e.Text(stream.RequestModelVersion)] = true
		w.seen["model"][e.Text(stream.RequestModel)] = true
		w.seen["class"][e.Text(stream.RequestRequestClass)] = true
	case stream.PhaseFinished:
		delete(w.open, id)
	}
	if w.states[in] == "stopped" {
		return fmt.Errorf("%s on %s after its end", id, in)
	}
	return nil
}

func ratios(e *stream.Event) error {
	for _, f := range []stream.Field{stream.GPUUtilizationRatio, stream.GPUSMActiveRatio, stream.GPUTensorActiveRatio, stream.GPUDRAMActiveRatio} {
		if v := e.Num(f); v < 0 || v > 1_000_000 {
			return fmt.Errorf("%s = %d", stream.Fields[f].Name, v)
		}
	}
	if p := e.Num(stream.GPUPowerMilliwatts); p < 60_000 || p > 700_000 {
		return fmt.Errorf("power %d mW", p)
	}
	return nil
}

// An hour of it: everything there, nothing open, states in order, shares as asked for.
func TestHour(t *testing.T) {
	w := newWatch()
	s, err := Day(context.Background(), Options{End: end().Add(-8 * time.Hour), Hours: 2, Requests: 30_000}, w.event)
	if err != nil {
		t.Fatal(err)
	}
	if s.Requests < 25_000 || len(w.open) != 0 {
		t.Errorf("%+v, %d open", s, len(w.open))
	}
	for in, state := range w.states {
		if state != "stopped" {
			t.Errorf("%s ends %s", in, state)
		}
	}
	for what, n := range map[string]int{"version": 2, "gpu": 3, "class": 3, "model": 2} { // heartbeats have no GPU
		if len(w.seen[what]) != n {
			t.Errorf("%s: %v", what, w.seen[what])
		}
	}
	within(t, "cancelled", float64(s.Outcomes[stream.OutcomeCancelled])/float64(s.Requests), 0.007, 0.013)
	within(t, "errors", float64(s.Outcomes[stream.OutcomeError])/float64(s.Requests), 0.003, 0.007)
	within(t, "cached", float64(s.CachedTokens)/float64(s.PromptTokens), 0.2, 0.8)
	if last := time.Unix(0, w.last); last.Before(end().Add(-8*time.Hour)) || last.After(end().Add(-8*time.Hour+5*time.Minute)) {
		t.Errorf("ends at %s", last.UTC())
	}
}

func within(t *testing.T, what string, v, low, high float64) {
	t.Helper()
	if v < low || v > high {
		t.Errorf("%s = %.4f, want %.4f to %.4f", what, v, low, high)
	}
}

// One seed, one day; another seed, another.
func TestSeed(t *testing.T) {
	run := func(seed uint64) string {
		h := sha256.New()
		s, err := Day(context.Background(), Options{End: end(), Hours: 1, Requests: 3_000, Seed: seed}, func(e *stream.Event) error {
			digest(h, e)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%s %x", s.Boot, h.Sum(nil))
	}
	if a, b := run(1), run(1); a != b {
		t.Errorf("%s and %s", a, b)
	}
	if a, b := run(1), run(2); a[:16] == b[:16] {
		t.Error("seeds do not matter")
	}
}

// More load, more use of the GPUs, and more at 15 h than at 3 h.
func TestShape(t *testing.T) {
	var received [24]int64
	var use, samples [24]int64
	_, err := Day(context.Background(), Options{End: end(), Requests: 60_000}, func(e *stream.Event) error {
		hour := e.Num(stream.EventTimeUnixNano) / int64(time.Hour) % 24
		switch {
		case e.Kind == stream.KindGPU:
			use[hour] += e.Num(stream.GPUUtilizationRatio)
			samples[hour]++
		case e.Kind == stream.KindRequest && stream.Phase(e.Num(stream.RequestPhase)) == stream.PhaseReceived:
			received[hour]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if received[15] < 2*received[3] || use[15]/samples[15] <= use[3]/samples[3] {
		t.Errorf("requests %v, use at 15 h %d, at 3 h %d", received, use[15]/samples[15], use[3]/samples[3])
	}
}

// Options that make no sense are refused in words; an error of the receiver and the end of the context end it.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, "no end time"},
		{Options{End: end(), Hours: -1}, "hours: -1: must be 0.1 to 8784"},
		{Options{End: end(), Requests: -1}, "requests: -1: must be 0 to 1000000000000"},
		{Options{End: time.Unix(60, 0)}, "before 1970"},
	} {
		if _, err := Day(context.Background(), c.o, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
	full := errors.New("full")
	if _, err := Day(context.Background(), Options{End: end(), Requests: 100}, func(*stream.Event) error { return full }); err != full {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Day(ctx, Options{End: end(), Requests: 100}, func(*stream.Event) error { return nil }); err != context.Canceled {
		t.Error(err)
	}
}

// BenchmarkDay is the default day.
func BenchmarkDay(b *testing.B) {
	for b.Loop() {
		kinds := map[stream.Kind]int64{}
		began := time.Now()
		s, err := Day(context.Background(), Options{End: end()}, func(e *stream.Event) error {
			kinds[e.Kind]++
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(began).Seconds(), "s/day")
		b.Logf("%+v %v", s, kinds)
	}
}

func newHash() hash.Hash { return sha256.New() }
