package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
)

// skip says loudly that a tool is missing; where nothing may be skipped, that is a failure.
func skip(t *testing.T, missing string) {
	t.Helper()
	if os.Getenv("INFERLAKE_NO_SKIP") != "" {
		t.Fatalf("INFERLAKE_NO_SKIP is set, but %s", missing)
	}
	t.Skipf("NOT TESTED: %s", missing)
}

// told runs a program with the address of a broker and returns the phases of the request that it told of, and the
// output tokens that it finished with.
func told(t *testing.T, program ...string) (phases []string, tokens int64) {
	t.Helper()
	broker, err := embedded.Start(t.TempDir(), embedded.Options{Partitions: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Close()
	brokers := kafka.Config{Brokers: broker.Addrs()}
	admin, err := kafka.NewAdmin(t.Context(), brokers)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	if err := admin.CreateTopics(t.Context(), kafka.TopicOptions{Partitions: 1}); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), program[0], append(program[1:], broker.Addrs()[0])...)
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", run.Args, err, out)
	}
	each(t, brokers, func(e *stream.Event) {
		if e.Kind == stream.KindRequest {
			phases = append(phases, stream.Phase(e.Num(stream.RequestPhase)).String())
			tokens = max(tokens, e.Num(stream.RequestOutputTokens))
		}
	})
	return phases, tokens
}

// each reads what the topic of requests holds.
func each(t *testing.T, brokers kafka.Config, see func(*stream.Event)) {
	t.Helper()
	reader, err := kafka.NewReader(brokers, stream.TopicPartition{Topic: stream.TopicRequests})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var decoder stream.Decoder
	for next, end := int64(0), int64(1); next < end; {
		fetch, err := reader.Read(t.Context(), next)
		if err != nil {
			t.Fatal(err)
		}
		for i := range fetch.Records {
			decoder.Decode(&fetch.Records[i], func(_ int32, e *stream.Event, why stream.Reason) {
				if why != stream.Accepted {
					t.Fatalf("offset %d is refused: %v", fetch.Records[i].Offset, why)
				}
				see(e)
			})
		}
		next, end = fetch.Next, fetch.End
	}
}

func TestGo(t *testing.T) {
	phases, tokens := told(t, "go", "run", "./go")
	if want := []string{"received", "scheduled", "first_token", "finished"}; !slices.Equal(phases, want) || tokens != 34 {
		t.Errorf("phases %v with %d tokens, want %v with 34", phases, tokens, want)
	}
}

func TestPython(t *testing.T) {
	if err := exec.Command("python3", "-c", "import confluent_kafka").Run(); err != nil {
		skip(t, "there is no python3 with confluent-kafka")
	}
	phases, tokens := told(t, "python3", "python/producer.py")
	if want := []string{"received", "first_token", "finished"}; !slices.Equal(phases, want) || tokens != 34 {
		t.Errorf("phases %v with %d tokens, want %v with 34", phases, tokens, want)
	}
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
