package main

import (
	"os"
	"sync"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/inferlake/inferlake/stream"
)

// progress shows how far long work has come, on a terminal only.
type progress struct{ *progressbar.ProgressBar }

func (p program) progress(what, unit string) progress {
	file, ok := p.stderr.(*os.File)
	shown := ok && term.IsTerminal(int(file.Fd()))
	return progress{progressbar.NewOptions64(-1, progressbar.OptionSetWriter(p.stderr), progressbar.OptionSetVisibility(shown),
		progressbar.OptionSetDescription(what), progressbar.OptionSetItsString(unit), progressbar.OptionShowIts(),
		progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100e6))}
}

func (p progress) Add(n int64) { p.ProgressBar.Add64(n) }
func (p progress) Set(n int64) { p.ProgressBar.Set64(n) }

// totals sums the events of all partitions.
type totals struct {
	mu sync.Mutex
	by map[stream.TopicPartition]int64
}

func newTotals() *totals { return &totals{by: map[stream.TopicPartition]int64{}} }

func (t *totals) add(c stream.Committed) (sum int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.by[c.Partition] = c.Status.Consumed
	for _, n := range t.by {
		sum += n
	}
	return sum
}
