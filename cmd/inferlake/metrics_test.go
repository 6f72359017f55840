package main

import (
	"testing"

	"github.com/inferlake/inferlake/stream"
)

// What a commit says of the fold is what /metrics says.
func TestMetricsOfACommit(t *testing.T) {
	m := newMetrics()
	m.committed(stream.Committed{Partition: stream.TopicPartition{Topic: "t", Partition: 3}, Next: 5, End: 9,
		Status: stream.Status{Counts: stream.Counts{Open: 6}, GivenUp: stream.GivenUp{Evicted: 1, Forgotten: 2, Others: 3, Stale: 4}}})
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]float64{}
	for _, f := range families {
		have[f.GetName()] = f.GetMetric()[0].GetGauge().GetValue()
	}
	for name, want := range map[string]float64{"inferlake_committed_offset": 5, "inferlake_lag_records": 4, "inferlake_open_requests": 6,
		"inferlake_evicted_parts": 1, "inferlake_forgotten_requests": 2, "inferlake_other_bookings": 3, "inferlake_stale_samples": 4} {
		if have[name] != want {
			t.Errorf("%s is %g, want %g", name, have[name], want)
		}
	}
}
