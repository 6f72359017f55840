package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/inferlake/inferlake/cmd/inferlake/proof"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/fault"
	"github.com/inferlake/inferlake/stream/kafka/apachetest"
	"github.com/inferlake/inferlake/stream/kafka/kafkatest"
)

// buildProgram builds the program with this test's build tags, unless INFERLAKE_BINARY names one.
func buildProgram(t *testing.T) string {
	if path := os.Getenv("INFERLAKE_BINARY"); path != "" {
		return path
	}
	path := filepath.Join(t.TempDir(), "inferlake")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-tags", buildTags(), "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("cannot build the program: %v\n%s", err, out)
	}
	return path
}

// buildTags are those that this test was built with.
func buildTags() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-tags" {
				return s.Value
			}
		}
	}
	return ""
}

// freePort is a port of the loopback that nobody uses now.
func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// victim is a serve in a process of its own.
type victim struct {
	t       *testing.T
	program string
	data    string
	broker  string // host:port
	apart   bool   // the broker is Apache Kafka, in a process of its own that lives on
	child   *exec.Cmd
	exited  chan error
	said    *bytes.Buffer
}

// newVictim has the embedded broker, or Apache Kafka beside it with INFERLAKE_CRASH_BROKER=apache. The load has
// transactions with Apache Kafka only: the embedded broker may bring back one that was open when it was killed (see
// package embedded), and then the log itself is another at the refold.
func newVictim(t *testing.T, data string) *victim {
	v := &victim{t: t, program: buildProgram(t), data: data}
	switch kind := os.Getenv("INFERLAKE_CRASH_BROKER"); kind {
	case "":
		v.broker = fmt.Sprint("127.0.0.1:", freePort(t))
	case "apache":
		v.broker, v.apart = apachetest.Start(t, apachetest.Options{}).Addrs()[0], true
		if err := kafkatest.CreateTopics(t.Context(), v.broker, proof.Partitions, stream.Topics...); err != nil {
			t.Fatal(err)
		}
	default:
		t.Fatal("INFERLAKE_CRASH_BROKER: apache or nothing, not ", kind)
	}
	return v
}

// place are the flags that say which broker.
func (v *victim) place() []string {
	if v.apart {
		return []string{"--brokers", v.broker}
	}
	_, port, _ := strings.Cut(v.broker, ":")
	return []string{"--broker-port", port}
}

// start begins the process and returns at once.
func (v *victim) start() {
	v.startAt("")
	v.awaitBroker()
}

// startAt begins a process that dies at a fault point; "" is none.
func (v *victim) startAt(point string) {
	v.said = &bytes.Buffer{}
	v.child = exec.Command(v.program, append([]string{"serve", "--data", v.data, "--partitions", "4",
		"--retention", "175200h", // the load's time lies years back
		"--fold-expiry", crashExpiry.String(), "--fold-closed-memory", crashMemory.String(), "--fold-max-names", strconv.Itoa(crashNames),
		"--idle", crashIdle.String(), "--snapshot-every", "4s", "--rollup-every", "7s", "--duckdb-threads", "2"}, v.place()...)...)
	v.child.Env = append(os.Environ(), fault.Variable+"="+point)
	v.child.Stdout, v.child.Stderr = v.said, v.said
	if err := v.child.Start(); err != nil {
		v.t.Fatal(err)
	}
	child, exited := v.child, make(chan error, 1)
	v.exited = exited
	go func() { exited <- child.Wait() }()
	v.t.Cleanup(func() { child.Process.Kill() }) // ends nothing when it has been waited for
	if v.t.Failed() {
		v.t.FailNow()
	}
}

// awaitBroker waits for the port, the first time only: afterwards the load waits for it too.
func (v *victim) awaitBroker() {
	if _, err := os.Stat(filepath.Join(v.data, "serve.json")); err == nil {
		return
	}
	v.await("the broker", time.Minute, func() bool { return v.server() != nil })
}

// kill ends the process by signal 9.
func (v *victim) kill() {
	v.child.Process.Kill()
	v.died(<-v.exited)
}

