//go:build !race

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/inferlake/inferlake/jobs"
	"github.com/inferlake/inferlake/jobs/render"
	"github.com/inferlake/inferlake/sql"
	"github.com/inferlake/inferlake/stream/fault"
	"github.com/inferlake/inferlake/warehouse"
)

// traffic writes a trace of some requests in the form of Azure's.
func (l lake) traffic(requests int) string {
	l.Helper()
	lines := []string{"TIMESTAMP,ContextTokens,GeneratedTokens"}
	at := time.Date(2023, 11, 16, 18, 0, 0, 0, time.UTC)
	for i := range requests {
		lines = append(lines, fmt.Sprintf("%s,%d,%d", at.Add(time.Duration(i)*731*time.Millisecond).Format("2006-01-02 15:04:05.0000000"), 100+37*i%900, 5+13*i%70))
	}
	path := filepath.Join(l.TempDir(), "traffic.csv")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		l.Fatal(err)
	}
	return path
}

// priceFile writes a price list.
func (l lake) priceFile(lines ...string) string {
	l.Helper()
	path := filepath.Join(l.TempDir(), "prices.csv")
	if err := os.WriteFile(path, []byte("gpu_type,valid_from,usd_per_hour\n"+strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		l.Fatal(err)
	}
	return path
}

// autumn is a lake with traffic in October, over the end of a day in Berlin, on the last day of November and in December.
func autumn(t *testing.T) lake {
	t.Helper()
	l := newLake(t)
	trace := l.traffic(60)
	for _, start := range []string{"2026-10-31T10:00:00Z", "2026-11-29T22:59:30Z", "2026-11-30T10:00:00Z", "2026-12-01T02:00:00Z"} {
		l.replay("azure", trace, "--start-time", start, "--retention", "876000h")
	}
	l.run("serve", "--once", "--prices", l.priceFile("H100,2020-01-01T00:00:00Z,2.95"))
	return l
}

// tree is every file of a folder by its name.
func tree(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			content, reading := os.ReadFile(path)
			name, _ := filepath.Rel(folder, path)
			files[name], err = string(content), reading
		}
		return err
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return files
}

func sameTree(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(keysOf(want, got)) {
		if got[name] != want[name] {
			t.Errorf("%s: %s\n got %q\nwant %q", what, name, clip(got[name]), clip(want[name]))
		}
	}
}

func keysOf(maps ...map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		seen := map[string]bool{}
		for _, m := range maps {
			for k := range m {
				if !seen[k] && !yield(k) {
					return
				}
				seen[k] = true
			}
		}
	}
}

func clip(text string) string { return text[:min(len(text), 600)] }

// A month that is closed reads the same for ever: made again it is the same to the byte, whatever came late and whatever it
// costs by then, and what changed is a correction of the next month.
func TestMonthlyStatement(t *testing.T) {
	l := autumn(t)
	l.fails([]string{"jobs", "run", "monthly_statement", "--period", "2026-12"}, "not complete yet", "2027-01-01 01:00:00")
	l.fails([]string{"jobs", "run", "monthly_statement", "--period", "2026-W48"}, "there is no month", "2026-11")
	l.fails([]string{"jobs", "run", "monthly", "--period", "2026-11"}, `there is no job "monthly"`, "jobs list")

	october, november := filepath.Join(l.data, "reports", "monthly_statement", "2026-10"), filepath.Join(l.data, "reports", "monthly_statement", "2026-11")
	l.contains(l.run("jobs", "run", "monthly_statement", "--period", "2026-10"), "made 2026-10 of monthly_statement", "cost_statement.csv")
	was := tree(t, october)
	statement := parse(t, was["cost_statement.csv"])
	l.contains(l.run("jobs", "list"), "monthly_statement", "done")

	l.replay("azure", l.traffic(20), "--start-time", "2026-10-31T12:00:00Z") // late
	l.run("serve", "--once", "--prices", l.priceFile("H100,2020-01-01T00:00:00Z,5.90"))
	l.run("jobs", "run", "monthly_statement", "--period", "2026-10")
	sameTree(t, "made again in its place", tree(t, october), was)
	if err := os.Rename(october, filepath.Join(t.TempDir(), "october")); err != nil {
		t.Fatal(err)
	}
	l.run("jobs", "run", "monthly_statement", "--period", "2026-10")
	sameTree(t, "made again in an empty place", tree(t, october), was)

	l.run("jobs", "run", "monthly_statement", "--period", "2026-11")
	next := parse(t, tree(t, november)["cost_statement.csv"])
	l.same("the opening of November is the closing of October", next.usd("opening"), statement.usd("closing"))
	fresh := l.report("cost_statement", "--from", "2026-10-01", "--to", "2026-12-01")
	l.same("November closes with what both months cost anew", next.usd("closing"), fresh.usd("closing"))
	if n := len(next.section("correction")); n < 3 {
		t.Errorf("%d corrections of October, whose price doubled", n)
	}
}

