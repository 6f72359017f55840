package aggregate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sabotage is one deliberate mistake and the check that must see it.
type sabotage struct {
	what  string
	file  string // from the module's root
	edits [][2]string
	check string
}

// elsewhere is where checks are made that are not of ./aggregate TestSimulation, by their names.
var elsewhere = map[string]string{
	"I1 additions":    "./aggregate TestAdditionsChangeNothing",
	"I2 whole sums":   "./aggregate TestSumsAreWhole",
	"I2 whole levels": "./aggregate TestLevelsAreWhole",
	"I2 retention":    "./warehouse TestRetentionKeepsTheSums",
	"I3 compaction":   "./warehouse TestKilledInCompaction",
}

// sabotages: each must turn the check named red.
var sabotages = []sabotage{
	{"a snapshot without the counters' last values", "aggregate/snapshot.go",
		[][2]string{{"			p := &s.points[j]\n", "			p := &s.points[j]\n			if sampleMeasures[s.kind][j].counter {\n				continue\n			}\n"}}, "I1"},
	{"a snapshot without the gauges' last values", "aggregate/snapshot.go",
		[][2]string{{"			p := &s.points[j]\n", "			p := &s.points[j]\n			if !sampleMeasures[s.kind][j].counter {\n				continue\n			}\n"}}, "I1"},
	{"a snapshot without the dictionary of admitted names", "aggregate/snapshot.go",
		[][2]string{{"		f.dimensions[i].state(c)\n", "		_ = i\n"}}, "I1"},
	{"a snapshot without coverage", "aggregate/snapshot.go",
		[][2]string{{"	f.coverage.state(c)\n", ""}}, "I1"},
	{"a snapshot without the closed requests", "aggregate/snapshot.go",
		[][2]string{{"[]*requestStore{q.open, q.closed} {", "[]*requestStore{q.open} {"}}, "I3 rows once"},
	{"a snapshot without the counts", "aggregate/snapshot.go",
		[][2]string{{"	c.ints(&n.Records, &n.Consumed, &n.Loaded, &n.Duplicate, &n.Dead, &n.Late)\n", "	_ = n\n"}}, "I4 accounted"},
	{"a snapshot without what was given up", "aggregate/snapshot.go",
		[][2]string{{"	c.ints(&g.Evicted, &g.Forgotten, &g.Others, &g.Stale)\n", "	_ = g\n"}}, "I1 status"},
	{"no fence: a stale lease's batch counts", "aggregate/simsink_test.go",
		[][2]string{{"case b.Generation != k.generation: // the fence", "case false:"}}, "I3 stale lease"},
	{"a batch from its first record instead of from where it was asked for", "stream/loop.go",
		[][2]string{{"	l.apply(d)\n	if !d.last", "	if l.pos == l.from && !l.silent {\n		l.from = d.rec.Offset\n	}\n	l.apply(d)\n	if !d.last"}}, "progress"},
	{"told committed before the sink answers", "stream/loop.go",
		[][2]string{{"		answer, err := l.insist(ctx, b)\n", "		if l.Observe != nil {\n			l.Observe(Committed{b.Partition, b.To, end, b.Status})\n		}\n		answer, err := l.insist(ctx, b)\n"}}, "I3 told too soon"},
	{"a commit that failed is dropped", "stream/loop.go",
		[][2]string{{"		if err == nil {\n			return answer, nil\n", "		if true {\n			return Applied, nil\n"}, {"		answer, err := l.Sink.Commit(last, b)\n", "		_, err := l.Sink.Commit(last, b)\n"}}, "I3 told too soon"},
	{"expiry by the wall clock", "aggregate/requests.go",
		[][2]string{{"n != 0 && q.open.at(n).touched < f.clocks.log-f.rules.Expiry", "n != 0 && q.open.at(n).touched < time.Now().UnixNano()-f.rules.Expiry"}, {"	\"encoding/binary\"\n", "	\"encoding/binary\"\n	\"time\"\n"}}, "I3 rows once"},
	{"windows whose parts are shares in doubles", "aggregate/window.go",
		[][2]string{{"		upTo := v\n		if end := start + WindowNS; end < to {\n			upTo = share(v, end-from, to-from)\n		}\n",
			"		upTo := booked + int64(float64(v)*float64(min(start+WindowNS, to)-max(start, from))/float64(to-from))\n"}}, "I2 sums"},
	{"complete through the watermark, whatever is open", "aggregate/fold.go",
		[][2]string{{"		s.SettledThrough = min(s.SettledThrough, f.requests.oldest)\n", ""}}, "I6 settled"},
	{"a watermark that follows the last event", "aggregate/clocks.go",
		[][2]string{{"c.greatest = max(c.greatest, t)", "c.greatest = t"}}, "I5 never down"},
	{"heartbeats that leave their number uncovered", "aggregate/fold.go",
		[][2]string{{"beat && !e.Has(stream.EventSeq)", "beat"}}, "I6 coverage"},
	{"a replay that believes every timestamp", "stream/loop.go",
		[][2]string{{"return l.lookahead.read(ctx, rec, ledger.ahead(rec.Offset))", "return l.lookahead.read(ctx, rec, false)"}}, "I2 sums"},
	{"a replay without ticks", "stream/replay.go",
		[][2]string{{"		apply(r.pending[0])\n", ""}}, "I5 never down"},
	{"a position past events that are decoded and not folded", "stream/loop.go",
		[][2]string{{"	if err := l.lookahead.flush(ctx); err != nil {\n		return err\n	}\n	l.anchor()\n", "	l.anchor()\n"}}, "one lineage"},
	{"additions whose texts are not compared", "aggregate/additions.go",
		[][2]string{{"if s.said != said || s.rank", "if said != said || s.rank"}}, "I1 additions"},
	{"additions that move what is booked", "aggregate/additions.go",
		[][2]string{{" || slot.booked && e.HasAny(&momentNumbers)", ""}}, "I1 additions"},
	{"no cap on open requests", "aggregate/requests.go",
		[][2]string{{"		f.lose(f.requests.open.front, FlagEvicted)\n", ""}}, "I11 caps"},
	{"sums in doubles", "aggregate/saturate.go",
		[][2]string{{"	sum := a + b\n", "	sum := int64(float64(a) + float64(b))\n"}}, "I2 whole sums"},
	{"levels in doubles", "aggregate/saturate.go",
		[][2]string{{"	sum := a + b\n", "	sum := int64(float64(a) + float64(b))\n"}}, "I2 whole levels"},
	{"compaction in two transactions", "warehouse/compact.go",
		[][2]string{{"				fault.Point(fault.InCompaction)\n", "				wr.exec(ctx, \"commit\")\n				wr.exec(ctx, \"begin\")\n				fault.Point(fault.InCompaction)\n"}},
		"I3 compaction"},
	{"retention of windows that no level above has taken in", "warehouse/retain.go",
		[][2]string{{"min(all.until, taken)", "max(all.until, taken-taken)"}}, "I2 retention"},
}

