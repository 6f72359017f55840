package stream

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Any event comes back from each encoding as it was.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var d Decoder
	for range 5000 {
		e := randomEvent(r)
		for _, c := range []struct {
			content string
			value   []byte
		}{
			{ContentProtobuf, AppendEvent(nil, e)},
			{"", AppendEvent(nil, e)},
			{ContentJSON, AppendJSON(nil, e)},
			{"", AppendJSON(nil, e)},
			{ContentNDJSON, AppendJSON(nil, e)},
		} {
			if got := decodeAll(&d, c.content, c.value); !slices.Equal(got, []string{show(e)}) {
				t.Fatalf("as %q\n%q\ngot  %s\nwant %s", c.content, c.value, got, show(e))
			}
		}
	}
}

// Any list of events comes back from columns as it was, also from a writer that is used again.
func TestColumnsRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var d Decoder
	var w ColumnsWriter
	for range 500 {
		var es []*Event
		w.Reset()
		oneKind := Kinds[r.IntN(len(Kinds))].Kind
		mixed := r.IntN(2) == 0
		for range 1 + r.IntN(200) {
			e := randomEvent(r)
			if !mixed {
				randomInto(r, e, oneKind)
			}
			es = append(es, e)
			w.Add(e)
		}
		value := w.AppendTo(nil)
		if len(value) > w.Size() || w.Len() != len(es) {
			t.Fatalf("%d bytes, Size says %d; %d events, Len says %d", len(value), w.Size(), len(es), w.Len())
		}
		compareLists(t, decodeAll(&d, ContentColumns, value), showAll(es))
	}
}

func compareLists(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d events came back, %d were written; first: %.1000q", len(got), len(want), got[0])
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("event %d\ngot  %s\nwant %s", i, got[i], want[i])
		}
	}
}
