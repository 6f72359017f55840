package main

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/inferlake/inferlake/warehouse"
)

// keepSettings say how long rows are kept, in days of both clocks: of event time, and since they were loaded.
type keepSettings struct {
	Requests   float64 `help:"Days that requests are kept; 0 keeps them for ever, here as in the others." default:"400" placeholder:"DAYS"`
	Samples    float64 `help:"Days that samples of engines, steps, GPUs, nodes and Kubernetes are kept." default:"35" placeholder:"DAYS"`
	Windows10s float64 `name:"windows-10s" help:"Days that windows of 10 s are kept." default:"7" placeholder:"DAYS"`
	Windows1m  float64 `name:"windows-1m" help:"Days that windows of 1 min are kept." default:"60" placeholder:"DAYS"`
	Windows15m float64 `name:"windows-15m" help:"Days that windows of 15 min are kept. Those of a day are kept for ever." default:"1100" placeholder:"DAYS"`
}

const longestKeep = 36_500 // days: beyond it, 0 is meant

func (s keepSettings) validate() error {
	for flag, days := range map[string]float64{"requests": s.Requests, "samples": s.Samples, "windows-10s": s.Windows10s, "windows-1m": s.Windows1m, "windows-15m": s.Windows15m} {
		if math.IsNaN(days) || days < 0 || days > longestKeep {
			return fmt.Errorf("--keep-%s cannot be %v: give days, up to %d, or 0 to keep for ever", flag, days, longestKeep)
		}
	}
	return nil
}

// keep is what the warehouse removes by.
func (s keepSettings) keep(fold foldSettings) warehouse.Keep {
	days := func(n float64) time.Duration { return time.Duration(n * float64(24*time.Hour)) }
	return warehouse.Keep{Requests: days(s.Requests), Samples: days(s.Samples),
		Windows:     [3]time.Duration{days(s.Windows10s), days(s.Windows1m), days(s.Windows15m)},
		Correctable: fold.ClosedMemory + fold.Skew}
}

// retain removes what is old, and says how much it was.
func (c *serveCommand) retain(ctx context.Context, pipe *pipeline) error {
	rows, err := pipe.house.Retain(ctx, c.Keep.keep(c.Fold))
	if rows > 0 {
		pipe.log.Info("removed what is older than it is to be kept (SELECT * FROM v1.retention)", "rows", rows)
	}
	return err
}

// regularly does something again and again until ctx ends. A failure is said and tried again.
func regularly(ctx context.Context, every time.Duration, log *slog.Logger, what string, do func(context.Context) error) error {
	for wait(ctx, every) {
		if err := do(ctx); err != nil && ctx.Err() == nil {
			log.Error("cannot "+what+"; trying again", "err", err)
		}
	}
	return nil
}