func (a table) section(name string) (rows []map[string]string) {
	for _, row := range a.maps() {
		if row["section"] == name {
			rows = append(rows, row)
		}
	}
	return rows
}

func (a table) usd(section string) string {
	if rows := a.section(section); len(rows) == 1 {
		return rows[0]["usd"]
	}
	return "no " + section
}

// A process that is killed at any step of a run leaves nothing half done: the next one makes the same files, once.
func TestJobKilledAtEachStep(t *testing.T) {
	l := autumn(t)
	l.run("jobs", "run", "monthly_statement", "--period", "2026-10")
	copied := func() lake {
		other := lake{t, filepath.Join(t.TempDir(), "data")}
		if err := os.CopyFS(other.data, os.DirFS(l.data)); err != nil {
			t.Fatal(err)
		}
		return other
	}
	period := filepath.Join("reports", "monthly_statement", "2026-11")
	undisturbed := copied()
	undisturbed.run("jobs", "run", "monthly_statement", "--period", "2026-11")
	want, lines := tree(t, filepath.Join(undisturbed.data, period)), undisturbed.lines()
	if len(want) < 8 {
		t.Fatalf("only %d files", len(want))
	}
	steps := []string{jobs.Writing + ":9", jobs.Delivered}
	if os.Getenv("INFERLAKE_KILLS") != "" { // at length
		steps = append(steps[:1], jobs.Steps...)
	}
	for _, step := range steps {
		k := copied()
		k.killedAt(step, "jobs", "run", "monthly_statement", "--period", "2026-11")
		if there := tree(t, filepath.Join(k.data, period)); len(there) > 0 {
			sameTree(t, "left by the kill at "+step, there, want)
		}
		k.run("jobs", "run", "monthly_statement", "--period", "2026-11")
		sameTree(t, "after the kill at "+step, tree(t, filepath.Join(k.data, period)), want)
		k.same("lines after the kill at "+step, k.lines(), lines)
		if left, _ := filepath.Glob(filepath.Join(k.data, "reports", "*", ".writing-*")); len(left) > 0 {
			t.Errorf("the kill at %s left %v", step, left)
		}
		k.says("SELECT period, state FROM v1.job_runs ORDER BY period", "2026-10 done\n2026-11 done")
	}
}

// lines is what the statements have charged.
func (l lake) lines() string {
	return l.sql("SELECT seal, period_from, item, state, usd FROM v1.statement_lines ORDER BY ALL").String()
}

// killedAt runs a command in a process that dies at a point.
func (l lake) killedAt(point string, args ...string) {
	l.Helper()
	self, err := os.Executable()
	if err != nil {
		l.Fatal(err)
	}
	child := exec.CommandContext(l.Context(), self, append(args, "--data", l.data)...)
	child.Env = append(os.Environ(), fault.Variable+"="+point)
	out, _ := child.CombinedOutput()
	if status, ok := child.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		l.Fatalf("not killed at %s: %v\n%s", point, child.ProcessState, out)
	}
}

// scheduled is a house with its jobs, at a time of the test's.
func (l lake) scheduled(now *time.Time, configured string) (*localHouse, func()) {
	l.Helper()
	w, err := warehouse.Open(l.Context(), l.data, warehouse.Options{})
	if err != nil {
		l.Fatal(err)
	}
	var list jobList
	if err := list.read([]byte(configured)); err != nil {
		l.Fatal(err)
	}
	h := &localHouse{Warehouse: w, data: folder(l.data)}
	h.schedule(list, slog.New(slog.DiscardHandler))
	h.runner.Now = func() time.Time { return *now }
	return h, func() { w.Close() }
}

const berlin = `
- {name: daily_cost, off: true, schedule: "0 6 * * *", period: day, reports: [{report: cost_per_token}]}
- {name: weekly_cost, off: true, schedule: "0 6 * * *", period: day, reports: [{report: cost_per_token}]}
- {name: monthly_statement, off: true, schedule: "0 6 * * *", period: day, reports: [{report: cost_per_token}]}
- name: berlin
  schedule: 0 6 * * *
  zone: Europe/Berlin
  period: day
  grace: 10m
  formats: [csv]
  reports: [{report: cost_per_token, compare: [usd]}]
`

