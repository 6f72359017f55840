package warehouse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inferlake/inferlake/warehouse"
)

// What lay in a quarter that had not ended is attributed once it has, also on an instance that never said anything of itself; and what
// was attributed stays as it is where nothing is new.
func TestWhatIsOpenIsAttributedLater(t *testing.T) {
	db := openViews(t)
	for _, name := range []string{"known", "silent"} {
		for i, at := range []string{"10:01:00", "10:16:00"} {
			insertRow(t, db, "requests", map[string]string{"topic": "t", "partition": "0", "lineage": "1", "offset": fmt.Sprint(10*len(name) + i), "idx": "0",
				"instance": name, "role": "engine", "outcome": "ok", "scheduled_at": "@" + at, "first_token_at": "@" + at + ".5",
				"last_token_at": "@" + at + ".9", "finished_at": "@" + at + ".9", "prompt_tokens": "100", "output_tokens": "10", "commit": "1"})
		}
	}
	insertRow(t, db, "instance_events", map[string]string{"instance": "known", "boot": "b", "at": "@10:00:00", "state": "ready", "role": "engine",
		"gpu_count": "1", "gpu_type": "h100", "commit": "1"})
	insertRow(t, db, "progress", map[string]string{"topic": "t", "partition": "0", "complete_through": "0", "settled_through": "0"})
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, step := range []struct{ through, want string }{
		{"10:20:00", "known 10:00 900000000, silent 10:00 900000000"},
		{"10:40:00", "known 10:00 900000000, known 10:15 900000000, silent 10:00 900000000, silent 10:15 900000000"},
		{"10:41:00", "known 10:00 900000000, known 10:15 900000000, silent 10:00 900000000, silent 10:15 900000000"},
	} {
		_, err := conn.ExecContext(t.Context(), "UPDATE progress SET complete_through = epoch_ns(TIMESTAMP '2026-01-01 "+step.through+"')")
		if err != nil {
			t.Fatal(err)
		}
		if err := warehouse.AttributeOn(t.Context(), conn, 1, false); err != nil {
			t.Fatal(err)
		}
		var got string
		err = conn.QueryRowContext(t.Context(), "SELECT string_agg(concat_ws(' ', instance, strftime(quarter, '%H:%M'), busy_ns), ', ' ORDER BY instance, quarter) FROM v1.allocations WHERE busy_ns > 0").Scan(&got)
		if err != nil || strings.TrimSpace(got) != step.want {
			t.Errorf("through %s: %s, want %s, %v", step.through, got, step.want, err)
		}
	}
}

// A quarter keeps the fit that it was first attributed by: a late request there is divided by it too, also when newer ones are known.
func TestAQuarterKeepsItsFit(t *testing.T) {
	db := openViews(t)
	request := func(offset, at string, commit int) {
		insertRow(t, db, "requests", map[string]string{"topic": "t", "partition": "0", "lineage": "1", "offset": offset, "idx": "0",
			"instance": "i", "role": "engine", "outcome": "ok", "model": "m", "scheduled_at": "@" + at, "first_token_at": "@" + at + ".1",
			"last_token_at": "@" + at + ".9", "finished_at": "@" + at + ".9", "prompt_tokens": "100", "output_tokens": "10", "commit": fmt.Sprint(commit)})
	}
	fit := func(number string) {
		insertRow(t, db, "fits", map[string]string{"fit": number, "source": "steps", "model": "m", "gpu_type": "h100", "pass_fs": "10000000000000",
			"prompt_token_fs": number + "0000000000", "prompt_context_fs": "0", "decode_sequence_fs": "1000000000000", "kv_token_fs": "0", "commit": "1"})
	}
	request("1", "10:01:00", 1)
	fit("1")
	insertRow(t, db, "instance_events", map[string]string{"instance": "i", "boot": "b", "at": "@10:00:00", "state": "ready", "role": "engine",
		"model": "m", "gpu_count": "1", "gpu_type": "h100", "commit": "1"})
	insertRow(t, db, "progress", map[string]string{"topic": "t", "partition": "0", "complete_through": "0", "settled_through": "0"})
	attribute := func(through string, until int64) (fits string) {
		t.Helper()
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.ExecContext(t.Context(), "UPDATE progress SET complete_through = epoch_ns(TIMESTAMP '2026-01-01 "+through+"')"); err != nil {
			t.Fatal(err)
		}
		if err := warehouse.AttributeOn(t.Context(), conn, until, false); err != nil {
			t.Fatal(err)
		}
		query := "SELECT string_agg(concat_ws(' ', strftime(quarter, '%H:%M'), fit, busy_ns), ', ' ORDER BY quarter) FROM v1.allocations WHERE busy_ns > 0"
		if err := conn.QueryRowContext(t.Context(), query).Scan(&fits); err != nil {
			t.Fatal(err)
		}
		return fits
	}
	if got, want := attribute("10:16:00", 1), "10:00 1 900000000"; got != want {
		t.Errorf("at first: %s, want %s", got, want)
	}
	fit("2")
	request("2", "10:02:00", 2)
	request("3", "10:17:00", 2)
	if got, want := attribute("10:31:00", 2), "10:00 1 1800000000, 10:15 2 900000000"; got != want {
		t.Errorf("after a newer fit and a late request: %s, want %s", got, want)
	}
}
