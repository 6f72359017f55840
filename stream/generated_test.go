package stream

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inferlake/inferlake/stream/inferlakev1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// fromGenerated is the event that a generated message says, read by reflection: a second opinion on every codec.
func fromGenerated(m *inferlakev1.Event) *Event {
	e := &Event{}
	e.Reset(Envelope)
	m.ProtoReflect().Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if fd.Kind() == protoreflect.MessageKind {
			e.Kind = Kind(fd.Number())
			v.Message().Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
				fromValue(e, e.Kind, fd, v)
				return true
			})
			return true
		}
		fromValue(e, Envelope, fd, v)
		return true
	})
	return e
}

func fromValue(e *Event, kind Kind, fd protoreflect.FieldDescriptor, v protoreflect.Value) {
	f, _ := FieldByNumber(kind, int(fd.Number()))
	switch Fields[f].Type {
	case Text:
		e.SetText(f, v.String())
	case Texts:
		for i := range v.List().Len() {
			e.SetTexts(f, append(e.Texts(f), v.List().Get(i).String()))
		}
	case Ints:
		for i := range v.List().Len() {
			e.SetInts(f, append(e.Ints(f), int64(v.List().Get(i).Uint())))
		}
	case Bool:
		e.SetInt(f, map[bool]int64{true: 1}[v.Bool()])
	case Enum:
		e.SetInt(f, int64(v.Enum()))
	case Signed:
		e.SetInt(f, v.Int())
	case Ratio:
		e.SetInt(f, int64(math.Round(v.Float()*million)))
	default:
		e.SetInt(f, int64(v.Uint()))
	}
}

// What we write, the generated code reads as the same event, and what it writes we read, as protobuf and as JSON.
func TestAgainstGenerated(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var d Decoder
	for range 3000 {
		e := randomEvent(r)
		var m inferlakev1.Event
		if err := proto.Unmarshal(AppendEvent(nil, e), &m); err != nil {
			t.Fatalf("%s: generated code cannot read it: %v", show(e), err)
		}
		if got := show(fromGenerated(&m)); got != show(e) {
			t.Fatalf("generated code reads\n%s\nwritten was\n%s", got, show(e))
		}
		theirs, err := proto.Marshal(&m)
		if err != nil {
			t.Fatal(err)
		}
		if got := decodeAll(&d, ContentProtobuf, theirs); !slices.Equal(got, []string{show(e)}) {
			t.Fatalf("generated code writes\n%s\nread was\n%s", show(e), got)
		}
		againstProtoJSON(t, &d, e, &m)
	}
}

func againstProtoJSON(t *testing.T, d *Decoder, e *Event, m *inferlakev1.Event) {
	for _, names := range []bool{true, false} {
		value, err := protojson.MarshalOptions{UseProtoNames: names, Multiline: names}.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if decimalHash(e) {
			continue
		}
		if got := decodeAll(d, "", value); !slices.Equal(got, []string{show(e)}) {
			t.Fatalf("protojson writes %s as\n%s\nread was\n%s", show(e), value, got)
		}
	}
	if hashes(e) != nil {
		return // written as hex, which protojson does not read
	}
	var back inferlakev1.Event
	ours := AppendJSON(nil, withoutEnums(e))
	if err := protojson.Unmarshal(ours, &back); err != nil {
		t.Fatalf("protojson cannot read %s: %v", ours, err)
	}
	if got := show(fromGenerated(&back)); got != show(withoutEnums(e)) {
		t.Fatalf("protojson reads\n%s\nwritten was\n%s", got, ours)
	}
}

// withoutEnums is the event without its enums: protojson knows their upper-case names only and drops others.
func withoutEnums(e *Event) *Event {
	var c Event
	e.CopyTo(&c)
	e.Each(func(f Field) {
		if Fields[f].Type == Enum {
			c.Unset(f)
		}
	})
	return &c
}

func hashes(e *Event) (vs []int64) {
	e.Each(func(f Field) {
		if Fields[f].Type == Hash {
			vs = append(vs, e.Num(f))
		}
	})
	return vs
}

// decimalHash says whether a hash has exactly 16 decimal digits: the one form that reads as hex instead.
func decimalHash(e *Event) bool {
	return slices.ContainsFunc(hashes(e), func(v int64) bool { return uint64(v) >= 1e15 && uint64(v) < 1e16 })
}

// The columnar message is read the same after the generated code has read and written it, in one piece or in two.
func TestColumnsAgainstGenerated(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var d Decoder
	for range 100 {
		var w ColumnsWriter
		var want []string
		for range 1 + r.IntN(50) {
			e := randomEvent(r)
			w.Add(e)
			want = append(want, show(e))
		}
		var m inferlakev1.Columns
		if err := proto.Unmarshal(w.AppendTo(nil), &m); err != nil {
			t.Fatal(err)
		}
		slices.Reverse(m.Columns)
		whole, err := proto.Marshal(&m)
		if err != nil {
			t.Fatal(err)
		}
		compareLists(t, decodeAll(&d, ContentColumns, whole), want)
		compareLists(t, decodeAll(&d, ContentColumns, inPieces(t, &m)), want)
	}
}

// inPieces writes the message with its lists split over repeated fields, as protobuf allows.
func inPieces(t *testing.T, m *inferlakev1.Columns) []byte {
	first := proto.Clone(m).(*inferlakev1.Columns)
	second := &inferlakev1.Columns{Body: m.Body[len(m.Body)/2:]}
	first.Body = m.Body[:len(m.Body)/2]
	a, err := proto.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	b, err := proto.Marshal(second)
	if err != nil {
		t.Fatal(err)
	}
	return append(a, b...)
}
