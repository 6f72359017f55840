package replay

import (
	"bufio"
	"fmt"
	"strings"
	"testing"

	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/stream"
)

// checker looks at every event of a replay for what must always hold.
type checker struct {
	t          *testing.T
	next       map[int64]int64 // seq by lane
	last       int64
	kinds      map[stream.Kind]int64
	phases     map[stream.Phase]int64
	finished   []stream.Event
	received   map[string]int64
	firstToken map[string]int64
	stepTokens int64
	beats      int
}

func newChecker(t *testing.T) *checker {
	return &checker{t: t, next: map[int64]int64{}, kinds: map[stream.Kind]int64{}, phases: map[stream.Phase]int64{},
		received: map[string]int64{}, firstToken: map[string]int64{}}
}

func (c *checker) event(e *stream.Event) error {
	at, lane := e.Num(stream.EventTimeUnixNano), e.Num(stream.EventLane)
	if at < c.last {
		return fmt.Errorf("back in time: %s", told(e))
	}
	c.last = at
	c.kinds[e.Kind]++
	if seq, ok := e.Int(stream.EventSeq); ok {
		if seq != c.next[lane] {
			return fmt.Errorf("lane %d: number %d after %d", lane, seq, c.next[lane]-1)
		}
		c.next[lane]++
	}
	switch e.Kind {
	case stream.KindRequest:
		c.request(e, at)
	case stream.KindStep:
		c.stepTokens += e.Num(stream.StepPrefillTokens)
	case stream.KindInstance:
		if n, ok := e.Int(stream.InstanceLastSeq); ok {
			c.beats++
			if n != c.next[lane]-1 {
				return fmt.Errorf("heartbeat of lane %d says %d after %d", lane, n, c.next[lane]-1)
			}
		}
	}
	return nil
}

func (c *checker) request(e *stream.Event, at int64) {
	id, phase := strings.Clone(e.Text(stream.RequestRequestID)), stream.Phase(e.Num(stream.RequestPhase))
	if e.Num(stream.EventLane) != lifecycle.RequestLane(id) {
		c.t.Errorf("%s in lane %d", id, e.Num(stream.EventLane))
	}
	c.phases[phase]++
	switch phase {
	case stream.PhaseReceived:
		c.received[id] = at
	case stream.PhaseFirstToken:
		c.firstToken[id] = at
	case stream.PhaseFinished:
		var copied stream.Event
		e.CopyTo(&copied)
		c.finished = append(c.finished, copied)
	}
}

func (c *checker) sum(f stream.Field) (total int64) {
	for i := range c.finished {
		total += c.finished[i].Num(f)
	}
	return total
}

// rows runs a reader over cases of text: the file, a line ">", the rows it must give; blank lines between cases, "#"
// begins a remark, \r stands for a carriage return.
func rows(t *testing.T, read func(*file, func(*Row) error) error, cases string) {
	t.Helper()
	for _, c := range strings.Split(strings.TrimSpace(cases), "\n\n") {
		var in, want []string
		part := &in
		lines := bufio.NewScanner(strings.NewReader(c))
		for lines.Scan() {
			switch line := lines.Text(); {
			case strings.HasPrefix(line, "#"):
			case line == ">":
				part = &want
			default:
				*part = append(*part, line)
			}
		}
		text := strings.ReplaceAll(strings.Join(in, "\n"), `\r`, "\r")
		if got := readText(read, text); got != strings.Join(want, "\n") {
			t.Errorf("from\n%s\ngot\n%s\nwant\n%s", text, got, strings.Join(want, "\n"))
		}
	}
}

func readText(read func(*file, func(*Row) error) error, text string) string {
	var got []string
	err := read(&file{"trace", strings.NewReader(text)}, func(r *Row) error {
		got = append(got, rowText(r))
		return nil
	})
	if err != nil {
		got = append(got, "error "+err.Error())
	}
	return strings.Join(got, "\n")
}

func rowText(r *Row) string {
	b := fmt.Sprintf("line %d", r.Line)
	add := func(name string, v int64, known bool) {
		if known {
			b += fmt.Sprintf(" %s %d", name, v)
		}
	}
	add("at", r.At, r.At != NoTime)
	add("prompt", r.Prompt, r.Prompt != lifecycle.Unknown)
	add("output", r.Output, r.Output != lifecycle.Unknown)
	add("images", r.Images, r.Images != lifecycle.Unknown)
	add("session", r.Session&0xfff, r.Session != 0)
	if r.Blocks != nil {
		b += fmt.Sprintf(" blocks %v", r.Blocks)
	}
	if r.Model+r.Class != "" {
		b += fmt.Sprintf(" model %q class %q", r.Model, r.Class)
	}
	if m := r.Measured; m != nil {
		b += " " + m.Outcome.String()
		add("ttft", m.TTFT, m.TTFT != lifecycle.Unknown)
		add("e2e", m.E2E, m.E2E != lifecycle.Unknown)
		add("status", m.HTTPStatus, m.HTTPStatus != 0)
	}
	return b
}
