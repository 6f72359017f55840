package stream

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/events.md")

const eventsPage = "../docs/events.md"

// The tables of docs/events.md are those of Fields.
func TestEventsPage(t *testing.T) {
	page, err := os.ReadFile(eventsPage)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- fields -->\n", "<!-- /fields -->"
	before, rest, found := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s lacks the lines %q and %q, between which the tables go", eventsPage, begin, end)
	}
	want := before + begin + fieldTables() + end + after
	if want == string(page) {
		return
	}
	if !*update {
		t.Fatalf("%s is stale; write it with: go test ./stream -run TestEventsPage -update", eventsPage)
	}
	if err := os.WriteFile(eventsPage, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func fieldTables() string {
	out := fieldTable("Envelope", Envelope)
	for _, k := range Kinds {
		out += fieldTable("`"+k.Name+"`", k.Kind)
	}
	return out + "\n"
}

func fieldTable(title string, kind Kind) string {
	out := "\n### " + title + "\n\n| field | type | merge | meaning |\n|---|---|---|---|\n"
	for _, f := range FieldsOf(kind) {
		info := &Fields[f]
		out += fmt.Sprintf("| `%s` | %s | %s | %s |\n", info.Name, typeWords[info.Type], mergeWords[info.Merge], info.Doc+enumWords(info))
	}
	return out
}

func enumWords(info *FieldInfo) string {
	if info.Enum == nil {
		return ""
	}
	return " One of `" + strings.Join((*info.Enum)[1:], "`, `") + "`."
}

var typeWords = map[Type]string{
	Int: "uint", Signed: "int", Bool: "bool", Enum: "enum", Time: "time, ns", Ratio: "ratio", Hash: "hash",
	Text: "text", Ints: "list of uint", Texts: "list of text",
}

var mergeWords = map[Merge]string{
	Plain: "plain", Gauge: "gauge", Counter: "counter", Context: "context", Identity: "identity", Descriptive: "descriptive",
	FirstMark: "first mark", LastMark: "last mark", Progress: "progress", Count: "count", Measured: "measured",
	Terminal: "terminal", Flag: "flag", Whole: "whole", Total: "total",
}
