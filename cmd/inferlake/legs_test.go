//go:build !race

package main

import "testing"

// A report says up to when it is complete, where its file names a horizon.
func TestReportsSayTheirHorizon(t *testing.T) {
	l := small(t)
	l.contains(l.run("report", "overview"), "\ncomplete through 20", " UTC; provisional after")
	l.contains(l.run("report", "latency", "--format", "json"), `"complete_through":"20`)
}

// The role that counts as a deployment's requests is chosen at a start, and kept.
func TestCountingLeg(t *testing.T) {
	l := small(t)
	chosen := `SELECT * FROM counting_legs ORDER BY ALL`
	l.run("serve", "--once", "--counting-leg", "chat=engine;code=decode")
	l.run("serve", "--once")
	l.says(chosen, "chat engine\ncode decode")
	l.run("serve", "--once", "--counting-leg", "code=default")
	l.says(chosen, "chat engine")
	l.fails([]string{"serve", "--once", "--counting-leg", "chat=queue"}, "--counting-leg of chat", `"queue"`, "gateway", "default")
}
