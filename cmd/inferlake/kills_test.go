package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferlake/inferlake/cmd/inferlake/proof"
	"github.com/inferlake/inferlake/stream/fault"
)

// anywhere is a kill from outside at a random moment.
const anywhere = "anywhere"

// latest is at which passage of a point the process dies at the latest; some pass at every record, some a few times a
// minute.
var latest = map[string]int{fault.AfterRead: 300, fault.MidBatch: 400, fault.BeforeCommit: 60, fault.InTransaction: 20,
	fault.AfterCommit: 20, fault.InSnapshotFile: 20, fault.AfterSnapshotFile: 20, fault.InRollup: 18, fault.InCompaction: 24, fault.InReaderCopy: 1}

// times is how often each point is visited.
func times(t *testing.T) int {
	if kills(t) < 2*crashKills {
		return 1
	}
	return crashOften
}

// killMigrating kills the first starts in a migration, before there is any load.
func killMigrating(t *testing.T, serve *victim) {
	for n := range times(t) {
		passage := 1
		if n == 1 {
			passage = 2 // the first migration is done then; all others die in the second
		}
		serve.startAt(fmt.Sprint(fault.InMigration, ":", passage))
		select {
		case err := <-serve.exited:
			serve.died(err)
		case <-time.After(time.Minute):
			t.Fatalf("%s was not passed\n%s", fault.InMigration, serve.said)
		}
	}
	t.Logf("%d kills in a migration, with nothing open: these are first starts", times(t))
}

// kills to come, in random order: each point as often as asked for, the rest anywhere.
func killPlan(t *testing.T, rng *rand.Rand) (plan []string) {
	for point := range latest {
		for range times(t) {
			plan = append(plan, point)
		}
	}
	for len(plan) < kills(t) {
		plan = append(plan, anywhere)
	}
	slices.Sort(plan)
	rng.Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })
	return plan
}

// moment is what was so when the process died.
type moment struct {
	open         int64
	transactions int
	proof.Conditions
}

func (m moment) String() string {
	return fmt.Sprintf("%d requests open, %v, %d transactions", m.open, m.Conditions, m.transactions)
}

// killAll lets serve die again and again under load with enough requests open: at the fault points, at random moments,
// and now and then while it starts.
func killAll(t *testing.T, serve *victim, load *crashLoad) {
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	visits, early := map[string]int{}, 0
	var moments []moment
	serve.awaitOpen(crashOpen, 0)
	serve.kill()
	for n, point := range killPlan(t, rng) {
		if n%5 == 4 { // one more, whatever it is doing
			serve.start()
			time.Sleep(time.Duration(rng.IntN(1500)) * time.Millisecond)
			serve.kill()
			early++
		}
		begun := time.Now()
		m := killAt(serve, load, point, rng)
		t.Logf("kill %d, %s after %.1f s: %v", n+1, point, time.Since(begun).Seconds(), m)
		visits[point]++
		moments = append(moments, m)
	}
	serve.start()
	t.Logf("%d kills %v, and %d kills of a process that had just begun", len(moments), visits, early)
	judgeMoments(t, moments, load.transactions)
}

// killAt starts serve and lets it die with enough requests open.
func killAt(serve *victim, load *crashLoad, point string, rng *rand.Rand) (m moment) {
	if point == anywhere {
		serve.start()
		m.open = serve.awaitOpen(crashOpen, time.Duration(rng.IntN(2000))*time.Millisecond)
		m.Conditions, m.transactions = load.conditions()
		serve.kill()
		return m
	}
	at := fmt.Sprint(point, ":", 1+rng.IntN(latest[point]))
	serve.startAt(at)
	m = serve.watchDying(load, point)
	for m.open < crashOpen { // it died before that: now it counts from there
		os.Remove(serve.enough())
		serve.startAt(at + ":" + serve.enough())
		m = serve.watchDying(load, point)
	}
	return m
}

// watchDying waits until the process dies by itself, and returns what was so just before.
func (v *victim) watchDying(load *crashLoad, point string) (m moment) {
	v.t.Helper()
	limit, asked := time.After(3*time.Minute), false
	for {
		select {
		case err := <-v.exited:
			v.died(err)
			return m
		case <-limit:
			v.t.Fatalf("%s was not passed\n%s", point, v.said)
		case <-time.After(50 * time.Millisecond):
		}
		if open, _ := v.metric("inferlake_open_requests", ""); open > 0 {
			m.open = open
			m.Conditions, m.transactions = load.conditions()
		}
		if m.open >= crashOpen {
			v.tell(v.enough())
		}
		if point == fault.InReaderCopy && m.open >= crashOpen && !asked {
			asked = true
			go ask[snapshotTaken](v.t.Context(), v.server(), "snapshot", none{})
		}
	}
}

// judgeMoments says how hard the kills were, and asks for it when there were many.
func judgeMoments(t *testing.T, moments []moment, transactions bool) {
	held := map[string]int{}
	least := int64(1 << 62)
	for _, m := range moments {
		least = min(least, m.open)
		for name, holds := range map[string]bool{
			"three series mid-interval": m.MidInterval >= 3, "names beyond their cap": m.Names > crashNames, "a repeat older than the closed memory": m.Old > 0,
			"a quiet partition": m.Quiet > 0, "an expiry due": m.Expiries > 0, "a revision pending": m.Revisions > 0, "a commit marker": m.transactions > 0,
		} {
			if holds {
				held[name]++
			} else {
				held[name] += 0
			}
		}
	}
	var lines []string
	for name, n := range held {
		lines = append(lines, fmt.Sprintf("%d with %s", n, name))
		if len(moments) >= 100 && n < 20 && (transactions || name != "a commit marker") {
			t.Errorf("only %d of %d kills with %s", n, len(moments), name)
		}
	}
	slices.Sort(lines)
	t.Logf("of %d kills with at least %d requests open: %s", len(moments), least, strings.Join(lines, ", "))
}
