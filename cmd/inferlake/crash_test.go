package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/cmd/inferlake/proof"
)

const (
	crashOpen   = 1000 // requests that must be open at each kill
	crashKills  = 30   // INFERLAKE_KILLS=N asks for another number
	crashSpeed  = 5    // seconds of the load's time in a second
	crashIdle   = 15 * time.Second
	crashExpiry = 2 * time.Minute
	crashMemory = time.Minute
	crashNames  = 8 // names a dimension of windows admits
	crashOften  = 5 // times that each fault point is visited when many kills are asked for
)

// The full process is killed by signal 9 at random moments under load. What its warehouse says in the end is what an
// undisturbed fold of the same log under the same ledger says, and what the oracle computes from the load's ledger.
// Cases M32, M33, M35: positions are stored with the rows, and the client commits none by itself.
func TestKilledUnderLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	python := proof.Python(t)
	dir := t.TempDir()
	serve := newVictim(t, filepath.Join(dir, "data"))
	killMigrating(t, serve)
	serve.start()
	load := startLoad(t, filepath.Join(dir, "ledger.jsonl"), serve.broker, serve.apart)
	killAll(t, serve, load)
	t.Log(load.finish())
	t.Log(load.marked)
	answer := askOracle(t.Context(), python, load) // meanwhile
	serve.settle()
	killSettled(serve)
	serve.stop()
	serve.leftNothing()

	crashed := openHouse(t, serve.data)
	again := refold(t, crashed, serve, filepath.Join(dir, "again"))
	compareViews(t, crashed, again)
	compareOracle(t, crashed, answer(t))
	crashed.close()
	serve.verify()
}

// askOracle begins to compute the answer and returns how to wait for it.
func askOracle(ctx context.Context, python string, load *crashLoad) func(*testing.T) proof.Rows {
	type answer struct {
		rows proof.Rows
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		log := load.ledger + ".log"
		if err := writeLog(ctx, []string{load.broker}, log); err != nil {
			done <- answer{err: err}
			return
		}
		rows, err := proof.Answer(ctx, python, load.ledger, "log="+log, fmt.Sprint("expiry=", crashExpiry.Seconds()), fmt.Sprint("closed=", crashMemory.Seconds()))
		done <- answer{rows, err}
	}()
	return func(t *testing.T) proof.Rows {
		a := <-done
		if a.err != nil {
			t.Fatal(a.err)
		}
		return a.rows
	}
}

// kills is how many kills are asked for.
func kills(t *testing.T) int {
	n := crashKills
	if more := os.Getenv("INFERLAKE_KILLS"); more != "" {
		var err error
		if n, err = strconv.Atoi(more); err != nil {
			t.Fatal("INFERLAKE_KILLS: ", err)
		}
	}
	return n
}

// killSettled kills serve when everything is written: the ticks that did it must hold.
func killSettled(serve *victim) {
	for range 2 {
		serve.kill()
		serve.start()
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
	}
}

func crashRules() aggregate.Rules {
	return aggregate.Rules{Expiry: crashExpiry, ClosedMemory: crashMemory, MaxNames: crashNames}
}
