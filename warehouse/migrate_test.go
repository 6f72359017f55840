package warehouse

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"path/filepath"
	"testing"

	"github.com/duckdb/duckdb-go/v2"

	text "github.com/inferlake/inferlake/sql"
)

// releasedSchema is the hash of the migrations that were released: they ran on other people's machines and never change.
var releasedSchema = map[string]string{
	"0001_tables":    "31c2c7b099654b52e96e9e8b1349d04bf7cce7949128ca3e2423dff5cdb425f9",
	"0002_warehouse": "ae1bceada24a67205473ccf1997d3590030542d9d0d02ce870e358c057425d64",
}

// A warehouse of the released schema, with rows, is brought up to date and shows what it showed.
func TestReleasedSchemaIsMigrated(t *testing.T) {
	dir := t.TempDir()
	writeReleased(t, filepath.Join(dir, "inferlake.duckdb"))
	w := open(t, dir)
	expect(t, w, int64(len(text.Folder("schema"))), "SELECT max(number) FROM migrations")
	expect(t, w, 2, "SELECT count(*) FROM v1.requests")
	// What is written is not recent: the windows hold the first request, the other ended after them.
	expect(t, w, 1, "SELECT sum(finished)::BIGINT FROM v1.recent_request_windows WHERE level_seconds = 10")
	expect(t, w, 2, "SELECT sum(finished)::BIGINT FROM "+both+" WHERE level_seconds = 10")
	r, err := w.QueryAt(context.Background(), "november", "SELECT sum(finished) FROM "+both+" WHERE level_seconds = 10", nil)
	if err != nil || len(r.Rows) != 1 || r.Rows[0][0] != int64(1) {
		t.Errorf("as of the seal there are %v requests, %v; want 1", r.Rows, err)
	}
	r, err = w.QueryAt(context.Background(), "november", "SELECT counting_role FROM v1.legs", nil)
	if err != nil || len(r.Rows) != 1 || r.Rows[0][0] != "engine" {
		t.Errorf("as of the seal the legs are %v, %v", r.Rows, err)
	}
	for _, c := range verify(t, w).Checks {
		if c.Error != "" {
			t.Errorf("%s: %s", c.Name, c.Error)
		}
	}
}

// writeReleased makes a database as the released program left it.
func writeReleased(t *testing.T, path string) {
	t.Helper()
	connector, err := duckdb.NewConnector(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	run := func(statement string, args ...any) {
		t.Helper()
		if _, err := conn.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatal(statement, err)
		}
	}
	run(text.Statement("create_migrations"))
	for number, m := range text.Folder("schema") {
		want, released := releasedSchema[m.Name]
		if !released {
			break
		}
		if sum := sha256.Sum256([]byte(m.SQL)); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s was released and has changed: write a new migration", m.Name)
		}
		run(m.SQL)
		run(text.Statement("insert_migration"), number+1, m.Name, 0)
	}
	run(`INSERT INTO progress (topic, partition, next_offset, replay_offset, generation, commit) VALUES ('inferlake.requests', 0, 2, 0, 1, 2)`)
	run(`INSERT INTO commits VALUES (1, now()::TIMESTAMP, 1, 1), (2, now()::TIMESTAMP, 1, 1)`)
	run(`INSERT INTO requests BY NAME SELECT 'inferlake.requests' AS topic, 0 AS partition, n AS "offset", 0 AS idx, 'engine' AS role, 'llama' AS model, 'ok' AS outcome,
		TIMESTAMP_NS '2025-11-01 00:00:05' + to_minutes(n) AS finished_at, n + 1 AS commit FROM range(2) r(n)`)
	run(`INSERT INTO request_windows (window_start, level, role, model, finished, ok, commit) VALUES (TIMESTAMP_NS '2025-11-01', 10, 'engine', 'llama', 1, 1, 1)`)
	run(`INSERT INTO producer_coverage (topic, partition, producer, boot, lane, first_seq, last_seq, received, gaps, commit) VALUES ('inferlake.requests', 0, 'p', 'b', 0, 0, 9, 10, 0, 1)`)
	run(`INSERT INTO seals VALUES ('november', TIMESTAMP '2025-11-01', TIMESTAMP '2025-12-01', 'x', now()::TIMESTAMP, 1)`)
	run(`INSERT INTO sealed_progress SELECT 'november', * FROM progress`)
}
