package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/apache/arrow-go/v18/arrow/memory/mallocator"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/cmd/inferlake/workload"
	"github.com/inferlake/inferlake/stream"
)

type benchJoin struct {
	benchSettings
	Open int64 `help:"Requests open at a time." default:"1000000"`
	Full bool  `help:"Set every field of the contract on every event, as far as it may be known before the end." negatable:""`
}

// joinFigures are what the benchmark measured.
type joinFigures struct {
	Benchmark string  `json:"benchmark"`
	Open      int64   `json:"open_requests"`
	Full      bool    `json:"every_field_set"`
	Bytes     float64 `json:"rss_bytes_per_open_request"`
	Later     float64 `json:"rss_bytes_per_open_request_before_the_end"` // with the windows and rows that wait
	Begin     float64 `json:"begin_cpu_ns_per_event"`
	Join      float64 `json:"join_cpu_ns_per_event"`
	End       float64 `json:"end_cpu_ns_per_request"`
	Checked   string  `json:"checked"`
}

// joinBench folds moments of requests in a random order, without a broker, an encoding or a database.
type joinBench struct {
	*benchJoin
	load   *workload.Workload
	fold   *aggregate.Fold
	events [stream.Held + 1]stream.Event
	at     stream.Position
}

func (c *benchJoin) Run(_ context.Context, p program) error {
	end, err := c.begin()
	if err != nil {
		return err
	}
	defer end()
	b := &joinBench{benchJoin: c, load: workload.New(workload.Options{}),
		fold: aggregate.NewFold(stream.TopicPartition{Topic: stream.TopicRequests}, aggregate.Rules{MaxOpen: int(c.Open) + 1}, mallocator.NewMallocator())}
	defer b.fold.Close()
	f := joinFigures{Benchmark: "join-state", Open: c.Open, Full: c.Full,
		Checked: "accounts and open requests at each step; rows at the end"}
	b.moments(0, false) // the generator's own memory
	before := settledMiB()
	f.Begin = b.net(0)
	f.Bytes = (settledMiB() - before) * (1 << 20) / float64(c.Open)
	if open := b.fold.Status().Open; open != c.Open {
		return fmt.Errorf("the result is wrong, so its speed does not count: %d requests are open, want %d", open, c.Open)
	}
	joins := workload.Moments - 2
	for m := 1; m <= joins; m++ {
		f.Join += b.net(m) / float64(joins)
	}
	f.Later = (settledMiB() - before) * (1 << 20) / float64(c.Open)
	f.End = b.net(workload.Moments - 1)
	s := b.fold.Status()
	if want := c.Open * int64(workload.Moments); s.Open != 0 || s.Loaded != want || s.Consumed != want {
		return errors.New("the result is wrong, so its speed does not count: requests are left open or events are missing")
	}
	return c.print(p, f)
}

// net is the CPU time of folding one moment of every request, without that of making the events, ns each.
func (b *joinBench) net(moment int) float64 {
	watch := startWatch()
	b.moments(moment, false)
	made := watch.read()
	watch = startWatch()
	b.moments(moment, true)
	return watch.read().perEvent(b.Open) - made.perEvent(b.Open)
}

// moments makes one moment of every request, in an order that is the same each time and jumps about, and may fold it.
func (b *joinBench) moments(moment int, fold bool) {
	const stride = 7_368_787 // prime
	ahead := foldAhead{to: b.fold}
	for i := range b.Open {
		e := &b.events[i%int64(len(b.events))]
		b.load.Moment(e, i*stride%b.Open, moment, b.Full)
		if !fold {
			continue
		}
		b.at.Offset++
		ahead.add(e, b.at, workload.Start+int64(moment+1)*1e9)
		if b.fold.Pending() > 122_880 {
			ahead.fold()
			b.fold.Cut().Release()
		}
	}
	ahead.fold()
}

// settledMiB is the memory that is resident once the garbage is gone.
func settledMiB() float64 {
	runtime.GC()
	debug.FreeOSMemory()
	return residentMiB()
}

func (f joinFigures) String() string {
	what := "the workload's fields"
	if f.Full {
		what = "every field of the contract set"
	}
	return fmt.Sprintf("%s: %d requests open, %s: %.0f B of RSS a request after its first event, %.0f B before its end with the windows and rows that wait\nCPU: %.0f ns the first event, %.0f ns an event on the way, %.0f ns the end with windows and row\nchecked: %s",
		f.Benchmark, f.Open, what, f.Bytes, f.Later, f.Begin, f.Join, f.End, f.Checked)
}
