package aggregate

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/inferlake/inferlake/stream"
)

var oneSeed = flag.Int64("seed", envNumber("INFERLAKE_SEED", -1), "simulate this seed alone")

// simulated is how much log time a seed simulates, besides the calm end.
const simulated = 24 * time.Hour

// sim is one simulated day of one partition: what producers send, what the log does to it, and owners that fold it while
// they crash, freeze, race and misread their clocks. One seed decides everything: each actor draws from a stream of
// chance of its own, so that the order in which goroutines happen to run changes nothing.
type sim struct {
	t     *testing.T
	seed  int64
	rules Rules
	log   *simLog
	sink  *simSink
	began time.Time

	killer int64 // offset of the record that kills the process, -1 for none

	mu     sync.Mutex
	lost   bool // retention took what a state had to be rebuilt from: nothing can be the same after that
	good   int  // commits before that
	failed bool
}

// TestSimulation folds days full of mishaps and compares each with the undisturbed fold of the same log under the same
// ledger. A seed that fails is printed; -seed N or INFERLAKE_SEED=N plays it alone.
func TestSimulation(t *testing.T) {
	if *oneSeed >= 0 {
		simulate(t, *oneSeed)
		return
	}
	began, seeds := time.Now(), envNumber("INFERLAKE_SEEDS", int64(trials(200)))
	shards := int64(runtime.GOMAXPROCS(0))
	t.Run("seeds", func(t *testing.T) {
		for shard := range shards {
			t.Run(fmt.Sprint(shard), func(t *testing.T) {
				t.Parallel()
				for seed := shard; seed < seeds && !t.Failed(); seed += shards {
					simulate(t, seed)
				}
			})
		}
	})
	if seeds >= 100 {
		met.check(t)
	}
	hours := float64(seeds) * simulated.Hours()
	t.Logf("%d seeds, %.0f simulated hours, %.0f a second", seeds, hours, hours/time.Since(began).Seconds())
}

func simulate(t *testing.T, seed int64) {
	synctest.Test(t, func(t *testing.T) {
		s := &sim{t: t, seed: seed, began: time.Now(), killer: -1}
		s.rules = s.anyRules()
		s.log = s.writeLog()
		s.sink = newSimSink(s)
		s.live()
		s.check()
		s.count()
	})
}

// rand is the stream of chance of one actor.
func (s *sim) rand(actor ...any) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(s.seed), xxh3.HashString(fmt.Sprint(actor...))))
}

// fail reports the first check that did not hold.
func (s *sim) fail(check, format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.failed {
		s.failed = true
		s.t.Errorf("seed %d: %s: %s\nplay it alone: go test ./aggregate -run TestSimulation -seed %d", s.seed, check, fmt.Sprintf(format, args...), s.seed)
	}
}

func (s *sim) hasFailed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// anyRules are rules that make a day of few events meet every limit: short memories, and in some seeds small caps.
func (s *sim) anyRules() Rules {
	rng := s.rand("rules")
	r := Rules{Expiry: pick(rng, 10*time.Minute, time.Hour), ClosedMemory: pick(rng, 5*time.Minute, 15*time.Minute, 2*time.Hour),
		OutOfOrderness: pick(rng, 0, 2*time.Second, time.Minute), MaxLife: pick(rng, 0, time.Hour), MaxNames: pick(rng, 0, 2), NameMemory: pick(rng, 0, time.Hour)}
	if rng.IntN(4) == 0 {
		r.MaxOpen, r.MaxClosed, r.MaxSeries = 3+rng.IntN(10), 3+rng.IntN(20), 10
		r.MaxWindows = 40 + rng.IntN(100)
	}
	if rng.IntN(8) == 0 {
		r.MaxLanes, r.MaxRuns = 10, 3
	}
	return r
}

func pick[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

// between is a random duration, fine enough that two hardly ever end at one moment.
func between(rng *rand.Rand, from, to time.Duration) time.Duration {
	return from + time.Duration(rng.Int64N(int64(to-from)))
}

func envNumber(name string, otherwise int64) int64 {
	if n, err := strconv.ParseInt(os.Getenv(name), 10, 64); err == nil {
		return n
	}
	return otherwise
}

var simPartition = stream.TopicPartition{Topic: stream.TopicRequests, Partition: 3}
