package fault

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestTheNthPassageSprings(t *testing.T) {
	for setting, want := range map[string]int{"here": 1, "here:1": 1, "here:3": 3, "here:0": 1, "here:?": 1, "elsewhere:1": 0} {
		trap, sprung := parse(setting), 0
		for passage := 1; passage <= 5; passage++ {
			if trap.springs("here") {
				sprung = passage
			}
		}
		if sprung != want {
			t.Errorf("%s springs at passage %d, want %d", setting, sprung, want)
		}
	}
	if parse("") != nil {
		t.Error("armed by nothing")
	}
}

func TestPassagesCountSinceAFileIsThere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "now")
	trap := parse("here:2:" + file)
	for range 3 {
		if trap.springs("here") {
			t.Fatal("springs before the file is there")
		}
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if trap.springs("here") || !trap.springs("here") {
		t.Error("does not spring at the second passage after that")
	}
}

// The process dies by signal 9 at the second passage, and nothing after it happens.
func TestItKills(t *testing.T) {
	if os.Getenv(Variable) != "" {
		for range 3 {
			Point(AfterRead)
			os.Stdout.WriteString("passed\n")
		}
		return
	}
	child := exec.Command(os.Args[0], "-test.run=TestItKills$")
	child.Env = append(os.Environ(), Variable+"="+AfterRead+":2")
	out, _ := child.Output()
	status, ok := child.ProcessState.Sys().(syscall.WaitStatus)
	if n := strings.Count(string(out), "passed"); !ok || status.Signal() != syscall.SIGKILL || n != 1 {
		t.Errorf("passed %d times, then %v", n, child.ProcessState)
	}
}

func BenchmarkPoint(b *testing.B) {
	for b.Loop() {
		Point(AfterRead)
	}
}
