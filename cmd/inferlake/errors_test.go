//go:build !race

package main

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// small is a lake with ten requests.
func small(t *testing.T) lake {
	t.Helper()
	l := newLake(t)
	l.ingest("azure", azureTrace(t), "--max-rows", "10")
	return l
}

// What cannot be done is said in words that help.
func TestErrors(t *testing.T) {
	l := small(t)
	for _, c := range []struct {
		command []string
		words   []string
	}{
		{[]string{"report", "latencies"}, []string{`"latencies"`, "there are", "latency"}},
		{[]string{"report", "latency", "--by", "colour"}, []string{`by cannot be "colour"`, "choose one of all, model"}},
		{[]string{"report", "latency", "--set", "basis=hope"}, []string{`basis cannot be "hope"`, "facts, windows"}},
		{[]string{"report", "latency", "--from", "yesterday"}, []string{`from cannot be "yesterday"`, "2026-01-31T12:00:00Z"}},
		{[]string{"report", "latency", "--set", "colour=red"}, []string{"latency has no parameter colour"}},
		{[]string{"report", "latency", "--sort=-colour"}, []string{`cannot sort by "colour"`, "the columns are group, measure"}},
		{[]string{"report", "latency", "--top=-1"}, []string{"--top cannot be -1"}},
		{[]string{"report", "latency", "--top", "1", "--format", "parquet"}, []string{"do not go with parquet"}},
		{[]string{"report", "all", "--sort", "n"}, []string{"--sort and --top go with one report"}},
		{[]string{"report", "all", "--format", "csv"}, []string{"cannot be written as csv", "html"}},
		{[]string{"report", "all", "--set", "colour=red"}, []string{"no report has the parameter colour"}},
		{[]string{"report", "latency", "--format", "xml"}, []string{"--format", `"xml"`, `"csv"`}},
		{[]string{"produce", "replay", "azure", "nothing.csv"}, []string{"nothing.csv", "no such file"}},
		{[]string{"produce", "replay", "abacus", "nothing.csv"}, []string{`"abacus"`, `"mooncake"`}},
		{[]string{"sql", "SELECT nothing FROM v1.requests"}, []string{`"nothing" not found`}},
		{[]string{"sql", "SELECT * FROM v1.reqests"}, []string{"reqests does not exist", "requests"}},
		{[]string{"sql", ""}, []string{"there is no query"}},
	} {
		l.fails(c.command, c.words...)
	}
}

// Without a data directory the commands say what to do, and make none.
func TestNoData(t *testing.T) {
	l := newLake(t)
	for _, command := range [][]string{{"report", "latency"}, {"sql", "SELECT 1"}, {"verify"}} {
		l.fails(command, "there is no data in "+l.data, "--data")
	}
	l.contains(l.run("report", "list"), "latency", "overview")
}

// What is not one question does not reach the warehouse, which answers afterwards as before.
func TestSQLGate(t *testing.T) {
	l := small(t)
	c := l.serve()
	for _, query := range []string{
		"SELECT 1; SELECT 2",
		"DROP VIEW v1.requests",
		"DELETE FROM main.requests",
		"CREATE TABLE mine AS SELECT 1",
		"SET threads = 4",
		"ATTACH ':memory:' AS other",
		"COPY (SELECT 1) TO 'x.csv'",
		"CALL enable_logging('QueryLog')",
		"SELECT 1) UNION ALL (SELECT 2",
		"SELECT * FROM read_text('/etc/hostname')",
		"SELECT * FROM glob('/*')",
	} {
		l.fails([]string{"sql", query})
	}
	// Prepares as a SELECT, and breaks the process that answers it.
	l.try("sql", "SELECT * FROM enable_logging('QueryLog', storage = 'file', storage_path = '"+t.TempDir()+"')")
	if status, _ := c.ask(http.MethodGet, "/healthz"); status != http.StatusOK {
		t.Errorf("/healthz: %d", status)
	}
	l.says(`SELECT count(*) FROM v1.requests`, "10")
	c.stop()
}

// A question that wants too much ends by itself, soon, and with a word why.
func TestSQLLimits(t *testing.T) {
	l := small(t)
	for query, words := range map[string]string{
		"SELECT length(repeat('x', 4000000000))":                            "",
		"SELECT length(repeat('x', 2000000000))":                            "",
		"SELECT count(*) FROM range(100000000000)":                          "the query was ended after 2s",
		"SELECT repeat('x', 4000000) FROM range(100000)":                    "",
		"SELECT length(list_transform(range(1000000000), lambda x: x + 1))": "",
	} {
		begun := time.Now()
		text := l.fails([]string{"sql", "--timeout", "2s", query}, words)
		t.Logf("%s: %.1f s, %s", query, time.Since(begun).Seconds(), text)
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("%s took %s", query, took)
		}
		if strings.Contains(text, "goroutine") || strings.Contains(text, l.data) || len(text) > 2000 {
			t.Errorf("%s: %s", query, text)
		}
	}
}
