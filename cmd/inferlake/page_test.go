//go:build !race

package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// measure is a page that opens the reports in frames of several widths and writes what it measured into itself.
//
//go:embed testdata/measure.html
var measure string

// screenshots is where the pictures of the page go, to be looked at; git ignores it.
const screenshots = "../../.cache/screenshots"

// TestPageInChromium opens the demo's page in the browser: it asks for nothing from outside, runs no script, complains of
// nothing, and fits a phone.
func TestPageInChromium(t *testing.T) {
	browser := chromium(t)
	l := newLake(t)
	out := l.run("demo", "--hours", "1", "--requests", "1000")
	_, rest, _ := strings.Cut(out, "page:      ")
	file, _, _ := strings.Cut(rest, "\n")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"could not be drawn", "could not be made"} {
		if i := strings.Index(string(page), bad); i >= 0 {
			t.Errorf("the page says: %s", page[i-40:min(i+300, len(page))])
		}
	}
	site := serve(page)
	defer site.Close()
	dom, log := browser.open(t, "--dump-dom", site.URL+"/measure")
	for _, line := range strings.Split(log, "\n") {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("the browser complains: %s", line)
		}
	}
	site.check(t)
	checkMeasures(t, dom)
	takeScreenshots(t, browser, site.URL)
}

// checkMeasures reads what the page of frames found.
func checkMeasures(t *testing.T, dom string) {
	t.Helper()
	m := regexp.MustCompile(`(?s)<pre id="measures">(.*?)</pre>`).FindStringSubmatch(dom)
	if m == nil {
		t.Fatalf("the browser measured nothing: %s", dom)
	}
	var frames []struct {
		Width, Scroll, Pictures int
		Empty, Outside          []string
	}
	if err := json.Unmarshal([]byte(m[1]), &frames); err != nil {
		t.Fatal(err, m[1])
	}
	if len(frames) != 2 {
		t.Fatalf("%d frames were measured, want 2", len(frames))
	}
	for _, f := range frames {
		if f.Scroll > f.Width {
			t.Errorf("at %d px the page is %d px wide", f.Width, f.Scroll)
		}
		if f.Pictures < 10 {
			t.Errorf("at %d px the page has %d pictures", f.Width, f.Pictures)
		}
		if len(f.Empty) > 0 || len(f.Outside) > 0 {
			t.Errorf("at %d px pictures without a size: %q; texts beside their figure: %q", f.Width, f.Empty, f.Outside)
		}
	}
}

// site serves the page and what measures it, and notes what else is asked for.
type site struct {
	*httptest.Server
	mu      sync.Mutex
	unknown []string
}

// serve forbids the page whatever is not in it: what it tried would be told on the console.
func serve(page []byte) *site {
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/measure":
			w.Write([]byte(measure))
		case "/page":
			w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:")
			w.Write(page)
		case "/favicon.ico":
			w.WriteHeader(http.StatusNoContent)
		default:
			s.mu.Lock()
			s.unknown = append(s.unknown, r.URL.Path)
			s.mu.Unlock()
		}
	}))
	return s
}

func (s *site) check(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.unknown) > 0 {
		t.Errorf("the page asked for %q", s.unknown)
	}
}

type browserCommand string

// chromium finds the browser. Without one the test is skipped, or fails where INFERLAKE_NO_SKIP=1 allows no skips.
func chromium(t *testing.T) browserCommand {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return browserCommand(path)
		}
	}
	if os.Getenv("INFERLAKE_NO_SKIP") == "1" {
		t.Fatal("INFERLAKE_NO_SKIP is set, but there is no chromium")
	}
	t.Skip("NOT TESTED: there is no chromium")
	return ""
}

// open runs the browser on a page and returns what it prints, and its log with the page's console.
func (b browserCommand) open(t *testing.T, args ...string) (out, log string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, string(b), append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
		"--enable-logging=stderr", "--user-data-dir=" + t.TempDir()}, args...)...)
	var stdout, stderr strings.Builder
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, stderr.String())
	}
	return stdout.String(), stderr.String()
}

func takeScreenshots(t *testing.T, b browserCommand, url string) {
	t.Helper()
	if err := os.MkdirAll(screenshots, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"phone-light.png": {"--window-size=1000,4000", url + "/measure"},
		"desk-dark.png":   {"--window-size=1440,4000", "--blink-settings=preferredColorScheme=0", url + "/page"},
	} {
		file, err := filepath.Abs(filepath.Join(screenshots, name))
		if err != nil {
			t.Fatal(err)
		}
		b.open(t, append([]string{"--screenshot=" + file}, args...)...)
		if info, err := os.Stat(file); err != nil || info.Size() < 10_000 {
			t.Errorf("%s was not drawn: %v", name, err)
		}
	}
}
