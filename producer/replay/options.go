package replay

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/inferlake/inferlake/producer/stepmodel"
)

// Options say what to play and how. All but File and Format have a default.
type Options struct {
	Format string // one of Formats
	File   string // path; a folder for vllmrun

	Speedup   float64   // trace seconds a second; 0: as fast as the machine goes
	MaxRows   int64     // rows to play; 0: all
	StartTime time.Time // when the first request arrives; default: the file's dates, else 2024-01-01 UTC

	Model, Version string // said of all requests; default: what the file says, else the profile's model
	Load           string // vllmrun: the load to play, where the folder holds several, e.g. scale100_prompt500

	Profile   string // default stepmodel.DefaultProfile
	Replicas  int    // default 1
	Dispatch  string // round-robin (default) or least-loaded
	Quadratic bool   // count the attention of prompts to themselves

	// Cache is the prefix cache of a replica: off, infinite, or a number of the format's blocks. The default is
	// infinite for formats with block hashes, which shows what the trace can give at most, and off for others.
	Cache string
	// CacheOrder says when a prompt is looked up: at admission (default), each replica in its own cache; or at
	// arrival, all replicas in one, which is a study of the trace alone. With one replica both give the same hits,
	// because admission is in order of arrival.
	CacheOrder string

	SampleInterval time.Duration // between engine samples; default 10 s
}

// rules is the version of everything that makes events out of rows: a change takes new boots.
const rules = "1"

// settings are options with their defaults filled in.
type settings struct {
	Options
	format  Format
	profile stepmodel.Profile
	fleet   stepmodel.Config
	start   int64 // ns since 1970, where the file has no dates or the user gave a time
	moved   bool  // the user gave a time
}

func (o Options) settings() (s settings, err error) {
	s.Options = o
	if s.File == "" {
		return s, fmt.Errorf("replay: no file given")
	}
	if s.format, err = formatNamed(o.Format); err != nil {
		return s, err
	}
	if err = s.times(); err != nil {
		return s, err
	}
	return s, s.model()
}

func (s *settings) times() error {
	if s.Speedup < 0 || math.IsNaN(s.Speedup) {
		return fmt.Errorf("replay: speed-up %v: must not be negative", s.Speedup)
	}
	if s.MaxRows < 0 {
		return fmt.Errorf("replay: max-rows %d: must not be negative", s.MaxRows)
	}
	if s.SampleInterval < 0 || s.SampleInterval%time.Microsecond != 0 {
		return fmt.Errorf("replay: sample interval %s: must be whole microseconds, not negative", s.SampleInterval)
	}
	if s.SampleInterval == 0 {
		s.SampleInterval = 10 * time.Second
	}
	s.moved = !s.StartTime.IsZero()
	if !s.moved {
		s.StartTime = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	s.start = s.StartTime.UnixNano()
	if s.start <= 0 {
		return fmt.Errorf("replay: start time %s: must be after 1970", s.StartTime)
	}
	return nil
}

func (s *settings) model() error {
	p, ok := stepmodel.ProfileNamed(s.Profile)
	if !ok {
		return fmt.Errorf("replay: no profile %q; there are %s", s.Profile, profileNames())
	}
	s.profile = p
	s.Replicas = max(1, s.Replicas)
	s.fleet = stepmodel.Config{Profile: p, Replicas: s.Replicas, Quadratic: s.Quadratic, Interval: s.SampleInterval.Microseconds()}
	switch s.Dispatch {
	case "", "round-robin":
	case "least-loaded":
		s.fleet.Dispatch = stepmodel.LeastLoaded
	default:
		return fmt.Errorf("replay: dispatch %q: must be round-robin or least-loaded", s.Dispatch)
	}
	return s.cache()
}

func (s *settings) cache() error {
	switch s.CacheOrder {
	case "", "admission":
	case "arrival":
		s.fleet.SharedCache = true
	default:
		return fmt.Errorf("replay: cache order %q: must be admission or arrival", s.CacheOrder)
	}
	if s.Cache == "" && s.format.BlockTokens > 0 {
		s.Cache = "infinite"
	}
	switch s.Cache {
	case "", "off":
		return nil
	case "infinite":
		s.fleet.CacheBlocks = stepmodel.InfiniteBlocks
		return nil
	}
	n, err := strconv.ParseInt(s.Cache, 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("replay: cache %q: must be off, infinite or a number of blocks", s.Cache)
	}
	s.fleet.CacheBlocks = n
	return nil
}

// effective lists what the events depend on besides the file: not the speed-up, not the number of rows.
func (s *settings) effective() string {
	start := "dates of the file"
	if s.moved || !s.format.Dated {
		start = s.StartTime.UTC().Format(time.RFC3339Nano)
	}
	f := &s.fleet
	return strings.Join([]string{"rules " + rules, "format " + s.format.Name, "start " + start, "model " + s.Model,
		"version " + s.Version, "load " + s.Load,
		fmt.Sprintf("fleet %s %d %d %d %t %t %d", s.profile.Name, f.Replicas, f.Dispatch, f.CacheBlocks, f.SharedCache, f.Quadratic, f.Interval)}, "\n")
}

func profileNames() string {
	var names []string
	for _, p := range stepmodel.Profiles() {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}
