package aggregate

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/inferlake/inferlake/stream"
)

func TestPlusStopsAtTheEnds(t *testing.T) {
	const most, least = math.MaxInt64, math.MinInt64
	for _, c := range [][3]int64{
		{1, 2, 3}, {most, 0, most}, {most, 1, most}, {most, most, most}, {least, -1, least}, {least, least, least},
		{most, least, -1}, {most - 1, 1, most}, {least + 1, -1, least}, {most, -most, 0},
	} {
		if have := plus(c[0], c[1]); have != c[2] {
			t.Errorf("%d + %d = %d, want %d", c[0], c[1], have, c[2])
		}
		if have := plus(c[1], c[0]); have != c[2] {
			t.Errorf("%d + %d = %d, want %d", c[1], c[0], have, c[2])
		}
	}
}

// flood is a request that ended well and says the greatest numbers that are accepted; less is taken off its time.
func flood(i int, less, at int64) stream.Event {
	e := finishedOf(fmt.Sprint("r", i), "m", stream.OutcomeOK, at)
	_, most := stream.Fields[stream.RequestDecodeNano].Bounds()
	e.SetInt(stream.RequestDecodeNano, most-less)
	_, most = stream.Fields[stream.RequestPromptTokens].Bounds()
	for _, f := range []stream.Field{stream.RequestPromptTokens, stream.RequestCachedLocalTokens, stream.RequestCachedHostTokens} {
		e.SetInt(f, most)
	}
	e.SetInt(stream.RequestTokenConvention, int64(stream.TokensExclusive))
	return e
}

// only is the one window that a fold of requests holds.
func (d *folder) only() *windowDelta {
	d.t.Helper()
	if n := len(d.fold.windows.deltas); n != 1 {
		d.t.Fatalf("%d windows, want 1", n)
	}
	for _, delta := range d.fold.windows.deltas {
		return delta
	}
	return nil
}

func decodes(w *windowDelta) *Sketch {
	for i, d := range Distributions {
		if d.Name == "decode" {
			return &w.sketches[i]
		}
	}
	return nil
}

// No flood of great numbers makes a sum wrap around: it stops, and what counts requests stays exact.
func TestSumsOfAFloodStop(t *testing.T) {
	const requests = 70_000 // of 2^47 ns: more than 2^63
	start := 1_700_000_000 * second
	d := newFolder(t, Rules{})
	for i := range requests {
		d.apply(i, step{start, flood(i, 0, start)})
	}
	if s := decodes(d.only()); s.N != requests || s.Total != math.MaxInt64 {
		t.Errorf("%d decode times add up to %d; want %d and %d", s.N, s.Total, requests, math.MaxInt64)
	}
	tokens := big.NewInt(0)
	for i, m := range Measures {
		if m.Name == "prompt_tokens" {
			tokens.SetInt64(d.only().sums[i])
		}
	}
	if want := new(big.Int).Mul(big.NewInt(requests), big.NewInt(3<<32)); tokens.Cmp(want) != 0 {
		t.Errorf("%v prompt tokens, want %v", tokens, want)
	}
}

// Sums are of whole numbers, whatever the order: a double has 53 bits, and what the bounds allow needs more.
func TestSumsAreWhole(t *testing.T) {
	start := 1_700_000_000 * second
	var events []stream.Event
	times := big.NewInt(0)
	for i := range int64(500) {
		events = append(events, flood(int(i), 2*i+1, start))
		times.Add(times, big.NewInt(1<<47-2*i-1))
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 3 {
		d := newFolder(t, Rules{})
		d.feed(start, events...)
		if have := big.NewInt(decodes(d.only()).Total); have.Cmp(times) != 0 {
			t.Errorf("I2 whole sums: decode times add up to %v, want %v", have, times)
		}
		rng.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	}
}

// The same holds for the levels of gauges: value · ns over a window.
func TestLevelsAreWhole(t *testing.T) {
	start := windowOf(1_700_000_000 * second)
	d := newFolder(t, Rules{})
	level := big.NewInt(0)
	for i := range int64(3) {
		var e stream.Event
		e.Reset(stream.KindGPU)
		e.SetText(stream.GPUGPU, "gpu")
		e.SetInt(stream.EventTimeUnixNano, start+i*3_333_333_333)
		e.SetInt(stream.GPUDtNano, 3_333_333_333)
		e.SetInt(stream.GPUUtilizationRatio, 999_983)
		d.feed(start, e)
		level.Add(level, new(big.Int).Mul(big.NewInt(999_983), big.NewInt(3_333_333_333)))
	}
	d.fold.Tick(stream.Tick{At: start + 3*3600*second}) // the last level holds for its time
	have := big.NewInt(0)
	for _, w := range d.fold.samples.deltas {
		for _, m := range w.measures {
			have.Add(have, big.NewInt(m.sum))
		}
	}
	if have.Cmp(level) != 0 {
		t.Errorf("I2 whole levels: value · ns is %v, want %v", have, level)
	}
}

// A counter that leaps beyond belief adds nothing to windows, and the sample is counted.
func TestALeapIsCounted(t *testing.T) {
	start := 1_700_000_000 * second
	d := newFolder(t, Rules{})
	for i, v := range []int64{0, 1 << 60, 1<<60 + 7} {
		var e stream.Event
		e.Reset(stream.KindEngine)
		e.SetInt(stream.EventTimeUnixNano, start+int64(i)*second)
		e.SetInt(stream.EngineOutputTokensTotal, v)
		d.feed(start, e)
	}
	var increase int64
	for _, w := range d.fold.samples.deltas {
		for _, m := range w.measures {
			increase += m.sum
		}
	}
	if stale := d.fold.Status().Stale; stale != 1 || increase != 7 {
		t.Errorf("%d samples counted as stale and an increase of %d; want 1 and 7", stale, increase)
	}
}
