package stepmodel

import (
	"fmt"
	"testing"
)

// Long prompts in chunks, a full KV cache and prefix hits: what the reference gave on the Mooncake traces. Passes,
// busy µs, end µs, greatest numbers running, waiting and of KV tokens; then sums over requests of cached tokens and
// of the µs at which they were scheduled, gave their first token and finished.
func TestReferenceMooncake(t *testing.T) {
	for _, c := range []struct {
		file, profile string
		blocks        int64
		want          string
	}{
		{"synthetic_trace.jsonl", "h100-llama3-8b-tp1", InfiniteBlocks,
			"35439 996864700 1022693997 104 274 467278 39802880 2225358710361 2226396141465 2270884574864"},
		{"synthetic_trace.jsonl", "h100-llama3-8b-tp1", 1000,
			"11489 1765140947 1765156547 102 1498 467277 5138944 3340057437919 3342485521425 3430077031486"},
		{"synthetic_trace.jsonl", "h100-llama3-70b-tp4", 10000,
			"18013 3087911019 3087926619 63 2878 486709 26365952 6984951789552 6988699047040 7091532582518"},
		{"conversation_trace.head7000.jsonl", "h100-llama3-8b-tp1", InfiniteBlocks,
			"77355 3414914355 3414929955 58 2855 467280 31088640 12674369726798 12676983214612 12781985728912"},
		{"conversation_trace.head7000.jsonl", "h100-llama3-8b-tp1", 1000,
			"77693 4151307101 4151322701 58 3647 467280 3902464 15175070383898 15178589861034 15305714286399"},
		{"conversation_trace.head7000.jsonl", "h100-llama3-70b-tp4", 10000,
			"77931 7555607590 7555623190 57 5208 486794 18471424 27640824803409 27648069185476 27878599474663"},
	} {
		p, _ := ProfileNamed(c.profile)
		if got := figures(Config{Profile: p, CacheBlocks: c.blocks}, mooncakeRows(t, c.file)); got != c.want {
			t.Errorf("%s, %s, %d blocks:\ngot  %s\nwant %s", c.file, c.profile, c.blocks, got, c.want)
		}
	}
}

func figures(c Config, rows []Request) string {
	var cached int64
	var sums [Ran + 1]int64
	f := NewFleet(c, func(at int64, o Output) {
		cached += o.Cached
		sums[o.Kind] += at
	})
	for _, r := range rows {
		f.Arrive(r)
	}
	f.Drain()
	s := f.Stats()[0]
	return fmt.Sprint(s.Passes, s.Busy, s.End, s.PeakRunning, s.PeakWaiting, s.PeakKV, cached, sums[Scheduled], sums[FirstToken], sums[Finished])
}
