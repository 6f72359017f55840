package stream

import (
	"strings"
	"testing"

	"github.com/inferlake/inferlake/stream/inferlakev1"
	"google.golang.org/protobuf/reflect/protoreflect"
)

var protoKinds = map[Type]protoreflect.Kind{
	Int: protoreflect.Uint64Kind, Signed: protoreflect.Sint64Kind, Bool: protoreflect.BoolKind, Enum: protoreflect.EnumKind,
	Time: protoreflect.Fixed64Kind, Hash: protoreflect.Fixed64Kind, Ratio: protoreflect.DoubleKind,
	Text: protoreflect.StringKind, Texts: protoreflect.StringKind, Ints: protoreflect.Uint64Kind,
}

func messageOf(kind Kind) protoreflect.MessageDescriptor {
	event := (&inferlakev1.Event{}).ProtoReflect().Descriptor()
	if kind == Envelope {
		return event
	}
	return event.Fields().ByNumber(protoreflect.FieldNumber(kind)).Message()
}

// The table of fields and the published schema say the same.
func TestFieldsAreTheSchema(t *testing.T) {
	for f := range Fields {
		info := &Fields[f]
		fd := messageOf(info.Message).Fields().ByNumber(protoreflect.FieldNumber(info.Number))
		if fd == nil || string(fd.Name()) != info.Name {
			t.Errorf("field %d of message %d is %s here, %v in the schema", info.Number, info.Message, info.Name, fd)
			continue
		}
		list := info.Type == Ints || info.Type == Texts
		if fd.Kind() != protoKinds[info.Type] || fd.IsList() != list || fd.HasPresence() == list {
			t.Errorf("%s: type %d here, %s in the schema", fd.FullName(), info.Type, fd.Kind())
		}
		if (fd.Kind() == protoreflect.EnumKind) != (info.Enum != nil) {
			t.Errorf("%s: Type and Enum contradict each other", fd.FullName())
		} else if info.Enum != nil {
			sameEnum(t, Field(f), fd.Enum())
		}
		if got, ok := FieldByNumber(info.Message, info.Number); !ok || got != Field(f) {
			t.Errorf("%s: FieldByNumber finds %d", fd.FullName(), got)
		}
	}
	sameCounts(t)
}

func sameEnum(t *testing.T, f Field, enum protoreflect.EnumDescriptor) {
	names := *Fields[f].Enum
	if enum.Values().Len() != len(names) {
		t.Errorf("%s: %d values in the schema, %d here", enum.FullName(), enum.Values().Len(), len(names))
		return
	}
	for v, name := range names {
		constant := string(enum.Values().ByNumber(protoreflect.EnumNumber(v)).Name())
		if constant != enumConstants[f][v] || v > 0 && !strings.HasSuffix(constant, "_"+strings.ToUpper(name)) {
			t.Errorf("%s: value %d is %s in the schema, %s and %q here", enum.FullName(), v, constant, enumConstants[f][v], name)
		}
	}
}

// sameCounts finds fields of the schema that the table lacks.
func sameCounts(t *testing.T) {
	if got, want := messageOf(Envelope).Fields().Len(), len(FieldsOf(Envelope))+len(Kinds); got != want {
		t.Errorf("Event has %d fields in the schema, %d here", got, want)
	}
	for _, k := range Kinds {
		fd := messageOf(Envelope).Fields().ByNumber(protoreflect.FieldNumber(k.Kind))
		if string(fd.Name()) != k.Name || fd.ContainingOneof() == nil {
			t.Errorf("body %d is %s here, %s in the schema", k.Kind, k.Name, fd.Name())
		}
		if got, want := fd.Message().Fields().Len(), len(FieldsOf(k.Kind)); got != want {
			t.Errorf("%s has %d fields in the schema, %d here", fd.Message().Name(), got, want)
		}
	}
}
