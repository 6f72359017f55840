//go:build !race

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// I9 as a user meets it: what was published of a period reads the same whatever comes later, and what it reads today is
// that and the corrections together.
func TestSealedPeriod(t *testing.T) {
	l, trace := newLake(t), azureTrace(t)
	l.ingest("azure", trace, "--max-rows", "10")
	period := []string{"--from", "2023-11-16", "--to", "2023-11-17"}
	published := func(args ...string) string { return l.run(append([]string{"report", "--format", "csv"}, args...)...) }
	overview := func(args ...string) string { return published(append([]string{"overview"}, args...)...) }

	was := overview(period...)
	l.contains(l.run(append([]string{"seal", "november"}, period...)...), "sealed november: 2023-11-16 00:00:00 to 2023-11-17 00:00:00 UTC as of commit ")
	l.same("at the seal", overview("--as-of", "november"), was)
	if got := l.report("corrections"); len(got.rows) != 0 {
		t.Errorf("corrections at the seal: %s", got)
	}

	l.ingest("azure", trace, "--max-rows", "30") // the first ten are known
	l.same("after what came late", overview("--as-of", "november"), was)
	now := overview(period...)
	if now == was {
		t.Fatal("nothing came late: nothing is tested")
	}
	requests := func(text string) string { return parse(t, text).maps()[0]["requests"] }
	found := false
	for _, c := range l.report("corrections").maps() {
		if c["measure"] == "finished" {
			found = true
			l.same("finished", strings.Join([]string{c["sealed"], c["now"], c["difference"]}, " "), requests(was)+" "+requests(now)+" 20")
		}
	}
	if !found {
		t.Error("no correction says that requests came late")
	}

	c := l.serve()
	l.same("through serve", overview("--as-of", "november"), was)
	l.run(append([]string{"seal", "again"}, period...)...)
	l.same("a second seal", overview("--as-of", "again"), now)
	l.same("the seals", strings.Join(column(l.report("seals"), "name"), " "), "november again")
	l.same("the first does not know the second", strings.Join(column(parse(t, published("seals", "--as-of", "november")), "name"), " "), "november")
	file := filepath.Join(t.TempDir(), "overview.parquet")
	l.run("report", "overview", "--as-of", "november", "--format", "parquet", "-o", file)
	if content, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(content), "PAR1") {
		t.Errorf("no Parquet file: %v", err)
	}
	l.run("seal", "drop", "november")
	l.fails([]string{"report", "overview", "--as-of", "november"}, `cannot find the seal "november"`, "seal list")
	c.stop()
	l.contains(l.run("seal", "list"), "again")
}

func column(a table, name string) (values []string) {
	for _, row := range a.maps() {
		values = append(values, row[name])
	}
	return values
}

func TestSealErrors(t *testing.T) {
	l := small(t)
	for _, c := range []struct{ command, words []string }{
		{[]string{"seal", "a b", "--from", "2023-11-16", "--to", "2023-11-17"}, []string{`cannot be named "a b"`}},
		{[]string{"seal", "a", "--from", "soon", "--to", "2023-11-17"}, []string{`--from cannot be "soon"`}},
		{[]string{"seal", "a", "--from", "2023-11-17", "--to", "2023-11-17"}, []string{"before it begins"}},
		{[]string{"seal", "a", "--from", "2023-11-17"}, []string{"--to"}},
		{[]string{"seal", "drop", "a"}, []string{`cannot find the seal "a"`}},
		{[]string{"report", "corrections", "--set", "seal=a"}, []string{`cannot find the seal "a"`}},
		{[]string{"report", "overview", "--as-of", "a"}, []string{`cannot find the seal "a"`}},
	} {
		l.fails(c.command, c.words...)
	}
	l.run("seal", "a", "--from", "2023-11-16", "--to", "2023-11-17")
	l.run("seal", "a", "--from", "2023-11-16", "--to", "2023-11-17") // the same again
	l.fails([]string{"seal", "a", "--from", "2023-11-16", "--to", "2023-11-18"}, "sealed already", "another name")
}
