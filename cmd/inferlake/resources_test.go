//go:build !race

package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inferlake/inferlake/cmd/inferlake/proof"
	"github.com/inferlake/inferlake/producer"
	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/producer/simulate"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
)

// TestReportsOnResourcesFromSamples recomputes each number of the reports on resources from the samples' rows, by a program
// that shares no code with the product: over an hour of simulated engines and GPUs, and the monitored nodes, pods and
// faults beside them; in a range of quarters of an hour, of minutes and of 10 s, which read different tiers.
func TestReportsOnResourcesFromSamples(t *testing.T) {
	python := proof.Python(t)
	l := newLake(t)
	end := time.Date(2026, 1, 1, 1, 0, 0, 0, time.UTC)
	sendHour(t, l, end)
	l.run("serve", "--once")
	dir := t.TempDir()
	for _, name := range strings.Fields("engine_samples gpu_samples node_samples kube_samples gpu_faults instance_events requests step_runs") {
		writeTable(l, dir, name)
	}
	for _, c := range []struct{ from, to string }{{"00:15:00", "00:45:00"}, {"00:16:00", "00:44:00"}, {"00:20:30", "00:41:10"}} {
		t.Run(c.from, func(t *testing.T) {
			recompute(lake{t, l.data}, python, dir, clockTime(t, c.from), clockTime(t, c.to))
		})
	}
}

func clockTime(t *testing.T, clock string) time.Time {
	at, err := time.Parse(time.DateTime, "2026-01-01 "+clock)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// sendHour puts a simulated hour on the log, and what monitors say beside it, each record stamped with its events' time.
func sendHour(t *testing.T, l lake, end time.Time) {
	t.Helper()
	if err := folder(l.data).make(); err != nil {
		t.Fatal(err)
	}
	broker, err := kafkaSettings{Partitions: 2}.open(t.Context(), folder(l.data), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sender, err := producer.NewSender(t.Context(), producer.SenderOptions{Kafka: broker.Config, Topic: lifecycle.Topic,
		Stamp: func(e *stream.Event) time.Time { return time.Unix(0, e.Num(stream.EventTimeUnixNano)) }})
	if err != nil {
		t.Fatal(err)
	}
	emit := func(e *stream.Event) error { return sender.Emit(t.Context(), e) }
	monitor := newMonitor(end.Add(-time.Hour), emit)
	_, err = simulate.Day(t.Context(), simulate.Options{End: end, Hours: 1, Seed: 3, Requests: 4000}, func(e *stream.Event) error {
		return errors.Join(monitor.until(e.Num(stream.EventTimeUnixNano)), emit(e))
	})
	if err = errors.Join(err, sender.Close(t.Context()), broker.Close()); err != nil {
		t.Fatal(err)
	}
}

// monitor tells of two nodes, a deployment with two pods, and faults of a GPU. One node says for how long its gauges
// stand, the other does not; a counter starts again in the middle, a pod restarts twice.
type monitor struct {
	w     *lifecycle.Writer
	begin int64
	tick  int64 // of 5 s, next
}

func newMonitor(begin time.Time, emit func(*stream.Event) error) *monitor {
	return &monitor{w: lifecycle.NewWriter("monitor", "boot-1", "monitor", emit), begin: begin.UnixNano(), tick: 1}
}

// until tells what is due before a time, ns since 1970.
func (m *monitor) until(now int64) (err error) {
	const interval = int64(5 * time.Second)
	for ; err == nil && m.begin+m.tick*interval < now; m.tick++ {
		at := m.begin + m.tick*interval
		if m.tick%3 == 0 {
			err = errors.Join(m.node(at, 0), m.node(at, 1))
		}
		if m.tick%4 == 0 {
			err = errors.Join(err, m.deployment(at), m.pod(at, 0), m.pod(at, 1))
		}
		if m.tick%200 == 0 {
			err = errors.Join(err, m.fault(at))
		}
	}
	return err
}

var monitored = &lifecycle.Instance{Name: "monitor-0"}

func (m *monitor) node(at, i int64) error {
	e := m.w.Begin(stream.KindNode, lifecycle.LaneInfra, monitored, at)
	e.SetText(stream.NodeNode, fmt.Sprint("node-", i))
	if i == 0 {
		e.SetInt(stream.NodeDtNano, int64(15*time.Second))
	}
	e.SetInt(stream.NodeCPUUsageRatio, (m.tick*7919+i*104_729)%1_000_000)
	e.SetInt(stream.NodeCPUThrottledRatio, (m.tick*31)%100_000)
	if m.tick%2 == 0 {
		e.SetInt(stream.NodeMemoryUsedMiB, 10_000+m.tick%500)
		e.SetInt(stream.NodeMemoryTotalMiB, 64_000)
	}
	e.SetInt(stream.NodeNetworkReceiveBytesTotal, m.tick*12_345)
	e.SetInt(stream.NodeNetworkErrorsTotal, m.tick%400) // starts again at every 400th
	e.SetInt(stream.NodePageFaultsTotal, m.tick*m.tick)
	if i == 1 {
		e.SetInt(stream.NodeDiskBusyNanoTotal, m.tick*1_000_000_007)
	}
	return m.w.Send()
}

func (m *monitor) deployment(at int64) error {
	e := m.w.Begin(stream.KindKube, lifecycle.LaneInfra, monitored, at)
	e.SetText(stream.KubeNamespace, "llm")
	e.SetText(stream.KubeDeployment, "chat")
	e.SetInt(stream.KubeDesiredReplicas, 2+m.tick/100%3)
	e.SetInt(stream.KubeReadyReplicas, 2+m.tick/110%3)
	e.SetInt(stream.KubeUnavailableReplicas, m.tick/50%2)
	e.SetInt(stream.KubeHPADesiredReplicas, 2+m.tick/100%3)
	e.SetInt(stream.KubeHPAMaxReplicas, 4)
	return m.w.Send()
}

func (m *monitor) pod(at, i int64) error {
	e := m.w.Begin(stream.KindKube, lifecycle.LaneInfra, monitored, at)
	e.SetText(stream.KubeNamespace, "llm")
	e.SetText(stream.KubeDeployment, "chat")
	e.SetText(stream.KubePod, fmt.Sprint("chat-", i))
	e.SetInt(stream.KubeReadyRatio, 1_000_000*(1-i*(m.tick/30%2)))
	e.SetInt(stream.KubeRestartsTotal, i*(m.tick/300))
	e.SetInt(stream.KubeOOMKilledTotal, i*(m.tick/600))
	return m.w.Send()
}

func (m *monitor) fault(at int64) error {
	e := m.w.Begin(stream.KindFault, lifecycle.LaneGPUs, monitored, at)
	e.SetText(stream.FaultGPU, "GPU-lost")
	e.SetInt(stream.FaultFault, int64(stream.FaultKindXid))
	e.SetInt(stream.FaultCode, 79)
	return m.w.Send()
}

// writeTable writes a table as CSV, times as ns since 1970; t is when a row was.
func writeTable(l lake, dir, name string) {
	l.Helper()
	query := `SELECT * REPLACE (epoch_ns("at") AS "at", epoch_ns(started_at) AS started_at), epoch_ns("at") AS t FROM main.` + name
	switch name {
	case "gpu_faults", "step_runs":
		query = `SELECT *, epoch_ns("at") AS t FROM main.` + name
	case "instance_events":
		query = `SELECT *, epoch_ns("at") AS t FROM main.instance_events ORDER BY "at"`
	case "requests":
		query = `SELECT role, model, epoch_ns(finished_at) AS finished_at FROM main.requests`
	}
	if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(l.run("sql", "--format", "csv", query)), 0o644); err != nil {
		l.Fatal(err)
	}
}

// recomputedReports are the reports with the columns that name a row.
var recomputedReports = []struct {
	name string
	args []string
	key  func(row map[string]string) string
}{
	{"kv_cache", []string{"--by", "instance"}, func(r map[string]string) string { return r["group"] }},
	{"gpu", nil, func(r map[string]string) string { return r["group"] }},
	{"nodes", nil, func(r map[string]string) string { return r["node"] }},
	{"kubernetes", nil, func(r map[string]string) string { return r["group"] }},
	{"capacity", nil, func(r map[string]string) string { return r["group"] }},
	{"use", nil, func(r map[string]string) string { return r["resource"] }},
	{"engine_over_time", []string{"--by", "instance", "--set", "step=60"}, func(r map[string]string) string { return seconds(r["time"]) + " " + r["group"] }},
	{"gpu_over_time", []string{"--set", "step=60"}, func(r map[string]string) string { return seconds(r["time"]) + " " + r["gpu"] }},
}

func seconds(text string) string {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return text
	}
	return strconv.FormatInt(at.Unix(), 10)
}

