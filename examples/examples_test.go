package examples_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/inferlake/inferlake/stream"
)

// skip says loudly that a tool is missing; where nothing may be skipped, that is a failure.
func skip(t *testing.T, missing string) {
	t.Helper()
	if os.Getenv("INFERLAKE_NO_SKIP") != "" {
		t.Fatalf("INFERLAKE_NO_SKIP is set, but %s", missing)
	}
	t.Skipf("NOT TESTED: %s", missing)
}

// reads makes a result that go test keeps depend on files that only the program reads.
func reads(t *testing.T, files ...string) {
	for _, file := range files {
		if _, err := os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
}

func same[M any](t *testing.T, what string, got, want M) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s are\n%v\nand should be\n%v", what, got, want)
	}
}

// only is the one leg of a program that tells of one.
func only(t *testing.T, h *heard) (told string) {
	t.Helper()
	if len(h.told()) != 1 {
		t.Fatalf("%d requests, want one: %v", len(h.told()), h.told())
	}
	for _, told = range h.told() {
	}
	return told
}

func TestGo(t *testing.T) {
	reads(t, "go/main.go")
	h := hear(t, exec.CommandContext(t.Context(), "go", "run", "./go"), "")
	if told, want := only(t, h), "received scheduled first_token finished: ok 34"; told != want {
		t.Errorf("it told %q, want %q", told, want)
	}
}

// python returns a command that runs a program of the folder python.
func python(t *testing.T, program string) *exec.Cmd {
	reads(t, "python/"+program)
	if err := exec.Command("python3", "-c", "import confluent_kafka").Run(); err != nil {
		skip(t, "there is no python3 with confluent-kafka")
	}
	return exec.CommandContext(t.Context(), "python3", "python/"+program)
}

func TestPython(t *testing.T) {
	h := hear(t, python(t, "producer.py"), "")
	if told, want := only(t, h), "received first_token finished: ok 34"; told != want {
		t.Errorf("it told %q, want %q", told, want)
	}
}

// Every kind, every phase and every form of JSON.
func TestPythonFleet(t *testing.T) {
	h := hear(t, python(t, "fleet.py"), "")
	same(t, "requests", h.told(), map[string]string{
		"gateway r1": "received first_byte finished: ok 34",
		"engine r1":  "queued scheduled kv_transfer first_token first_answer_token tokens finished: ok 34",
		"gateway r2": "received first_byte finished: ok 20",
		"engine r2":  "queued scheduled kv_transfer first_token first_answer_token preempted tokens finished: ok 20",
		"gateway r3": "received first_byte client_gone finished: cancelled 9",
		"engine r3":  "queued scheduled kv_transfer first_token first_answer_token tokens finished: cancelled 9",
		"engine r4":  "finished: ok 64",
	})
	same(t, "kinds", h.kinds, map[string][]string{
		stream.TopicRequests: {"instance_event", "request"},
		stream.TopicEngines:  {"engine", "instance_event", "step_run"},
		stream.TopicGPUs:     {"gpu", "gpu_fault", "instance_event"},
		stream.TopicInfra:    {"instance_event", "kube", "node"},
	})
	same(t, "forms", h.forms, []string{"application/json [", "application/json {", "application/x-ndjson {"})
	same(t, "states", h.states, []string{"draining", "heartbeat", "ready", "starting", "stopped"})
	h.whole(t, 7)

	// The sketch of inter-token latencies adds up to the time of decoding, which the engine measured by itself.
	for _, r := range h.rows["requests"] {
		if r["role"] != "engine" || r["request_id"] == "r4" {
			continue
		}
		leg := fmt.Sprint(r["request_id"])
		sum, decode := float64(h.latencies[leg]), r["measured_decode_ns"].(float64)
		if math.Abs(sum-decode) > decode/100 {
			t.Errorf("%s: the latencies add up to %.0f ns, and decoding took %.0f", leg, sum, decode)
		}
	}
}

// Maven generates the classes and compiles; once it has fetched what it needs, it does so without a network.
func TestJava(t *testing.T) {
	reads(t, "java/pom.xml", "java/src/main/java/Producer.java", "../stream/proto/inferlake/v1/events.proto")
	for _, tool := range []string{"javac", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			skip(t, "there is no "+tool)
		}
	}
	maven := func(args ...string) *exec.Cmd {
		run := exec.CommandContext(t.Context(), "mvn", append([]string{"--batch-mode", "--quiet", "compile"}, args...)...)
		run.Dir = "java"
		return run
	}
	if out, err := maven("exec:help").CombinedOutput(); err != nil {
		if bytes.Contains(out, []byte("could not be resolved")) || bytes.Contains(out, []byte("Could not transfer")) {
			skip(t, "Maven cannot fetch what the example needs:\n"+string(out))
		}
		t.Fatalf("%v\n%s", err, out)
	}
	const begin = "received queued scheduled kv_transfer first_token first_byte first_answer_token "
	h := hear(t, maven("exec:java"), "-Dexec.args=")
	same(t, "requests", h.told(), map[string]string{
		"engine r1": begin + "tokens finished: ok 34",
		"engine r2": begin + "preempted tokens finished: ok 20",
		"engine r3": begin + "tokens client_gone finished: cancelled 9",
	})
	same(t, "kinds", h.kinds, map[string][]string{
		stream.TopicRequests: {"instance_event", "request"},
		stream.TopicEngines:  {"engine", "instance_event"},
		stream.TopicInfra:    {"instance_event"},
	})
	same(t, "forms", h.forms, []string{"application/x-protobuf"})
	same(t, "states", h.states, []string{"heartbeat", "ready", "starting", "stopped"})
	h.whole(t, 4)
}

const composeFile = "../docker-compose.yml"

// What the compose file names is there, and images are pinned.
func TestComposeNamesWhatIsThere(t *testing.T) {
	text, err := os.ReadFile(composeFile)
	if err != nil {
		t.Fatal(err)
	}
	var compose struct {
		Services map[string]struct {
			Image string
			Build struct{ Context, Dockerfile string }
		}
	}
	if err := yaml.Unmarshal(text, &compose); err != nil {
		t.Fatal(err)
	}
	if len(compose.Services) != 2 {
		t.Errorf("%d services, want kafka and inferlake", len(compose.Services))
	}
	for name, s := range compose.Services {
		_, tag, _ := strings.Cut(s.Image, ":")
		if s.Image != "" && (tag == "" || tag == "latest") {
			t.Errorf("%s: the image %s is not pinned", name, s.Image)
		}
		if s.Build.Dockerfile == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join("..", s.Build.Context, s.Build.Dockerfile)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Docker's own reading of the file.
func TestComposeConfig(t *testing.T) {
	for _, client := range [][]string{{"docker", "compose"}, {"docker-compose"}} {
		run := func(args ...string) ([]byte, error) {
			return exec.Command(client[0], slices.Concat(client[1:], args)...).CombinedOutput()
		}
		if _, err := run("version"); err != nil {
			continue
		}
		if out, err := run("-f", composeFile, "config", "-q"); err != nil {
			t.Fatalf("%v: %v\n%s", client, err, out)
		}
		return
	}
	skip(t, "there is neither docker compose nor docker-compose")
}
