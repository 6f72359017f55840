package stream_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var (
	namedTest = regexp.MustCompile("`((?:Test|Fuzz|Benchmark|Example)[A-Z]\\w*)`")
	namedFile = regexp.MustCompile("`((?:cmd|producer|stream|aggregate|warehouse|sql|jobs|docs|examples)/[a-z0-9_/]+[.][a-z0-9_.]+)`")
	link      = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
)

// The pages name tests and files that are there, and link to pages that are there.
func TestPagesNameWhatIsThere(t *testing.T) {
	tests := map[string]bool{}
	for _, s := range sources(t) {
		for _, d := range s.syntax.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.test() {
				tests[f.Name.Name] = true
			}
		}
	}
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range namedTest.FindAllStringSubmatch(string(text), -1) {
			if !tests[m[1]] {
				t.Errorf("%s names the test %s, which is not there", page, m[1])
			}
		}
		for _, m := range namedFile.FindAllStringSubmatch(string(text), -1) {
			missing(t, page, filepath.Join("..", m[1]))
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			missing(t, page, filepath.Join(filepath.Dir(page), m[1]))
		}
	}
}

func missing(t *testing.T, page, file string) {
	if _, err := os.Stat(file); err != nil {
		t.Errorf("%s names %s, which is not there", page, file)
	}
}
