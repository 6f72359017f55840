package warehouse

import (
	"context"
	"database/sql"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/inferlake/inferlake/stream"
)

func TestQueryBindsByNameAndReturnsPlainValues(t *testing.T) {
	w := open(t, t.TempDir())
	got, err := w.Query(context.Background(), `SELECT $n::BIGINT + 1 AS n, -0.05::DECIMAL(38, 12) AS price, sum(9223372036854775807) + 1 AS huge,
		[1::SMALLINT, NULL] AS list, TIMESTAMP_NS '2024-03-10 01:02:03.123456789' AS at, $text AS text`,
		map[string]any{"n": 41, "text": "a; DROP TABLE requests", "unused": 1})
	if err != nil {
		t.Fatal(err)
	}
	huge, _ := new(big.Int).SetString("9223372036854775808", 10)
	want := []any{int64(42), json.Number("-0.050000000000"), huge, []any{int64(1), nil},
		time.Date(2024, 3, 10, 1, 2, 3, 123456789, time.UTC), "a; DROP TABLE requests"}
	if len(got.Rows) != 1 || !reflect.DeepEqual(got.Rows[0], want) {
		t.Errorf("got %v, want %v", got.Rows, want)
	}
	if c := got.Columns[1]; c.Name != "price" || c.Type != "DECIMAL(38,12)" {
		t.Errorf("the second column is %+v", c)
	}
}

func TestQueryOnlyReads(t *testing.T) {
	w := open(t, t.TempDir())
	if _, err := w.Query(context.Background(), "INSERT INTO meta VALUES ('a', 'b')", nil); err == nil {
		t.Error("a query wrote")
	}
}

func TestSnapshotIsACopyWithViews(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	for _, s := range []string{"CREATE MACRO copied_seconds(ns) AS ns / 1e9",
		"CREATE VIEW v1.copied AS SELECT request_id, copied_seconds(ttft_ns) AS ttft_seconds FROM main.requests",
		"CREATE VIEW v1.a AS SELECT * FROM v1.copied"} {
		if _, err := w.db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, w, batchOf(mem, acquire(t, w, lane0), lane0, 0, 10), stream.Applied)
	path := filepath.Join(t.TempDir(), "copy's.duckdb")
	for range 2 {
		if err := w.Snapshot(context.Background(), path); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy's file: %v, %v", info, err)
	}
	connector, err := duckdb.NewConnector(path+"?access_mode=READ_ONLY", nil)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	var n int
	if err := db.QueryRow("SELECT count(ttft_seconds) FROM v1.a").Scan(&n); err != nil || n != 10 {
		t.Errorf("the copy holds %d requests: %v", n, err)
	}
	everyViewAnswers(t, db)
	if err := w.Snapshot(context.Background(), w.path); err == nil {
		t.Error("the warehouse was overwritten by a copy of itself")
	}
}

func everyViewAnswers(t *testing.T, db *sql.DB) {
	t.Helper()
	var views []string
	err := each(t.Context(), db, "SELECT schema_name || '.' || view_name FROM duckdb_views() WHERE NOT internal", nil, func(scan scanner) error {
		var view string
		err := scan(&view)
		views = append(views, view)
		return err
	})
	for _, view := range views {
		if err == nil {
			_, err = db.Exec("SELECT count(*) FROM " + view)
		}
		if err != nil {
			t.Fatal(view, err)
		}
	}
}

func TestTablesSayTheirSizes(t *testing.T) {
	mem, w := allocator(t), open(t, t.TempDir())
	commit(t, w, batchOf(mem, acquire(t, w, lane0), lane0, 0, 10), stream.Applied)
	tables, err := w.Tables(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		if table.Name == "requests" && table.Rows == 10 {
			return
		}
	}
	t.Errorf("requests is not among %+v", tables)
}
