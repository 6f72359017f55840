package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inferlake/inferlake/cmd/inferlake/proof"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
	"github.com/inferlake/inferlake/warehouse"
)

// openedHouse is a warehouse of the test's own.
type openedHouse struct {
	*warehouse.Warehouse
	t *testing.T
}

func openHouse(t *testing.T, dir string) openedHouse {
	w, err := warehouse.Open(t.Context(), dir, warehouse.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return openedHouse{w, t}
}

func (h openedHouse) close() {
	if err := h.Close(); err != nil {
		h.t.Fatal(err)
	}
}

// rows are the query's rows, each as one text.
func (h openedHouse) rows(query string) (rows []string) {
	result, err := h.Query(h.t.Context(), query, nil)
	if err != nil {
		h.t.Fatalf("%v\n%s", err, query)
	}
	for _, row := range result.Rows {
		texts := make([]string, len(row))
		for i, cell := range row {
			texts[i] = fmt.Sprint(cell)
		}
		rows = append(rows, strings.Join(texts, "\t"))
	}
	return rows
}

// refold folds the log again under the ledger of a warehouse, into a fresh one.
func refold(t *testing.T, of openedHouse, serve *victim, into string) openedHouse {
	ledger, err := of.Ledger(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Log(ledgerSize(ledger))
	onlyLastTicks(t, ledger)
	brokers := []string{serve.broker}
	if !serve.apart {
		broker, err := embedded.Start(folder(serve.data).broker(), embedded.Options{Retention: 20 * 365 * 24 * 3600e9})
		if err != nil {
			t.Fatal(err)
		}
		defer broker.Close()
		brokers = broker.Addrs()
	}
	fresh := openHouse(t, into)
	p := &pipeline{house: fresh.Warehouse, kafka: kafka.Config{Brokers: brokers}, rules: crashRules()}
	if err := p.refold(t.Context(), ledger); err != nil {
		t.Fatal(err)
	}
	return fresh
}

func ledgerSize(leases map[stream.TopicPartition]stream.Lease) string {
	var ticks, ahead, dead, gaps int
	for _, l := range leases {
		ticks, ahead, dead, gaps = ticks+len(l.Ledger.Ticks), ahead+len(l.Ledger.Ahead), dead+len(l.Ledger.Dead), gaps+len(l.Ledger.Gaps)
	}
	return fmt.Sprintf("the ledger of %d partitions: %d ticks, %d clock exceptions, %d dead letters, %d gaps", len(leases), ticks, ahead, dead, gaps)
}

// onlyLastTicks asks that no tick moved a partition's time before the load's end. Such a tick takes the time from this
// machine, years after the load's: all that is open would expire, and the oracle knows of no tick but the last. Ticks that
// only say that the end was reached change nothing, and may stand anywhere.
func onlyLastTicks(t *testing.T, leases map[stream.TopicPartition]stream.Lease) {
	for tp, lease := range leases {
		for _, tick := range lease.Ledger.Ticks {
			if tick.At != 0 && tick.Offset != lease.Next {
				t.Fatalf("%s/%d ticked at offset %d of %d: it was silent for %v under load, this machine is too busy for the test",
					tp.Topic, tp.Partition, tick.Offset, lease.Next, crashIdle)
			}
		}
	}
}

// bookkeeping are the columns that say when and in which pieces rows were written, not what they say.
var bookkeeping = []string{"commit", "replay_offset"}

// compareViews holds every v1 view of two warehouses to each other, as sorted rows, but those of stored deltas: how
// they are cut is bookkeeping, and roll-ups and compaction cut them anew.
func compareViews(t *testing.T, have, want openedHouse) {
	for _, h := range []openedHouse{have, want} {
		h.attributeAnew()
	}
	total := 0
	for _, view := range have.rows(`SELECT view_name FROM duckdb_views() WHERE schema_name = 'v1' AND view_name NOT LIKE '%\_deltas' ESCAPE '\' ORDER BY 1`) {
		query := viewQuery(have, view)
		a, b := proof.Rows{view: have.rows(query)}, proof.Rows{view: want.rows(query)}
		for _, d := range proof.Compare(a, b, 3) {
			t.Error("refold: ", d)
		}
		t.Logf("v1.%s: %d rows", view, len(a[view]))
		total += len(a[view])
	}
	t.Logf("%d rows of the v1 views compared with a refold", total)
}

// attributeAnew forgets fits and attribution, whose fits depend on when they were made, and makes them of what is there.
func (h openedHouse) attributeAnew() {
	h.t.Helper()
	for _, statement := range []string{"forget_fits", "forget_attribution", "forget_allocations"} {
		if err := h.Put(h.t.Context(), statement); err != nil {
			h.t.Fatal(err)
		}
	}
	if err := attribute(h.t.Context(), h.Warehouse, true); err != nil {
		h.t.Fatal(err)
	}
}

func viewQuery(h openedHouse, view string) string {
	var columns []string
	for _, c := range h.rows("SELECT column_name FROM duckdb_columns() WHERE schema_name = 'v1' AND table_name = '" + view + "' ORDER BY column_index") {
		if !slices.Contains(bookkeeping, c) {
			columns = append(columns, `"`+c+`"`)
		}
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM v1." + view
}

// compareOracle holds the v1 views to the oracle's answer.
func compareOracle(t *testing.T, h openedHouse, want proof.Rows) {
	have := proof.Rows{}
	for table, query := range oracleQueries() {
		have[table] = h.rows(query)
	}
	overClasses(t, have)
	overClasses(t, want)
	for _, d := range proof.Compare(have, want, 3) {
		t.Error("oracle: ", d)
	}
	total := 0
	for _, rows := range want {
		total += len(rows)
	}
	t.Logf("%d rows compared with the oracle", total)
}
