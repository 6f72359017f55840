package main

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// usage is what a part of a benchmark took.
type usage struct {
	Wall time.Duration `json:"wall_ns"`
	CPU  time.Duration `json:"cpu_ns"` // of all threads, in and out of the kernel
}

// stopwatch measures from its start.
type stopwatch struct {
	begun time.Time
	cpu   time.Duration
}

func startWatch() stopwatch { return stopwatch{time.Now(), cpuTime()} }

func (s stopwatch) read() usage { return usage{time.Since(s.begun), cpuTime() - s.cpu} }

func (u usage) perSecond(events int64) float64 { return float64(events) / u.Wall.Seconds() }
func (u usage) perEvent(events int64) float64  { return float64(u.CPU.Nanoseconds()) / float64(events) }

func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// forgetPeak begins the measurement of peakMiB anew, where the kernel lets us.
func forgetPeak() { os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// peakMiB and residentMiB are the memory that is resident, at most and now.
func peakMiB() float64     { return statusMiB("VmHWM:") }
func residentMiB() float64 { return statusMiB("VmRSS:") }

func statusMiB(name string) float64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, after, _ := strings.Cut(string(status), name)
	fields := strings.Fields(after)
	if len(fields) == 0 {
		return 0
	}
	kib, _ := strconv.ParseFloat(fields[0], 64)
	return kib / 1024
}

// spread is the median of several runs, with the least and the greatest.
type spread struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

func spreadOf(values []float64) spread {
	if len(values) == 0 {
		return spread{}
	}
	v := slices.Sorted(slices.Values(values))
	return spread{v[len(v)/2], v[0], v[len(v)-1]}
}