// recompute holds every cell that the program says to the report's.
func recompute(l lake, python, dir string, from, to time.Time) {
	l.Helper()
	have := map[string]string{}
	for _, r := range recomputedReports {
		args := append([]string{r.name, "--from", from.Format(time.RFC3339), "--to", to.Format(time.RFC3339)}, r.args...)
		for _, row := range l.report(args...).maps() {
			for column, v := range row {
				have[strings.Join([]string{r.name, r.key(row), column}, "\t")] = v
			}
		}
	}
	out, err := exec.CommandContext(l.Context(), python, filepath.Join("testdata", "resources.py"), dir,
		strconv.FormatInt(from.Unix(), 10), strconv.FormatInt(to.Unix(), 10), "60").CombinedOutput()
	if err != nil {
		l.Fatalf("%v\n%s", err, out)
	}
	cells, reports := 0, map[string]int{}
	for line := range strings.Lines(strings.TrimSpace(string(out))) {
		i := strings.LastIndex(strings.TrimSuffix(line, "\n"), "\t")
		name, want := line[:i], strings.TrimSpace(line[i+1:])
		got, ok := have[name]
		if !ok || !sameCell(got, want) {
			l.Errorf("%s: the report says %q, the samples %s", strings.ReplaceAll(name, "\t", " / "), got, want)
		}
		report, _, _ := strings.Cut(name, "\t")
		cells, reports[report] = cells+1, reports[report]+1
	}
	l.Logf("%d cells: %v", cells, reports)
	if len(reports) != len(recomputedReports) {
		l.Errorf("cells of %v only", reports)
	}
}

// same compares numbers to nine digits; unknown is the empty text, and nothing else.
func sameCell(got, want string) bool {
	if want == "-" || got == "" {
		return want == "-" && got == ""
	}
	a, errA := strconv.ParseFloat(got, 64)
	b, errB := strconv.ParseFloat(want, 64)
	return errA == nil && errB == nil && math.Abs(a-b) <= 1e-9*math.Max(math.Abs(b), 1e-3)
}