// Seven hours down over the moment of a daily run: it is made up for once, for the day that was missed; and a day that is not
// complete is waited for.
func TestJobCatchesUp(t *testing.T) {
	l := autumn(t)
	now := time.Date(2026, 11, 30, 5, 0, 0, 0, time.UTC) // 6:00 in Berlin: the 29th is due
	h, done := l.scheduled(&now, berlin)
	tick := func(at string, want ...string) {
		t.Helper()
		now, _ = time.Parse(time.RFC3339, at)
		if err := h.runner.Tick(t.Context(), h.planned); err != nil {
			t.Fatal(err)
		}
		runs, err := h.Rows(t.Context(), "SELECT period || ' ' || state || ' ' || attempts AS run FROM v1.job_runs ORDER BY period", nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range runs {
			got = append(got, r["run"].(string))
		}
		if !slices.Equal(got, want) {
			t.Errorf("at %s: %q, want %q", at, got, want)
		}
	}
	tick("2026-11-30T05:00:00Z", "2026-11-29 done 1")
	tick("2026-12-01T04:59:00Z", "2026-11-29 done 1")
	done() // down from 4:59 to 11:59 UTC
	h, done = l.scheduled(&now, berlin)
	tick("2026-12-01T11:59:00Z", "2026-11-29 done 1", "2026-11-30 done 1")
	tick("2026-12-01T12:00:00Z", "2026-11-29 done 1", "2026-11-30 done 1")
	tick("2026-12-02T05:00:00Z", "2026-11-29 done 1", "2026-11-30 done 1") // nobody knows yet what happened on the 1st
	done()

	day := parse(t, tree(t, filepath.Join(l.data, "reports", "berlin", "2026-11-30"))["cost_per_token.csv"]).maps()[0]
	l.same("the day of Berlin", day["window_from"]+" "+day["window_to"], "2026-11-29T23:00:00Z 2026-11-30T23:00:00Z")
	change := parse(t, tree(t, filepath.Join(l.data, "reports", "berlin", "2026-11-30"))["cost_per_token_difference.csv"]).maps()[0]
	before := parse(t, tree(t, filepath.Join(l.data, "reports", "berlin", "2026-11-29"))["cost_per_token.csv"]).maps()[0]
	l.same("the day before", change["usd_before"], before["usd"])
	l.same("the day", change["usd"], day["usd"])
}

// tampered is a house in which a picodollar is missing in the tie-out of statements.
type tampered struct{ jobHouse }

func (h tampered) AsOf(ctx context.Context, seal string, read func(jobs.Reading) error) error {
	return h.jobHouse.AsOf(ctx, seal, func(r jobs.Reading) error { return read(tamperedReading{r}) })
}

type tamperedReading struct{ jobs.Reading }

func (r tamperedReading) Table(ctx context.Context, report sql.Report, args []sql.Argument) (render.Table, error) {
	report.Query = strings.Replace(report.Query, "usd, charges, charges - usd", "usd, charges, charges - usd - 0.000000000001", 1)
	return r.Reading.Table(ctx, report, args)
}

// A statement that does not balance is not published: the run fails, says by how much, and is tried again later.
func TestUnbalancedStatement(t *testing.T) {
	l := autumn(t)
	now := time.Date(2026, 12, 2, 8, 0, 0, 0, time.UTC)
	h, done := l.scheduled(&now, "")
	house := h.runner.House.(jobHouse)
	h.runner.House = tampered{house}
	i := slices.IndexFunc(h.planned, func(j jobs.Job) bool { return j.Name == "monthly_statement" })
	_, err := h.runner.Run(t.Context(), h.planned[i], "2026-11")
	if err == nil || !strings.Contains(err.Error(), "charges = bill is off by -0.000000000001") {
		t.Errorf("a statement that does not balance: %v", err)
	}
	if files := tree(t, filepath.Join(l.data, "reports", "monthly_statement")); len(files) > 0 {
		t.Errorf("it was published: %v", len(files))
	}
	if _, err := h.FindSeal(t.Context(), "monthly_statement.2026-11"); err == nil {
		t.Error("what was not published stays sealed")
	}
	h.runner.House = house
	now = now.Add(14 * time.Minute)
	if err := h.runner.Tick(t.Context(), h.planned[i:i+1]); err != nil {
		t.Error(err)
	}
	if files := tree(t, filepath.Join(l.data, "reports", "monthly_statement")); len(files) > 0 {
		t.Error("it was tried again too early")
	}
	now = now.Add(time.Minute)
	if err := h.runner.Tick(t.Context(), h.planned[i:i+1]); err != nil {
		t.Error(err)
	}
	done()
	l.says("SELECT period, state, attempts, error FROM v1.job_runs", "2026-11 done 2 ")
}

// A running serve makes what is due by itself, and answers about jobs.
func TestServeRunsJobs(t *testing.T) {
	l, now := newLake(t), time.Now().UTC()
	zone := "Etc/GMT" + fmt.Sprintf("%+d", now.Hour()-12) // where it is noon: signs are the other way round there
	noon, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	midnight := now.In(noon).Truncate(time.Hour).Add(-time.Duration(now.In(noon).Hour()) * time.Hour)
	trace := l.traffic(60)
	for _, start := range []time.Time{midnight.Add(-3 * time.Hour), midnight.Add(2 * time.Hour)} {
		l.replay("azure", trace, "--start-time", start.UTC().Format(time.RFC3339))
	}
	config := filepath.Join(t.TempDir(), "config.yaml")
	yaml := fmt.Sprintf("jobs:\n- {name: noon, schedule: 0 1 * * *, zone: %s, period: day, reports: [{report: cost_per_token}]}\n", zone)
	if err := os.WriteFile(config, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	c := l.serve("--config", config, "--jobs-every", "100ms")
	place := filepath.Join(l.data, "reports", "noon", midnight.Add(-time.Hour).Format(time.DateOnly))
	l.wait("the day is made", func() bool { _, err := os.Stat(place); return err == nil })
	l.wait("and noted", func() bool { return strings.Contains(l.run("jobs", "list"), "done") })
	l.contains(l.run("jobs", "next"), "noon", midnight.Format(time.DateOnly))
	l.fails([]string{"jobs", "run", "noon", "--period", midnight.Format(time.DateOnly)}, "serve (pid", "not complete yet")
	c.stop()
	if files := tree(t, place); files["cost_per_token.csv"] == "" || files["cost_per_token.parquet"] == "" {
		t.Errorf("files of the day: %d", len(files))
	}
}

func TestJobsThatCannotBe(t *testing.T) {
	l := newLake(t)
	for text, words := range map[string]string{
		`- {name: a b, schedule: 0 6 * * *, period: day, reports: [{report: overview}]}`:                                                                                  `named "a b"`,
		`- {name: a, schedule: 0 6 * *, period: day, reports: [{report: overview}]}`:                                                                                      "cannot read the schedule",
		`- {name: a, schedule: "@every 1h", period: day, reports: [{report: overview}]}`:                                                                                  "has no moments",
		`- {name: a, schedule: 0 0 31 2 *, period: day, reports: [{report: overview}]}`:                                                                                   "has no moments",
		`- {name: a, schedule: TZ=UTC 0 6 * * *, period: day, reports: [{report: overview}]}`:                                                                             "cannot name a time zone",
		`- {name: a, schedule: 0 6 * * *, zone: Mars, period: day, reports: [{report: overview}]}`:                                                                        `no time zone "Mars"`,
		`- {name: a, schedule: 0 6 * * *, period: hour, reports: [{report: overview}]}`:                                                                                   `period cannot be "hour"`,
		`- {name: a, schedule: 0 6 * * *, period: day, reports: [{report: none}]}`:                                                                                        `the report "none"`,
		`- {name: a, schedule: 0 6 * * *, period: day, reports: [{report: overview, params: {x: y}}]}`:                                                                    "no parameter x",
		`- {name: a, schedule: 0 6 * * *, period: day, reports: [{report: overview}, {report: overview}]}`:                                                                "another name by as",
		`- {name: a, schedule: 0 6 * * *, period: day, reports: [{report: overview}], formats: [pdf]}`:                                                                    `format cannot be "pdf"`,
		`- {name: a, schedule: 0 6 * * *, period: day, catchup: 3, reports: [{report: overview}]}`:                                                                        "catchup",
		`- {name: a, schedule: 0 6 * * *, period: day}`:                                                                                                                   "no reports",
		"- {name: a, schedule: 0 6 * * *, period: day, reports: [{report: overview}]}\n" + `- {name: a, schedule: 0 6 * * *, period: day, reports: [{report: overview}]}`: "two jobs named a",
	} {
		path := filepath.Join(t.TempDir(), "jobs.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		l.fails([]string{"jobs", "list", "--jobs", path}, words)
	}
}
