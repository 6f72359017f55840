//go:build !race

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/inferlake/inferlake/stream/fault"
)

const patience = 30 * time.Second

// child is a serve in a process of its own.
type child struct {
	lake
	*exec.Cmd
	server
}

// begin starts a serve.
func (l lake) begin(args ...string) *child {
	l.Helper()
	self, err := os.Executable()
	if err != nil {
		l.Fatal(err)
	}
	c := &child{lake: l, Cmd: exec.Command(self, append([]string{"serve", "--data", l.data}, args...)...)}
	c.Stderr = l.Output()
	if err := c.Start(); err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	return c
}

// serve starts a serve and waits until it tells where it is.
func (l lake) serve(args ...string) *child {
	l.Helper()
	c := l.begin(args...)
	l.wait("serve is there", func() bool {
		running, err := folder(l.data).running()
		if err != nil || running == nil || running.PID != c.Process.Pid {
			return false
		}
		c.server = *running
		return true
	})
	return c
}

// wait polls until something holds.
func (l lake) wait(what string, held func() bool) {
	l.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if held() {
			return
		}
	}
	l.Fatalf("after %s not true: %s", patience, what)
}

// ask sends a request and returns the status and the body.
func (c *child) ask(method, path string) (int, string) {
	c.Helper()
	r, err := http.NewRequest(method, "http://"+c.Address+path, strings.NewReader("{}"))
	if err != nil {
		c.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		c.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// events sums a state of the events over the partitions, as /metrics tells it.
func (c *child) events(state string) (sum float64) {
	_, text := c.ask(http.MethodGet, "/metrics")
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), "} ")
		if strings.HasPrefix(name, "inferlake_events{") && strings.Contains(name, `state="`+state+`"`) {
			sum += number(c.T, value)
		}
	}
	return sum
}

// stop ends the serve as a system does and checks that it ends well.
func (c *child) stop() {
	c.Helper()
	c.Process.Signal(syscall.SIGTERM)
	if err := c.Wait(); err != nil {
		c.Errorf("serve ended with %v", err)
	}
	if _, err := os.Stat(folder(c.data).serve()); !errors.Is(err, fs.ErrNotExist) {
		c.Errorf("serve.json is left: %v", err)
	}
}

// The commands find a running serve through the data directory and ask it.
// Case S09: they work while it runs, and a second serve is refused with its owner's name.
func TestServe(t *testing.T) {
	l, trace := newLake(t), azureTrace(t)
	c := l.serve()
	l.replay("azure", trace, "--max-rows", "500")
	l.wait("500 rows", func() bool { return l.sql(`SELECT count(*) FROM v1.requests`).String() == "500" })
	l.same("report", l.report("overview", "--by", "all").maps()[0]["requests"], "500")
	l.run("verify")

	for path, want := range map[string]int{"/healthz": http.StatusOK, "/metrics": http.StatusOK, "/": http.StatusNotFound} {
		if status, body := c.ask(http.MethodGet, path); status != want {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if consumed := c.events("consumed"); consumed < 500 {
		t.Errorf("inferlake_events: %v consumed", consumed)
	}
	for _, what := range []string{"report", "snapshot", "verify"} {
		if status, body := c.ask(http.MethodPost, "/internal/"+what); status != http.StatusUnauthorized {
			t.Errorf("/internal/%s without the token: %d %s", what, status, body)
		}
	}
	l.fails([]string{"serve"}, "in process "+strconv.Itoa(c.Process.Pid))
	c.stop()
	l.says(`SELECT count(*) FROM v1.requests`, "500")
}

// serve.json is for its owner alone: it holds the token. A serve that is stopped while it begins ends well, too.
func TestServeBegins(t *testing.T) {
	l := newLake(t)
	c := l.serve()
	info, err := os.Stat(folder(l.data).serve())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if !strings.HasPrefix(c.Address, "127.0.0.1:") || !strings.HasPrefix(c.Brokers[0], "127.0.0.1:") {
		t.Errorf("listens on %s and %s", c.Address, c.Brokers)
	}
	c.stop()
}

// A serve that is killed in the middle leaves what the same log gives without the kill.
func TestKill(t *testing.T) {
	l, whole := newLake(t), newLake(t)
	l.replay("azure", azureTrace(t), "--encoding", "json")
	if err := os.CopyFS(whole.data, os.DirFS(l.data)); err != nil {
		t.Fatal(err)
	}
	l.killInTheMiddle(147048)
	l.contains(l.run("serve", "--once"), azureTotals)
	l.contains(whole.run("serve", "--once"), azureTotals)
	l.azureFigures()
	l.same("killed and whole", l.content("'commit'", views...), whole.content("'commit'", views...))
}

// killInTheMiddle lets serve die after its third commit, of many small ones.
func (l lake) killInTheMiddle(events int) {
	l.Helper()
	l.Setenv(fault.Variable, fault.AfterCommit+":3")
	c := l.begin("--commit-every", "20ms", "--snapshot-every", "200ms", "--batch-rows", "2000")
	c.Wait()
	if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		l.Fatalf("serve ended by itself: %v", c.ProcessState)
	}
	l.Setenv(fault.Variable, "")
	l.says(fmt.Sprintf(`SELECT sum(consumed) BETWEEN 1 AND %d - 1 FROM v1.progress`, events), "true")
}
