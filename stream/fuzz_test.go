package stream

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/inferlake/inferlake/stream/inferlakev1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// seedCases adds the values of the text cases.
func seedCases(f *testing.F, file string) {
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range strings.Split(string(text), "\n---\n") {
		var value []string
		for i, line := range strings.Split(c, "\n") {
			if i > 1 && !strings.HasPrefix(line, "=> ") {
				value = append(value, line)
			}
		}
		f.Add(unquoteCase(strings.Join(value, "\n")))
	}
}

// seedEvents adds random events as encode writes them.
func seedEvents(f *testing.F, encode func(dst []byte, e *Event) []byte) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 30 {
		f.Add(encode(nil, randomEvent(r)))
	}
}

// stable asks that what was accepted comes back the same when it is written and read again.
func stable(t *testing.T, content string, value []byte, again func(es []*Event) []byte) []*Event {
	var es []*Event
	var d Decoder
	d.Decode(&Record{Key: []byte("k"), Value: value, ContentType: content}, func(_ int32, e *Event, why Reason) {
		if why == Accepted {
			es = append(es, detach(e))
		}
	})
	if len(es) > 0 {
		compareLists(t, decodeAll(&d, content, again(es)), showAll(es))
	}
	return es
}

// detach copies an event with its texts and lists: they lie in the decoder's buffers.
func detach(e *Event) *Event {
	c := *e
	for i := range c.text {
		c.text[i] = strings.Clone(c.text[i])
	}
	for i := range c.ints {
		c.ints[i], c.texts[i] = slices.Clone(c.ints[i]), slices.Clone(c.texts[i])
		for j := range c.texts[i] {
			c.texts[i][j] = strings.Clone(c.texts[i][j])
		}
	}
	return &c
}

func FuzzProtobuf(f *testing.F) {
	seedCases(f, "protobuf.txt")
	seedEvents(f, AppendEvent)
	f.Fuzz(func(t *testing.T, value []byte) {
		if len(value) > 5 && value[0] == 0 {
			return // framed
		}
		es := stable(t, ContentProtobuf, value, func(es []*Event) []byte { return AppendEvent(nil, es[0]) })
		var m inferlakev1.Event
		if err := proto.Unmarshal(value, &m); err == nil && len(es) == 1 {
			sameButDefaults(t, es[0], fromGenerated(&m))
		}
	})
}

// sameButDefaults compares what is read here with what the generated code reads: it keeps enums of 0, which say nothing.
func sameButDefaults(t *testing.T, ours, theirs *Event) {
	theirs.Each(func(f Field) {
		if Fields[f].Type == Enum && theirs.Num(f) == 0 {
			theirs.Unset(f)
		}
	})
	if show(ours) != show(theirs) {
		t.Fatalf("here\n%s\ngenerated code\n%s", show(ours), show(theirs))
	}
}

func FuzzColumns(f *testing.F) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 30 {
		var w ColumnsWriter
		for range 1 + r.IntN(20) {
			w.Add(randomEvent(r))
		}
		f.Add(w.AppendTo(nil))
	}
	seedCases(f, "protobuf.txt")
	f.Fuzz(func(t *testing.T, value []byte) {
		stable(t, ContentColumns, value, func(es []*Event) []byte {
			var w ColumnsWriter
			for _, e := range es {
				w.Add(e)
			}
			return w.AppendTo(nil)
		})
	})
}

func FuzzJSON(f *testing.F) {
	seedCases(f, "json.txt")
	seedCases(f, "validate.txt")
	seedEvents(f, AppendJSON)
	f.Fuzz(func(t *testing.T, value []byte) {
		es := stable(t, ContentJSON, value, func(es []*Event) []byte {
			var out []byte
			for _, e := range es {
				out = AppendJSON(out, e)
			}
			return out
		})
		var m inferlakev1.Event
		if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(value, &m); err != nil || len(es) != 1 {
			return
		}
		if theirs := fromGenerated(&m); !decimalHash(theirs) && !bytes.ContainsRune(value, '[') {
			sameButDefaults(t, withoutEnums(es[0]), withoutEnums(theirs))
		}
	})
}

// FuzzRecord tries any content type; a decoder that was used before must answer like a new one.
func FuzzRecord(f *testing.F) {
	contents := []string{"", ContentProtobuf, ContentColumns, ContentJSON, ContentNDJSON, "text/plain"}
	r := rand.New(rand.NewPCG(13, 14))
	for i := range 60 {
		e := randomEvent(r)
		value := AppendJSON(nil, e)
		if i%2 == 0 {
			value = AppendEvent([]byte("\x00\x00\x00\x00\x01\x00"), e)
		}
		f.Add(value, byte(i))
	}
	var used Decoder
	f.Fuzz(func(t *testing.T, value []byte, how byte) {
		rec := &Record{Value: value, ContentType: contents[int(how)%len(contents)]}
		if how&0x80 != 0 {
			rec.Key = []byte("p/0")
		}
		before := bytes.Clone(value)
		got, want := decodeRecord(&used, rec), decodeRecord(&Decoder{}, rec)
		if !slices.Equal(got, want) {
			t.Fatalf("a used decoder says %q, a new one %q", got, want)
		}
		if !bytes.Equal(before, value) {
			t.Fatal("the record was changed")
		}
		if len(got) > len(value)+1 {
			t.Fatalf("%d events of %d bytes", len(got), len(value))
		}
	})
}
