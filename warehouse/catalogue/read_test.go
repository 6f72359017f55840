package catalogue

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

var rewrite = flag.Bool("rewrite", false, "write the expected files anew")

// TestRead runs testdata/lists.txt: paragraphs of "read FORMAT from=… region=… by=type watts=…", the list, and after ---- what
// was read of it, or why it was refused; -rewrite writes that anew.
//
// Case M21: the prices of a sheet come back as they are, whatever else is in it. Case M29: an amount is the decimal that was written.
func TestRead(t *testing.T) {
	const file = "testdata/lists.txt"
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, paragraph := range strings.Split(strings.TrimSpace(string(want)), "\n\n") {
		asked, _, _ := strings.Cut(paragraph, "\n----")
		out = append(out, asked+"\n----\n"+readParagraph(t, asked))
	}
	got := []byte(strings.Join(out, "\n\n") + "\n")
	if *rewrite {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(got, want) {
		t.Errorf("%s differs (-rewrite writes it anew); got\n%s", file, got)
	}
}

func readParagraph(t *testing.T, asked string) string {
	lines := strings.Split(asked, "\n")
	for strings.HasPrefix(lines[0], "#") {
		lines = lines[1:]
	}
	words := strings.Fields(lines[0])
	o := Options{}
	for _, word := range words[2:] {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "from":
			var err error
			if o.From, err = ParseTime("from", value); err != nil {
				t.Fatal(err)
			}
		case "region":
			o.Region = value
		case "by":
			o.ByType = value == "type"
		case "watts":
			o.Watts = func(string, string) (string, error) { return value, nil }
		}
	}
	list, err := Read(strings.NewReader(strings.Join(lines[1:], "\n")), words[1], o)
	if err != nil {
		return "refused: " + err.Error()
	}
	return shown(list)
}

func shown(list List) string {
	var b strings.Builder
	or := func(text string) string {
		if text == "" {
			return "-"
		}
		return text
	}
	day := func(at time.Time) string {
		if at.IsZero() {
			return "-"
		}
		return at.Format(time.DateOnly)
	}
	for _, p := range list.Prices {
		fmt.Fprintln(&b, or(p.GPUType), or(p.Key), or(p.Node), or(p.Region), or(p.Kind), or(p.Variant), day(p.From), day(p.To), p.USDPerHour, or(p.Method))
	}
	for _, p := range list.APIPrices {
		fmt.Fprintln(&b, p.Provider, p.Model, or(p.ServiceTier), p.Above, or(p.Rule), day(p.From), day(p.To), "input", or(p.Input), "cached", or(p.Cached),
			"5m", or(p.CacheWrite5m), "1h", or(p.CacheWrite1h), "output", or(p.Output))
	}
	for _, c := range list.Counterparts {
		fmt.Fprintln(&b, "compare", c.Model, "with", c.Provider, c.APIModel)
	}
	for _, why := range list.Skipped {
		fmt.Fprintln(&b, "skipped", why)
	}
	return strings.TrimRight(b.String(), "\n")
}
