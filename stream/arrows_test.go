package stream_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/inferlake/inferlake"

// arrows says what each top-level folder may import of the others, and why.
var arrows = map[string]struct {
	may []string
	why string
}{
	"stream":    {nil, "it is the ground floor: the words on the stream, known to all and knowing nobody"},
	"producer":  {[]string{"stream"}, "engines link it: it must bring neither the fold nor DuckDB with it"},
	"aggregate": {[]string{"stream"}, "the fold is a function of the log alone: nothing that reads a clock or a database is within its reach"},
	"sql":       {nil, "it is text: whoever runs it brings the connection"},
	"warehouse": {[]string{"aggregate", "stream", "sql"}, "it stores what the fold says, whoever asks for it and whenever"},
	"jobs":      {[]string{"sql"}, "it says when and how to show: the act is the warehouse's, reached through an interface"},
	"cmd":       {[]string{"stream", "producer", "aggregate", "sql", "warehouse", "jobs"}, "it wires all of them"},
	"examples":  {[]string{"producer", "stream"}, "they are what a user of the client library writes"},
}

// testArrows says what tests of a folder may import besides, and why.
var testArrows = map[string]struct {
	may []string
	why string
}{
	"examples": {[]string{"aggregate"}, "what the programs send is folded, to see that it says what was meant"},
}

// homes says where each outside library lives, and why only there.
// The first that matches counts.
var homes = []struct {
	library string
	home    []string
	tests   bool // whether tests anywhere may use it
	why     string
}{
	{"github.com/twmb/franz-go/pkg/kfake", []string{"stream/kafka/embedded"}, false, "the broker in memory is one option among brokers, and no client knows which one it talks to"},
	{"github.com/twmb/franz-go", []string{"stream/kafka", "cmd/inferlake/peers"}, true, "Kafka's client has one home: the loop and the producers see records; tests may speak as foreign clients do, and benchmarks read beside it"},
	{"github.com/IBM/sarama", []string{"cmd/inferlake/peers"}, false, "benchmarks compare with it; the product does not use it"},
	{"github.com/duckdb", []string{"warehouse"}, false, "one package opens the database: another handle in the process would give up its file lock"},
	{"database/sql", []string{"warehouse"}, true, "queries go through the warehouse, which binds and bounds them"},
	{"github.com/apache/arrow-go/v18/arrow/memory", []string{"aggregate", "warehouse", "cmd/inferlake"}, true, "who starts a fold chooses its allocator; no other package holds Arrow memory"},
	{"github.com/apache/arrow-go", []string{"aggregate", "warehouse", "cmd/inferlake/proof"}, false, "Arrow is the form in which the fold hands rows to the warehouse, and nothing else; the proof reads those rows"},
	{"github.com/jedib0t/go-pretty", []string{"jobs/render"}, false, "how a table looks is decided in one place"},
	{"github.com/robfig/cron", []string{"jobs"}, false, "when something is due is decided in one place, zones and their jumps with it"},
	{"golang.org/x/net", []string{"jobs/render"}, true, "tests read the page that it writes; the product writes HTML and reads none"},
	{"github.com/alecthomas", []string{"cmd/inferlake"}, false, "settings are read in one place and passed on as values"},
	{module + "/stream/kafka/embedded", []string{"cmd/inferlake", "stream/kafka/embedded"}, true, "whether there is an embedded broker is a matter of wiring"},
}

// source is a Go file of the repository with what it imports.
type source struct {
	file    string // from the root, with slashes
	imports []string
	syntax  *ast.File
}

func (s source) folder() string { return path.Dir(s.file) }
func (s source) top() string    { return strings.Split(s.file, "/")[0] }
func (s source) test() bool     { return strings.HasSuffix(s.file, "_test.go") }

// sources parses every Go file below the root. It reads the files themselves, so a cached result is that of these files.
func sources(t *testing.T) (all []source) {
	root, files := "..", token.NewFileSet()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		syntax, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		s := source{file: filepath.ToSlash(relative), syntax: syntax}
		for _, i := range syntax.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, imported)
		}
		all = append(all, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("only %d Go files were found: the walk starts at the wrong place", len(all))
	}
	return all
}

// within says that a path is another one or lies below it.
func within(p, folder string) bool { return p == folder || strings.HasPrefix(p, folder+"/") }

// The arrows between the top-level folders point one way.
func TestArrows(t *testing.T) {
	for _, s := range sources(t) {
		rule, known := arrows[s.top()]
		if !known {
			t.Errorf("%s: the folder %s is not one of the data path; add it to the arrows with its reason", s.file, s.top())
			continue
		}
		for _, imported := range s.imports {
			if !within(imported, module) {
				continue
			}
			to, _, _ := strings.Cut(strings.TrimPrefix(imported, module+"/"), "/")
			if s.test() && slices.Contains(testArrows[s.top()].may, to) {
				continue
			}
			if to != s.top() && !slices.Contains(rule.may, to) {
				t.Errorf("%s imports %s: %s may import only %v: %s", s.file, imported, s.top(), rule.may, rule.why)
			}
		}
	}
}

// kafkaless are the folders that must not know where a log comes from, and why.
var kafkaless = map[string]string{
	"stream":    "the loop reads any log",
	"aggregate": "the fold is the same over a log in memory",
	"warehouse": "it keeps positions and asks no broker",
}

// What lies downstream of the log does not know Kafka.
func TestKafkaStaysUpstream(t *testing.T) {
	for _, s := range sources(t) {
		why, applies := kafkaless[s.top()]
		for _, imported := range s.imports {
			if applies && within(imported, module+"/stream/kafka") && !within(s.folder(), "stream/kafka") {
				t.Errorf("%s imports %s: %s", s.file, imported, why)
			}
		}
	}
}

// Each outside library has one home.
func TestLibrariesHaveOneHome(t *testing.T) {
	for _, s := range sources(t) {
		for _, imported := range s.imports {
			for _, h := range homes {
				if !within(imported, h.library) {
					continue
				}
				allowed := slices.ContainsFunc(h.home, func(home string) bool { return within(s.folder(), home) })
				if !allowed && !(h.tests && s.test()) {
					t.Errorf("%s imports %s, which lives in %s: %s", s.file, imported, strings.Join(h.home, " and "), h.why)
				}
				break
			}
		}
	}
}

// Arrow batches are built by the fold alone: the warehouse takes them as they are. Its tests may make their own.
func TestOnlyTheFoldBuildsArrow(t *testing.T) {
	for _, s := range sources(t) {
		if within(s.folder(), "aggregate") || s.test() || !slices.Contains(s.imports, "github.com/apache/arrow-go/v18/arrow/array") {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "array" && strings.Contains(sel.Sel.Name, "Builder") {
				t.Errorf("%s uses array.%s: batches are built in aggregate, from the table of measures, so that columns have one source", s.file, sel.Sel.Name)
			}
			return true
		})
	}
}
