package replay

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/inferlake/inferlake/stream"
)

// traces is the folder of public traffic, which the repository does not carry.
func traces(t testing.TB, parts ...string) string {
	dir := os.Getenv("INFERLAKE_TRACES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "traces")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("NOT TESTED against public traffic: no folder %s; set INFERLAKE_TRACES", dir)
	}
	return filepath.Join(append([]string{dir}, parts...)...)
}

// write puts a text into a file of its own.
func write(t testing.TB, text string) string {
	name := filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// play replays and fails the test on an error.
func play(t testing.TB, o Options, emit func(*stream.Event) error) Summary {
	s, err := Replay(context.Background(), o, emit)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// told is an event as text: kind, then every field but those of the envelope that are the same on all.
func told(e *stream.Event) string {
	var b strings.Builder
	e.Each(func(f stream.Field) {
		info := stream.Fields[f]
		fmt.Fprintf(&b, " %s=", info.Name)
		switch info.Type {
		case stream.Text:
			b.WriteString(e.Text(f))
		case stream.Texts:
			b.WriteString(strings.Join(e.Texts(f), "+"))
		case stream.Enum:
			b.WriteString(info.Enum.Name(e.Num(f)))
		case stream.Ints:
			fmt.Fprint(&b, e.Ints(f))
		default:
			fmt.Fprint(&b, e.Num(f))
		}
	})
	return b.String()[1:]
}

// log replays into the texts of its events.
func log(t testing.TB, o Options) (lines []string, s Summary) {
	s = play(t, o, func(e *stream.Event) error {
		lines = append(lines, told(e))
		return nil
	})
	return lines, s
}

// quantile is linearly interpolated.
func quantile(v []float64, p float64) float64 {
	s := append([]float64{}, v...)
	sort.Float64s(s)
	x := p * float64(len(s)-1)
	i := int(x)
	return s[i] + (s[min(i+1, len(s)-1)]-s[i])*(x-float64(i))
}
