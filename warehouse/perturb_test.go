package warehouse_test

import (
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	text "github.com/inferlake/inferlake/sql"
)

// resourceReports are the reports that are read before and after a change, each with the columns that name a row.
var resourceReports = []struct {
	name   string
	keys   []string
	params string
}{
	{"kv_cache", []string{"group"}, "by=instance"},
	{"gpu", []string{"group"}, ""},
	{"nodes", []string{"node"}, ""},
	{"kubernetes", []string{"group"}, ""},
	{"use", []string{"resource"}, ""},
	{"capacity", []string{"group"}, "by=all"},
	{"engine_over_time", []string{"time", "group"}, "step=60"},
	{"gpu_over_time", []string{"time", "gpu"}, "step=60"},
}

// TestOneChangeMovesItsCells changes one thing of a small fleet and looks which cells of all reports move, and how.
func TestOneChangeMovesItsCells(t *testing.T) {
	db := openFleet(t)
	before := readCells(t, db)
	for _, c := range []struct {
		name, change string
		moved        []string // report row column: these double, and no other moves
	}{
		{"double the power of a GPU",
			"UPDATE gpu_windows SET power_milliwatts_value_ns = 2 * power_milliwatts_value_ns, power_milliwatts_max = 2 * power_milliwatts_max WHERE gpu = 'GPU-1'",
			[]string{"gpu GPU-1 power", "gpu GPU-1 power_max", "gpu_over_time 10:00:00/GPU-1 power"}},
		{"double the evictions of an engine",
			"UPDATE engine_windows SET evictions_increase = 2 * evictions_increase WHERE instance = 'i0'",
			[]string{"kv_cache i0 evictions"}},
		{"double the network errors of a node",
			"UPDATE node_windows SET network_errors_increase = 2 * network_errors_increase WHERE node = 'n0'",
			[]string{"nodes n0 net_errors", "use network errors"}},
		{"double the restarts of a pod",
			"UPDATE kube_windows SET restarts_increase = 2 * restarts_increase WHERE pod = 'pod-0'",
			[]string{"kubernetes llm/chat restarts", "use replicas errors"}},
		{"double the energy of a GPU",
			"UPDATE gpu_windows SET energy_millijoules_increase = 2 * energy_millijoules_increase WHERE gpu = 'GPU-0'",
			[]string{"gpu GPU-0 energy"}},
		{"double the requests that ran in a minute",
			"UPDATE request_windows SET finished = 2 * finished",
			[]string{"capacity all request_peak"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			after := readChanged(t, db, c.change)
			var moved []string
			for name, was := range before {
				if is := after[name]; is != was {
					moved = append(moved, name)
					if !slices.Contains(c.moved, name) || fmt.Sprint(is) != timesTwo(was) {
						t.Errorf("%s was %s and is %s", name, was, is)
					}
				}
			}
			if slices.Sort(moved); len(moved) != len(c.moved) {
				t.Errorf("moved %q, expected %q", moved, c.moved)
			}
		})
	}
}

// TestASourceThatIsGone takes a source away: its cells become unknown, none becomes 0, and no other cell moves (W20).
func TestASourceThatIsGone(t *testing.T) {
	db := openFleet(t)
	before := readCells(t, db)
	for _, c := range []struct {
		name, change string
		of           func(name string) bool // is the cell the source's?
	}{
		{"GPU profiling", "UPDATE gpu_windows SET sm_active_ppm_value_ns = NULL, sm_active_ppm_observed_ns = NULL",
			func(name string) bool { return suffixed(name, " sm") || strings.HasPrefix(name, "use GPU utilization") }},
		{"GPU power", "UPDATE gpu_windows SET power_milliwatts_value_ns = NULL, power_milliwatts_observed_ns = NULL, power_milliwatts_max = NULL",
			func(name string) bool { return suffixed(name, " power", " power_max") }},
		{"KV cache", "UPDATE engine_windows SET kv_cache_usage_ppm_value_ns = NULL, kv_cache_usage_ppm_observed_ns = NULL, kv_cache_usage_ppm_max = NULL",
			func(name string) bool {
				return strings.HasPrefix(name, "kv_cache ") || strings.HasPrefix(name, "use KV,cache ") ||
					suffixed(name, " kv_usage", " kv_usage_max", " kv_peak", " at_kv", " headroom", " bound_by", " method")
			}},
		{"nodes", "DELETE FROM node_windows",
			func(name string) bool {
				return strings.HasPrefix(name, "nodes ") || strings.HasPrefix(name, "use CPU ") || strings.HasPrefix(name, "use memory ") ||
					strings.HasPrefix(name, "use network ") || strings.HasPrefix(name, "use disk ")
			}},
		{"Kubernetes", "DELETE FROM kube_windows",
			func(name string) bool {
				return strings.HasPrefix(name, "kubernetes ") || strings.HasPrefix(name, "use replicas ") || strings.HasPrefix(name, "use memory ")
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			after := readChanged(t, db, c.change)
			gone := 0
			for name, was := range before {
				is, there := after[name]
				switch {
				case was == is || noted(name):
				case !c.of(name):
					t.Errorf("%s was %s and is %s: it is not of the source", name, was, is)
				case there && is != "-" && !recounted(name):
					t.Errorf("%s was %s and is %s: it is unknown now", name, was, is)
				default:
					gone++
				}
			}
			if gone == 0 {
				t.Error("no cell became unknown")
			}
		})
	}
}

// noted are cells that say what is missing; recounted those that count objects or fall back on another source.
func noted(name string) bool { return suffixed(name, " unavailable", " coverage") }

func recounted(name string) bool {
	return suffixed(name, " objects") || strings.HasPrefix(name, "use memory ") || strings.HasPrefix(name, "use GPU utilization")
}

func suffixed(name string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) })
}

func timesTwo(was string) string {
	var f float64
	if _, err := fmt.Sscan(was, &f); err != nil {
		return "no number: " + was
	}
	return texts([]any{2 * f})[0]
}

// openFleet opens a warehouse with the rows of the reports' own tests: one engine, two GPUs, two nodes, a deployment.
func openFleet(t *testing.T) *sql.DB {
	t.Helper()
	db := openViews(t)
	file, err := os.ReadFile("testdata/fleet.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, paragraph := range strings.Split(strings.TrimSpace(string(file)), "\n\n") {
		runParagraph(t, db, paragraph)
	}
	return db
}

// readChanged reads the cells after a change, and takes the change back.
func readChanged(t *testing.T, db *sql.DB, change string) map[string]string {
	t.Helper()
	exec(t, db, "BEGIN")
	defer exec(t, db, "ROLLBACK")
	exec(t, db, change)
	return readCells(t, db)
}

// readCells reads every cell of the reports on resources, named "report row column".
func readCells(t *testing.T, db *sql.DB) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, r := range resourceReports {
		report, err := text.Find(r.name)
		if err != nil {
			t.Fatal(err)
		}
		columns, rows, err := cellsOf(db, report.Query, bound(t, report, strings.Fields(r.params))...)
		if err != nil {
			t.Fatal(r.name, err)
		}
		for _, row := range rows {
			var key []string
			for _, k := range r.keys {
				key = append(key, strings.TrimPrefix(row[slices.Index(columns, k)], "2026-01-01T"))
			}
			for i, column := range columns {
				if column != "window_from" && column != "window_to" {
					all[r.name+" "+strings.Join(key, "/")+" "+column] = row[i]
				}
			}
		}
	}
	return all
}
