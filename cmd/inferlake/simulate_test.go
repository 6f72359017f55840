//go:build !race

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// truths sums a ledger of the simulator.
type truths struct {
	legs, lost, probes, boots           int
	output, prompt, cached, preemptions int64
	recomputed, drafted, incidents      int64
}

func readTruths(t *testing.T, file string) (s truths) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r struct {
			Row, Role, Outcome string
			Probe              bool
			Prompt             int64 `json:"prompt_tokens"`
			Cached             int64 `json:"cached_tokens"`
			Output             int64 `json:"output_tokens"`
			Recomputed         int64 `json:"recomputed_tokens"`
			Drafted            int64 `json:"drafted_tokens"`
			Preemptions        int64
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		switch {
		case r.Row == "incident":
			s.incidents++
		case r.Row == "instance":
			s.boots++
		case r.Row == "request" && r.Outcome == "lost":
			s.lost++
		case r.Row == "request":
			s.legs++
			if r.Probe {
				s.probes++
			}
			s.output, s.prompt, s.cached, s.preemptions = s.output+r.Output, s.prompt+r.Prompt, s.cached+r.Cached, s.preemptions+r.Preemptions
			s.recomputed, s.drafted = s.recomputed+r.Recomputed, s.drafted+r.Drafted
		}
	}
	return s
}

// A simulated hour of everything that can happen goes through the program, and what SQL says is the simulator's truth.
func TestSimulatedFleet(t *testing.T) {
	l := newLake(t)
	truth := filepath.Join(t.TempDir(), "truth.ndjson")
	l.run("produce", "simulate", "--scenario", "chaos", "--end", "2026-11-04T12:00:00Z", "--truth", truth)
	if out := l.run("serve", "--once"); !strings.Contains(out, "late 0;") || !strings.Contains(out, "open requests 0") {
		t.Error(out)
	}
	s := readTruths(t, truth)
	l.says(`SELECT count(*) FILTER (outcome <> 'lost'), count(*) FILTER (outcome = 'lost'), count(*) FILTER (probe), sum(output_tokens) FILTER (outcome <> 'lost'),
		sum(prompt_tokens) FILTER (outcome <> 'lost'), sum(cached_tokens) FILTER (outcome <> 'lost'), sum(preemptions) FILTER (outcome <> 'lost'), sum(recomputed_tokens) FILTER (outcome <> 'lost'), sum(drafted_tokens)
		FROM v1.requests WHERE role <> 'gateway'`,
		strings.TrimSpace(fmt.Sprintln(s.legs, s.lost, s.probes, s.output, s.prompt, s.cached, s.preemptions, s.recomputed, s.drafted)))
	l.says(`SELECT count(*) FROM v1.instances WHERE role <> 'gateway'`, fmt.Sprint(s.boots))
	l.says(`SELECT count(*) > 0, min(gateway_attempt) = 0, bool_or(prefill_instance IS NOT NULL AND decode_instance IS NOT NULL AND decode_kv_transfer_seconds > 0)
		FROM v1.request_path WHERE gateway_instance IS NOT NULL`, "true true true")
	l.says(`SELECT count(DISTINCT fault) FROM v1.gpu_faults`, "2")
	if s.incidents != 8 {
		t.Errorf("%d incidents", s.incidents)
	}
}

// A scenario is shown, and one that is not there is refused by name.
func TestSimulateShows(t *testing.T) {
	l := newLake(t)
	if out := l.run("produce", "simulate", "--scenario", "chaos", "--show"); !strings.Contains(out, "incidents:") {
		t.Error(out)
	}
	if _, err := l.try("produce", "simulate", "--scenario", "no-such"); err == nil || !strings.Contains(err.Error(), "chaos, day, fleet-day, month") {
		t.Error(err)
	}
}