// died asks that the process ended by signal 9.
func (v *victim) died(err error) {
	v.t.Helper()
	if status, ok := v.child.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		v.t.Fatalf("serve ended by itself: %v\n%s", err, v.said)
	}
}

// enough is the file that is there once enough requests are open.
func (v *victim) enough() string { return v.data + ".enough" }

// tell writes an empty file.
func (v *victim) tell(path string) {
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		v.t.Fatal(err)
	}
}

// stop ends the process as an operator does.
func (v *victim) stop() {
	v.await("serve", time.Minute, func() bool { return v.server() != nil })
	v.child.Process.Signal(syscall.SIGTERM)
	if err := <-v.exited; err != nil {
		v.t.Fatalf("serve did not stop cleanly: %v\n%s", err, v.said)
	}
}

// server is the running process's address, nil until it has told one.
func (v *victim) server() *server {
	s, err := folder(v.data).running()
	if err != nil || s == nil || s.PID != v.child.Process.Pid {
		return nil
	}
	return s
}

// await polls until a condition holds.
func (v *victim) await(what string, limit time.Duration, holds func() bool) {
	v.t.Helper()
	for deadline := time.Now().Add(limit); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			v.t.Fatalf("waited %v for %s\n%s", limit, what, v.said)
		}
	}
}

// metric sums a metric of the running process over topics and partitions, and says how many of them told it.
func (v *victim) metric(name, labels string) (sum int64, told int) {
	s := v.server()
	if s == nil {
		return 0, 0
	}
	response, err := http.Get("http://" + s.Address + "/metrics")
	if err != nil {
		return 0, 0
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		series, value, _ := strings.Cut(lines.Text(), " ")
		if strings.HasPrefix(series, name+"{") && strings.Contains(series, labels) {
			f, _ := strconv.ParseFloat(value, 64)
			sum += int64(f)
			told++
		}
	}
	return sum, told
}

// awaitOpen waits until enough requests are open, a moment more, and until they are still as many.
func (v *victim) awaitOpen(least int64, moment time.Duration) (open int64) {
	enough := func() bool {
		open, _ = v.metric("inferlake_open_requests", "")
		return open >= least
	}
	v.await(fmt.Sprintf("%d open requests", least), time.Minute, enough)
	time.Sleep(moment)
	v.await(fmt.Sprintf("%d open requests", least), time.Minute, enough)
	return open
}

// settle waits until everything is folded and nothing is open, and then until the partitions have been silent for so
// long that their last ticks are written: what is open may expire before them, by the log's own time.
func (v *victim) settle() {
	var open, lag int64
	var told int
	v.t.Cleanup(func() {
		if v.t.Failed() {
			v.t.Logf("at the end %d requests were open in %d partitions, %d records not committed", open, told, lag)
		}
	})
	// A busy machine may take long; one that gets no further has a fault.
	for least := int64(math.MaxInt64); told < 4 || open+lag > 0; {
		v.await("the log to get shorter", 2*time.Minute, func() bool {
			open, told = v.metric("inferlake_open_requests", `topic="inferlake.requests"`)
			lag, _ = v.metric("inferlake_lag_records", "")
			return told == 4 && open+lag < least
		})
		least = open + lag
	}
	time.Sleep(crashIdle + 7*time.Second)
}

// leftNothing asks that nothing half-written is left in the data directory.
func (v *victim) leftNothing() {
	for _, pattern := range []string{"writing-*", "states/writing-*", "*.new"} {
		if left, _ := filepath.Glob(filepath.Join(v.data, pattern)); len(left) > 0 {
			v.t.Errorf("the kills left %v", left)
		}
	}
}

// verify asks the program to check the invariants.
func (v *victim) verify() {
	out, err := exec.CommandContext(v.t.Context(), v.program, "verify", "--data", v.data).CombinedOutput()
	if err != nil {
		v.t.Errorf("inferlake verify: %v\n%s", err, out)
		return
	}
	v.t.Logf("inferlake verify:\n%s", out)
}
