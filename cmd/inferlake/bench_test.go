package main

import (
	"strings"
	"testing"
)

// Every benchmark runs, small, and its result passes its own check.
func TestBenchmarksRun(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	for _, args := range []string{
		"pipeline-2core --events 30000 --open 3000 --batch 16 --encoding columns --format json",
		"pipeline-2core --events 30000 --open 3000 --encoding protobuf",
		"consume-decode --events 20000 --open 3000 --encoding json",
		"join-state --open 5000 --full",
		"window-quantiles --groups 100 --values 1500000",
	} {
		out := newLake(t).run(append([]string{"bench"}, strings.Fields(args)...)...)
		if !strings.Contains(out, "checked") {
			t.Errorf("%s printed no check:\n%s", args, out)
		}
	}
}
