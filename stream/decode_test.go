package stream

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Each case of testdata/*.txt is a record and what comes of it, separated by lines of dashes:
//
//	# what the case is about
//	content-type [nokey]
//	the value; \xNN, \n and \\ stand for bytes
//	=> an event as show writes it, or the reason; one line for each
//
// Cases W38 (exact whole numbers), W44 (NaN) and the bounds of numbers are among them.
func TestCases(t *testing.T) {
	for _, file := range []string{"json.txt", "protobuf.txt", "validate.txt"} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var d Decoder
		for _, c := range strings.Split(string(text), "\n---\n") {
			oneCase(t, &d, file, c)
		}
	}
}

func oneCase(t *testing.T, d *Decoder, file, text string) {
	var title string
	var in, want []string
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		switch {
		case strings.HasPrefix(line, "#"):
			title = line
		case strings.HasPrefix(line, "=> "):
			want = append(want, line[3:])
		default:
			in = append(in, line)
		}
	}
	head := strings.Fields(in[0])
	rec := Record{Value: unquoteCase(strings.Join(in[1:], "\n")), ContentType: head[0]}
	if head[0] == "sniff" {
		rec.ContentType = ""
	}
	if len(head) == 1 {
		rec.Key = []byte("p/0")
	}
	got := strings.Join(decodeRecord(d, &rec), "\n")
	if got != strings.Join(want, "\n") {
		t.Errorf("%s %s\ngot\n%s\nwant\n%s", file, title, got, strings.Join(want, "\n"))
	}
}

func unquoteCase(s string) []byte {
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) && s[i+1] == 'x' {
			var c byte
			if _, err := fmt.Sscanf(s[i+2:i+4], "%02x", &c); err == nil {
				out = append(out, c)
				i += 3
				continue
			}
		}
		out = append(out, s[i])
	}
	return out
}

// One bad text in a thousand rows costs one row, whichever column it is in; a text that is too long likewise.
// Case W40.
func TestBadTextInColumns(t *testing.T) {
	for _, bad := range []string{"bad\xff", strings.Repeat("x", MaxText+1)} {
		var w ColumnsWriter
		for i := range 1000 {
			e := benchEvents(1)[0]
			if i == 500 {
				e.SetText(RequestModel, bad)
			}
			w.Add(e)
		}
		got := decodeAll(&Decoder{}, ContentColumns, w.AppendTo(nil))
		for i, s := range got {
			if (s == "refused: bad_text") != (i == 500) {
				t.Fatalf("row %d of %d: %s", i, len(got), s)
			}
		}
		if len(got) != 1000 {
			t.Fatalf("%d rows of 1000", len(got))
		}
	}
}

// A value out of range in a column costs its row and leaves the values after it right.
// Case W39.
func TestBadValueInColumns(t *testing.T) {
	var w ColumnsWriter
	for i, tokens := range []int64{10, -5, 20} {
		e := benchEvents(3)[i]
		e.SetInt(RequestPromptTokens, tokens)
		w.Add(e)
	}
	got := decodeAll(&Decoder{}, ContentColumns, w.AppendTo(nil))
	if len(got) != 3 || got[1] != "refused: out_of_range" || !strings.Contains(got[0], "prompt_tokens=10") || !strings.Contains(got[2], "prompt_tokens=20") {
		t.Fatalf("got %q", got)
	}
}

// Limits hold: what is beyond them is refused once.
func TestLimits(t *testing.T) {
	event := string(AppendJSON(nil, benchEvents(1)[0]))
	deep := strings.Replace(event, "{", `{"x":`+strings.Repeat("[", 70)+strings.Repeat("]", 70)+",", 1)
	long := strings.Replace(event, "llama", strings.Repeat("l", MaxText), 1)
	for _, c := range []struct{ name, content, value, want string }{
		{"record", ContentJSON, event + strings.Repeat(" ", 2000), "refused: too_large"},
		{"events of an array", ContentJSON, "[" + event + "," + event + "," + event + "]", "ok ok refused: too_large"},
		{"events of lines", ContentNDJSON, event + "\n" + event + "\n" + event, "ok ok refused: too_large"},
		{"depth", ContentJSON, deep, "refused: too_deep"},
		{"depth of a line", ContentNDJSON, deep + "\n" + event, "refused: too_deep ok"},
	} {
		d := Decoder{Limits: Limits{Events: 2, Record: 2000}}
		if got := brief(decodeAll(&d, c.content, []byte(c.value))); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	if got := brief(decodeAll(&Decoder{}, ContentJSON, []byte(long))); got != "refused: bad_text" {
		t.Errorf("long text: %s", got)
	}
}

func brief(got []string) string {
	for i, s := range got {
		if !strings.HasPrefix(s, "refused") {
			got[i] = "ok"
		}
	}
	return strings.Join(got, " ")
}

// The steady state allocates nothing, whatever the encoding.
func TestNoAllocations(t *testing.T) {
	es := benchEvents(30)
	var w ColumnsWriter
	for _, e := range es {
		w.Add(e)
	}
	dst := make([]byte, 0, 1<<16)
	var d Decoder
	do := func(int32, *Event, Reason) {}
	for _, rec := range []Record{
		{Value: AppendEvent(nil, es[0]), ContentType: ContentProtobuf},
		{Value: AppendJSON(nil, es[0]), ContentType: ContentJSON},
		{Value: w.AppendTo(nil), ContentType: ContentColumns},
	} {
		if n := testing.AllocsPerRun(100, func() { d.Decode(&rec, do) }); n != 0 {
			t.Errorf("%s: %v allocations to decode", rec.ContentType, n)
		}
	}
	if n := testing.AllocsPerRun(100, func() { AppendEvent(dst, es[0]); AppendJSON(dst, es[0]) }); n != 0 {
		t.Errorf("%v allocations to encode", n)
	}
}
