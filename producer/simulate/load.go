package simulate

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

//go:embed scenarios/*.yaml
var shipped embed.FS

// Shipped returns the names of the scenarios that come with the program, in order.
func Shipped() []string {
	files, err := shipped.ReadDir("scenarios")
	if err != nil {
		panic(err) // of a folder that is in the program
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return names
}

// Text is a scenario's YAML: that of the shipped one of that name, else the file's.
func Text(name string) ([]byte, error) {
	text, err := shipped.ReadFile("scenarios/" + name + ".yaml")
	if err == nil {
		return text, nil
	}
	if text, err = os.ReadFile(name); err != nil {
		return nil, fmt.Errorf("scenario %s: neither a file nor one of %s: %w", name, strings.Join(Shipped(), ", "), err)
	}
	return text, nil
}

// Load reads a scenario: the shipped one of that name, else the file.
func Load(name string) (Scenario, error) {
	text, err := Text(name)
	if err != nil {
		return Scenario{}, err
	}
	s, err := Parse(text)
	if err != nil {
		return s, fmt.Errorf("scenario %s: %w", name, err)
	}
	return s, nil
}

// Parse reads a scenario from YAML. Keys that it does not know, and values that cannot be, are errors that name the key.
func Parse(text []byte) (Scenario, error) {
	s := defaults()
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&s); err != nil && !errors.Is(err, io.EOF) {
		return s, fmt.Errorf("cannot read it: %w", err)
	}
	s.complete()
	return s, s.check()
}

// defaults is what a scenario need not say.
func defaults() Scenario {
	return Scenario{
		Hours: 24, Requests: 100_000, Producers: "instances", Tenants: 12,
		Placement: Placement{Namespace: "inference", Cluster: "sim", Region: "sim-1"},
		Samples:   Samples{Engine: 10 * time.Second, GPU: 30 * time.Second, Node: 30 * time.Second, Kube: 30 * time.Second, Steps: true, Moments: true},
		Traffic:   Traffic{Swing: 0.6, PeakHour: 15, Weekend: 1},
		Clients:   Clients{Patience: 20 * time.Second, RetryAfter: time.Second},
		Gateway:   Gateway{Hop: time.Millisecond, Timeout: 2 * time.Minute},
		Physics:   Physics{Quadratic: true, Period: 2 * time.Hour},
		Cache:     Cache{Blocks: 3_000, BlockTokens: 128},
	}
}

// complete fills what an entry of a list need not say.
func (s *Scenario) complete() {
	for i := range s.Deployments {
		d := &s.Deployments[i]
		fill(&d.Share, 1)
		fill(&d.Startup, 90*time.Second)
		fill(&d.Network, 200)
		fill(&d.Autoscale.Every, 30*time.Second)
		fill(&d.Autoscale.DownAfter, 5*time.Minute)
		if len(d.Rollout) == 0 {
			d.Rollout = []Version{{Name: "v1"}}
		}
		for j := range d.Rollout {
			fill(&d.Rollout[j].Speed, 1)
		}
	}
	for i := range s.Classes {
		fill(&s.Classes[i].Share, 1)
		fill(&s.Classes[i].Turns, 1)
		fill(&s.Classes[i].MaxOutput, 4096)
		fill(&s.Classes[i].Think, time.Minute)
	}
	for i := range s.Incidents {
		if k := incidentNamed(s.Incidents[i].Kind); k != nil {
			fill(&s.Incidents[i].Factor, k.factor)
		}
	}
}

func fill[T comparable](v *T, def T) {
	if zero := *new(T); *v == zero {
		*v = def
	}
}
