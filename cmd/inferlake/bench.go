package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
)

// benchCommand measures, one subcommand a benchmark. docs/benchmarks.md says what came of it.
type benchCommand struct {
	Decode   benchDecode   `cmd:"" name:"consume-decode" help:"Kafka to events: what reading and decoding take."`
	Join     benchJoin     `cmd:"" name:"join-state" help:"Merging events into open requests: memory a request, CPU time an event."`
	Windows  benchWindows  `cmd:"" name:"window-quantiles" help:"Distributions: CPU time an observation and a merge, error of quantiles."`
	Load     benchLoad     `cmd:"" name:"duckdb-load" help:"Commits of rows beside CREATE TABLE AS of the same rows."`
	Fresh    benchFresh    `cmd:"" name:"freshness" help:"From the producer to SQL at a steady rate: p50, p99."`
	Cost     benchCost     `cmd:"" name:"cost-accuracy" help:"What requests are said to have cost, against what they truly did, and other tools' formulas on the same traffic."`
	Restart  benchRestart  `cmd:"" help:"A serve is killed under load: how long until the next one commits."`
	Pipeline benchPipeline `cmd:"" name:"pipeline-2core" help:"Kafka to fold to DuckDB, broker in the same process: events a second and CPU time an event."`
}

// benchSettings are the flags of every benchmark.
type benchSettings struct {
	Format  string `help:"text or json." enum:"text,json" default:"text"`
	Cores   int    `help:"Cores that Go and DuckDB may use." default:"2"`
	Profile string `help:"Write a CPU profile of the measured parts to this file." placeholder:"FILE"`
}

// begin sets the cores, and the garbage collector as serve does, and starts the profile.
func (s benchSettings) begin() (end func(), err error) {
	runtime.GOMAXPROCS(s.Cores)
	debug.SetGCPercent(gcPercent)
	if s.Profile == "" {
		return func() {}, nil
	}
	file, err := os.Create(s.Profile)
	if err != nil {
		return nil, fmt.Errorf("cannot write the profile: %w", err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		file.Close()
	}, nil
}

// print writes the figures: as JSON, or as their own text.
func (s benchSettings) print(p program, figures fmt.Stringer) error {
	if s.Format == "json" {
		return json.NewEncoder(p.stdout).Encode(figures)
	}
	_, err := fmt.Fprintln(p.stdout, figures)
	return err
}
