package stream

// Field names one field of the contract: of the envelope, or of one body.
type Field uint16

// Kind is the body of an event: the field number of the body in the published Event message.
type Kind uint8

// The kinds of event. Envelope is no kind: it marks the fields that all kinds share.
const (
	Envelope     Kind = 0
	KindRequest  Kind = 16
	KindEngine   Kind = 17
	KindStep     Kind = 18
	KindGPU      Kind = 19
	KindFault    Kind = 20
	KindNode     Kind = 21
	KindKube     Kind = 22
	KindInstance Kind = 23
)

// Kinds lists the bodies with the names that the .proto and the JSON form give them.
var Kinds = []struct {
	Kind Kind
	Name string
}{
	{KindRequest, "request"}, {KindEngine, "engine"}, {KindStep, "step_run"}, {KindGPU, "gpu"},
	{KindFault, "gpu_fault"}, {KindNode, "node"}, {KindKube, "kube"}, {KindInstance, "instance_event"},
}

// Type is how a field's value is written and kept.
type Type uint8

// The types. All but Text, Ints and Texts are kept as one int64.
const (
	Int    Type = iota // whole number, 0 to 2^63-1
	Signed             // whole number of either sign
	Bool               // 0 or 1
	Enum               // index into the field's names; 0 is never kept
	Time               // ns since 1970 UTC, above 0
	Ratio              // 0 to 1 outside, millionths inside
	Hash               // 64 bits, kept as the int64 of the same bits
	Text               // valid UTF-8 of at most MaxText bytes
	Ints               // list of Int
	Texts              // list of Text
)

// Merge is how two statements about one field of one request become one; docs/events.md has the rules.
// For samples it says whether the field is a gauge, a counter or neither.
type Merge uint8

// The merge kinds. For requests each is a join on (rank, value): order and repeats do not matter.
const (
	Plain       Merge = iota // samples: carried as said
	Gauge                    // samples: a level, holds for a time
	Counter                  // samples: grows, until its start is reset
	Context                  // says how to read the event; not kept
	Identity                 // equal by construction
	Descriptive              // higher rank, then greater bytes; two values flag a conflict
	FirstMark                // higher rank, then earliest; wall, mono and domain move as one
	LastMark                 // higher rank, then latest
	Progress                 // cumulative on the way: what the end says, else the greatest
	Count                    // higher rank, then greatest
	Measured                 // higher rank, then greatest; never across clocks
	Terminal                 // the more severe ending wins
	Flag                     // or
	Whole                    // cumulative sketch: more samples win
	Total                    // cumulative, of what happens repeatedly: greatest
)

// FieldInfo describes one field.
type FieldInfo struct {
	Message Kind
	Number  int // in the published message
	Name    string
	Type    Type
	Enum    *EnumNames // for Type Enum
	Merge   Merge
	Doc     string // one sentence with the unit
	Max     int64  // greatest number; 0: as Bounds says for its kind
}

// EnumNames are an enum's values by number; index 0 is the unspecified one.
type EnumNames []string

// Name returns the name of v, or "" for an unknown one.
func (n EnumNames) Name(v int64) string {
	if v < 0 || v >= int64(len(n)) {
		return ""
	}
	return n[v]
}

// Value returns the number of a name; ok is false for an unknown one.
func (n EnumNames) Value(name string) (v int64, ok bool) {
	for i := 1; i < len(n); i++ {
		if n[i] == name {
			return int64(i), true
		}
	}
	return 0, false
}

// place is where a field's value lies in an Event: its presence bit and its slot among values of its storage.
type place struct {
	bit  uint8
	slot uint8
}

const (
	envelopeFields = int(RequestRequestID) // the envelope comes first in Fields
	maxNums        = 80                    // number slots of the largest kind with the envelope
	maxTexts       = 24
	maxLists       = 2
)

// places holds every field's place. Bodies exclude one another, so their bits and slots overlap.
var places = layout()

func layout() (p [numFields]place) {
	type counts struct{ bit, num, text, ints, texts uint8 }
	var env counts
	var c counts
	last := Envelope
	for f := range Fields {
		info := &Fields[f]
		if info.Message != last {
			if last == Envelope {
				env = c
			}
			c, last = env, info.Message
		}
		p[f].bit = c.bit
		c.bit++
		n := &c.num
		switch info.Type {
		case Text:
			n = &c.text
		case Ints:
			n = &c.ints
		case Texts:
			n = &c.texts
		}
		p[f].slot = *n
		*n++
	}
	return p
}

// byNumber finds a field by message and field number; index 0 of a row is unused.
var byNumber = numberIndex()

func numberIndex() (t [24][80]int16) {
	for k := range t {
		for n := range t[k] {
			t[k][n] = -1
		}
	}
	for f := range Fields {
		t[Fields[f].Message][Fields[f].Number] = int16(f)
	}
	return t
}

// FieldByNumber returns the field of a message by its published number.
func FieldByNumber(message Kind, number int) (Field, bool) {
	if int(message) >= len(byNumber) || number <= 0 || number >= len(byNumber[0]) {
		return 0, false
	}
	f := byNumber[message][number]
	return Field(f), f >= 0
}

// FieldsOf lists the fields of a message in the order of the table.
func FieldsOf(message Kind) []Field {
	var fs []Field
	for f := range Fields {
		if Fields[f].Message == message {
			fs = append(fs, Field(f))
		}
	}
	return fs
}
