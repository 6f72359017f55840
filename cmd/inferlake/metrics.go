package main

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/inferlake/inferlake/stream"
)

// metrics are the pipeline's own, by topic and partition.
type metrics struct {
	registry  *prometheus.Registry
	events    *prometheus.GaugeVec
	offset    *prometheus.GaugeVec
	lag       *prometheus.GaugeVec
	open      *prometheus.GaugeVec
	watermark *prometheus.GaugeVec
	evicted   *prometheus.GaugeVec
	forgotten *prometheus.GaugeVec
	others    *prometheus.GaugeVec
	stale     *prometheus.GaugeVec
	commits   *prometheus.CounterVec
	last      *prometheus.GaugeVec
}

func newMetrics() *metrics {
	by := []string{"topic", "partition"}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, append(append([]string(nil), by...), labels...))
	}
	m := &metrics{
		registry:  prometheus.NewRegistry(),
		events:    gauge("inferlake_events", "Events accounted for since the log's start: consumed = loaded + pending + duplicate + dead.", "state"),
		offset:    gauge("inferlake_committed_offset", "Next offset to be folded with effect."),
		lag:       gauge("inferlake_lag_records", "Records between the committed offset and the high watermark."),
		open:      gauge("inferlake_open_requests", "Requests open in the fold."),
		watermark: gauge("inferlake_watermark_timestamp_seconds", "Watermark, seconds since 1970 UTC."),
		evicted:   gauge("inferlake_evicted_parts", "Parts of the fold's state that went for want of room since the log's start: open requests, lanes, gaps, instances, series."),
		forgotten: gauge("inferlake_forgotten_requests", "Closed requests forgotten before their time for want of room since the log's start."),
		others:    gauge("inferlake_other_bookings", "Bookings of requests in windows under __other__ since the log's start."),
		stale:     gauge("inferlake_stale_samples", "Samples that a later one of their series had overtaken, or in which a counter leapt beyond belief, since the log's start."),
		commits:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "inferlake_commits_total", Help: "Batches committed."}, by),
		last:      gauge("inferlake_last_commit_timestamp_seconds", "Time of the last commit, seconds since 1970 UTC."),
	}
	m.registry.MustRegister(m.events, m.offset, m.lag, m.open, m.watermark, m.evicted, m.forgotten, m.others, m.stale, m.commits, m.last,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// committed takes what a commit reports.
func (m *metrics) committed(c stream.Committed) {
	at := []string{c.Partition.Topic, strconv.Itoa(int(c.Partition.Partition))}
	n := c.Status.Counts
	for _, s := range []struct {
		state string
		n     int64
	}{{"consumed", n.Consumed}, {"loaded", n.Loaded}, {"pending", n.Pending}, {"duplicate", n.Duplicate}, {"dead", n.Dead}, {"late", n.Late}} {
		m.events.WithLabelValues(at[0], at[1], s.state).Set(float64(s.n))
	}
	m.offset.WithLabelValues(at...).Set(float64(c.Next))
	m.lag.WithLabelValues(at...).Set(float64(max(0, c.End-c.Next)))
	m.open.WithLabelValues(at...).Set(float64(n.Open))
	m.watermark.WithLabelValues(at...).Set(float64(c.Status.Watermark) / 1e9)
	g := c.Status.GivenUp
	m.evicted.WithLabelValues(at...).Set(float64(g.Evicted))
	m.forgotten.WithLabelValues(at...).Set(float64(g.Forgotten))
	m.others.WithLabelValues(at...).Set(float64(g.Others))
	m.stale.WithLabelValues(at...).Set(float64(g.Stale))
	m.commits.WithLabelValues(at...).Inc()
	m.last.WithLabelValues(at...).Set(float64(time.Now().UnixNano()) / 1e9)
}
