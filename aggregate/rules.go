package aggregate

import (
	"fmt"
	"time"
)

// foldVersion names what the fold does with a log. It changes whenever the same log would give other rows.
const foldVersion = 5

// Rules are the fold's parameters. The zero value takes the defaults.
type Rules struct {
	OutOfOrderness time.Duration // how far the watermark stays behind the greatest event time; default 10 s
	Skew           time.Duration // how far an event may be ahead of the log clock; default 5 min
	Expiry         time.Duration // silence on the log clock after which an open request is lost; default 1 h
	ClosedMemory   time.Duration // how long a closed request takes corrections; default 15 min
	MaxLife        time.Duration // longest request whose times are believed; default 24 h
	MaxOpen        int           // open requests a partition; the oldest are evicted; default 1,000,000
	MaxClosed      int           // closed requests remembered a partition; default 65,536
	MaxLanes       int           // lanes, and instances, remembered a partition; default 10,000
	MaxRuns        int           // apart runs of sequence numbers a lane; default 1,000
	MaxSeries      int           // gauge and counter series a partition; default 50,000
	MaxWindows     int           // windows that wait for the watermark; beyond it all are written; default 200,000
	MaxNames       int           // names a dimension of windows; the rest is __other__; default 1,000
	NameMemory     time.Duration // after which an unseen name gives up its place; default 7 days
	Names          []string      // names that are always admitted

	Authority map[string]string // by instance: the source whose request events count; those of others are refused
}

// WithDefaults fills in what is zero.
func (r Rules) WithDefaults() Rules {
	for _, d := range []struct {
		v *time.Duration
		d time.Duration
	}{{&r.OutOfOrderness, 10 * time.Second}, {&r.Skew, 5 * time.Minute}, {&r.Expiry, time.Hour}, {&r.ClosedMemory, 15 * time.Minute}, {&r.MaxLife, 24 * time.Hour},
		{&r.NameMemory, 7 * 24 * time.Hour}} {
		if *d.v == 0 {
			*d.v = d.d
		}
	}
	for _, n := range []struct {
		v *int
		d int
	}{{&r.MaxOpen, 1_000_000}, {&r.MaxClosed, 65_536}, {&r.MaxLanes, 10_000}, {&r.MaxRuns, 1_000}, {&r.MaxSeries, 50_000},
		{&r.MaxWindows, 200_000}, {&r.MaxNames, 1_000}} {
		if *n.v == 0 {
			*n.v = n.d
		}
	}
	return r
}

// String names version and parameters: a snapshot is good for the same string only.
func (r Rules) String() string {
	r = r.WithDefaults()
	return fmt.Sprintf("fold %d, window %d s, out-of-orderness %v, skew %v, expiry %v, closed memory %v, max life %v, "+
		"max open %d, closed %d, lanes %d, runs %d, series %d, windows %d, names %d for %v, always %q, authority %q",
		foldVersion, WindowNS/int64(time.Second), r.OutOfOrderness, r.Skew, r.Expiry, r.ClosedMemory, r.MaxLife,
		r.MaxOpen, r.MaxClosed, r.MaxLanes, r.MaxRuns, r.MaxSeries, r.MaxWindows, r.MaxNames, r.NameMemory, r.Names, r.authorities())
}
