package aggregate

import (
	"testing"

	"github.com/inferlake/inferlake/stream"
)

// With an authority for an instance, requests that another source tells of are refused; what came before stays a
// duplicate, nothing counts as missing, and other instances and kinds are not asked.
func TestOneSourceSpeaksForAnInstance(t *testing.T) {
	rules := Rules{Authority: map[string]string{"i": "vllm"}}
	d := newFolder(t, rules)
	tell := func(source, instance string, seq int64, want stream.Reason) {
		t.Helper()
		e := saidBy(source, int(seq), 1)[0]
		e.SetText(stream.EventSource, source)
		e.SetText(stream.EventInstance, instance)
		d.fold.Begin(seq, e.Num(stream.EventTimeUnixNano), false)
		why := d.fold.Apply(&e, stream.Position{Offset: seq})
		if why != want {
			t.Errorf("%s of %s: %q, want %q", source, instance, why, want)
		}
		if why != stream.Accepted {
			d.fold.Refuse(stream.DeadLetter{Reason: why, Events: 1})
		}
	}
	tell("vllm", "i", 0, stream.Accepted)
	tell("otlp", "i", 1, stream.ReasonAuthority)
	tell("otlp", "i", 1, stream.Accepted)
	tell("otlp", "other", 2, stream.Accepted)
	tell("", "i", 3, stream.ReasonAuthority)
	n := d.fold.Status().Counts
	if n.Consumed != 5 || n.Dead != 2 || n.Duplicate != 1 || n.Consumed != n.Loaded+n.Pending+n.Duplicate+n.Dead {
		t.Errorf("counts %+v", n)
	}
	if (Rules{}).String() == rules.String() {
		t.Error("the authority is not part of the rules' name")
	}
	d.take()
}
