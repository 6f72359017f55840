package sql

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the expected files anew")

// Every layer has a report, and every report names layers that there are.
func TestLayersHaveReports(t *testing.T) {
	var missing []string
	for _, l := range Layers {
		if len(reportsOf(l)) == 0 {
			missing = append(missing, l.Name)
		}
	}
	if len(missing) > 0 {
		t.Errorf("no report says that it shows %s: add the line -- layer to one", strings.Join(missing, ", "))
	}
	for _, r := range Reports() {
		for _, name := range r.Layers {
			if !slices.ContainsFunc(Layers, func(l Layer) bool { return l.Name == name }) {
				t.Errorf("%s shows the layer %q, which sql/layers.go does not have", r.Name, name)
			}
		}
	}
}

func reportsOf(l Layer) (names []string) {
	for _, r := range Reports() {
		if slices.Contains(r.Layers, l.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}

const layersHead = `# What is seen, and where

Every layer of an inference service, the columns of v1 that hold it, the reports that show it and the names of its metrics
in Prometheus. Written by a test from sql/layers.go and the reports' layer lines (go test ./sql -run Layers -rewrite).

| layer | shows | columns | reports | metrics |
|---|---|---|---|---|
`

// TestLayersPage holds docs/layers.md to the layers and reports; -rewrite writes it anew.
func TestLayersPage(t *testing.T) {
	const page = "../docs/layers.md"
	var b strings.Builder
	b.WriteString(layersHead)
	for _, l := range Layers {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", l.Name, l.Shows, cells(l), quoted(reportsOf(l)), quoted(l.Metrics))
	}
	if *rewrite {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != b.String() {
		t.Errorf("%s is not up to date: go test ./sql -run Layers -rewrite %v", page, err)
	}
}

func cells(l Layer) string {
	var views []string
	for _, c := range l.Columns {
		views = append(views, "v1."+c.View+": "+quoted(c.Names))
	}
	return strings.Join(views, "; ")
}

func quoted(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, "`"+name+"`")
	}
	return strings.Join(all, ", ")
}
