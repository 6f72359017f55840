package simulate

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/inferlake/inferlake/stream"
)

// cpu is the time that this process spent on processors: what the simulator takes of a core, whatever else runs.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkSpeed is how much faster than time the simulator is, on one core, events included: eight engines of a model,
// five requests a second each, with all that a fleet has switched on.
func BenchmarkSpeed(b *testing.B) {
	s := shippedScenario(b, "fleet-day")
	s.Hours, s.Requests = 1, 8*5*3600
	s.Deployments = s.Deployments[:1]
	s.Deployments[0].Engines, s.Deployments[0].Autoscale.Max, s.Deployments[0].Rollout = 8, 0, []Version{{Name: "1", Speed: 1}}
	s.Incidents, s.Traffic.Swing, s.Traffic.Weekend = nil, 0, 1
	for b.Loop() {
		begun, used := time.Now(), cpu(b)
		sum, err := Run(context.Background(), s, Options{End: end()}, func(*stream.Event) error { return nil })
		if err != nil {
			b.Fatal(err)
		}
		took := time.Since(begun)
		b.ReportMetric(time.Hour.Seconds()/(cpu(b)-used).Seconds(), "×real-time-on-a-core")
		b.ReportMetric(time.Hour.Seconds()/took.Seconds(), "×real-time")
		b.ReportMetric(float64(sum.Requests)/took.Seconds(), "requests/s")
	}
}

// BenchmarkMonth is a day of the scenario month, and what the month would take.
func BenchmarkMonth(b *testing.B) {
	s := shippedScenario(b, "month")
	for b.Loop() {
		begun, used := time.Now(), cpu(b)
		sum, err := Run(context.Background(), s, Options{End: end(), Hours: 24, Requests: s.Requests / 30}, func(*stream.Event) error { return nil })
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(30*time.Since(begun).Seconds(), "s/month")
		b.ReportMetric(30*(cpu(b)-used).Seconds(), "cpu-s/month")
		b.ReportMetric(30*float64(sum.Events), "events/month")
	}
}