// TestSabotages makes each mistake in a copy and asks the simulation, or the test named, to find it. It builds a program for each:
// make sabotage.
func TestSabotages(t *testing.T) {
	if os.Getenv("INFERLAKE_SABOTAGE") == "" {
		t.Skip("set INFERLAKE_SABOTAGE=1: make sabotage")
	}
	for _, s := range sabotages {
		t.Run(s.what, func(t *testing.T) {
			caught := s.commit(t)
			fmt.Printf("%-70s %s\n", s.what, caught)
			if !strings.HasPrefix(caught, s.check) {
				t.Errorf("%s must see it; seen was: %s", s.check, caught)
			}
		})
	}
}

// told is how a check reports: its name behind the line, the simulation's with the seed before it.
var told = regexp.MustCompile(`_test\.go:\d+: (seed \d+: )?(I\d [^:\n]+|I\d\d [^:\n]+|progress|one lineage):`)

// commit runs the test with the mistake and returns the check that failed first, with its seed.
func (s *sabotage) commit(t *testing.T) string {
	in, name, _ := strings.Cut(cmp.Or(elsewhere[s.check], "./aggregate TestSimulation"), " ")
	test := exec.Command("go", "test", "-vet=off", "-overlay", s.overlay(t), "-run", "^"+name+"$", "-count=1", "-cpu=1", in)
	test.Dir = ".."
	test.Env = append(os.Environ(), "INFERLAKE_SABOTAGE=", "INFERLAKE_SEEDS=200")
	out, err := test.CombinedOutput()
	if found := told.FindSubmatch(out); found != nil {
		seed := strings.TrimSuffix(string(found[1]), ": ")
		return fmt.Sprintf("%s (%s)", found[2], strings.TrimSuffix(name+", "+seed, ", "))
	}
	if err == nil {
		return "nobody"
	}
	return "no check, but:\n" + string(out)
}

// overlay writes the file with the mistake, and the list of replacements that go test takes.
func (s *sabotage) overlay(t *testing.T) string {
	path, err := filepath.Abs(filepath.Join("..", s.file))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(source)
	for _, e := range s.edits {
		if n := strings.Count(text, e[0]); n != 1 {
			t.Fatalf("%s: %q is %d times in %s, want once", s.what, e[0], n, s.file)
		}
		text = strings.Replace(text, e[0], e[1], 1)
	}
	dir := t.TempDir()
	bad, list := filepath.Join(dir, filepath.Base(s.file)), filepath.Join(dir, "overlay.json")
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {path: bad}})
	if err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string][]byte{bad: []byte(text), list: replaced} {
		if err := os.WriteFile(file, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return list
}
