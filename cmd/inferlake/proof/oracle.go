package proof

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

//go:embed testdata/oracle.py
var oracle string

// Python returns the interpreter. Without one the test is skipped, or fails where INFERLAKE_NO_SKIP=1 allows no skips.
func Python(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("INFERLAKE_NO_SKIP") == "1" {
			t.Fatal("python3 is not installed, and no test may be skipped: ", err)
		}
		t.Skip("SKIPPED: the oracle needs python3, which is not installed: ", err)
	}
	return path
}

// Answer asks the oracle what the warehouse must hold after the ledger. Settings are like "expiry=120", seconds.
func Answer(ctx context.Context, python, ledger string, settings ...string) (Rows, error) {
	cmd := exec.CommandContext(ctx, python, append([]string{"-", ledger}, settings...)...)
	cmd.Stdin = strings.NewReader(oracle)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("the oracle failed: %w\n%s", err, complaints.String())
	}
	rows := Rows{}
	for line := range strings.Lines(out.String()) {
		table, row, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		rows[table] = append(rows[table], row)
	}
	return rows, nil
}

// Rows are rows as text by table: their columns separated by tabs, unknown ones as "-".
type Rows map[string][]string

// Sort sorts each table.
func (r Rows) Sort() {
	for _, rows := range r {
		slices.Sort(rows)
	}
}

// Compare returns a line for each row that only one of the two has, by table, at most limit a table.
func Compare(have, want Rows, limit int) (differences []string) {
	for _, table := range tables(have, want) {
		extra, missing := difference(have[table], want[table])
		if len(extra)+len(missing) == 0 {
			continue
		}
		differences = append(differences, fmt.Sprintf("%s: of %d rows %d are not expected, of %d expected %d are not there",
			table, len(have[table]), len(extra), len(want[table]), len(missing)))
		for i := range min(limit, max(len(extra), len(missing))) {
			if i < len(extra) {
				differences = append(differences, "  have "+extra[i])
			}
			if i < len(missing) {
				differences = append(differences, "  want "+missing[i])
			}
		}
	}
	return differences
}

func tables(all ...Rows) (names []string) {
	for _, rows := range all {
		for table := range rows {
			if !slices.Contains(names, table) {
				names = append(names, table)
			}
		}
	}
	slices.Sort(names)
	return names
}

// difference returns what only a has and what only b has, as multisets.
func difference(a, b []string) (onlyA, onlyB []string) {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := strings.Compare(a[0], b[0]); {
		case c < 0:
			onlyA, a = append(onlyA, a[0]), a[1:]
		case c > 0:
			onlyB, b = append(onlyB, b[0]), b[1:]
		default:
			a, b = a[1:], b[1:]
		}
	}
	return append(onlyA, a...), append(onlyB, b...)
}
