package warehouse

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
)

// Cases C14 and S09: the lock is our own, and who holds it is said.
func TestSecondOpenNamesTheOwner(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	_, err := Open(context.Background(), dir, Options{})
	if err == nil || !strings.Contains(err.Error(), "process "+strconv.Itoa(os.Getpid())) {
		t.Errorf("the second open: %v", err)
	}
}

func TestOpenAgainAfterClose(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir)
	first.Close()
	if _, err := os.Stat(first.path + ".wal"); err == nil {
		t.Error("the log was left beside the database file")
	}
	expect(t, open(t, dir), 5, "SELECT count(*) FROM meta")
}

// A start creates the views again only where another program's are there.
func TestTheCodeIsThisPrograms(t *testing.T) {
	dir := t.TempDir()
	alter := func(statements ...string) *Warehouse {
		w := open(t, dir)
		for _, s := range statements {
			if _, err := w.db.ExecContext(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
		w.Close()
		return open(t, dir)
	}
	const other = "CREATE OR REPLACE VIEW v1.retention AS SELECT 'another' AS program"
	same := alter(other)
	expect(t, same, 1, "SELECT count(*) FROM v1.retention WHERE program = 'another'")
	same.Close()
	mended := alter(other, "UPDATE meta SET value = 'another' WHERE key = 'code'")
	expect(t, mended, 0, "SELECT count(*) FROM duckdb_columns() WHERE schema_name = 'v1' AND table_name = 'retention' AND column_name = 'program'")
}

func TestFilesAreTheOwnersOnly(t *testing.T) {
	dir := t.TempDir()
	w := open(t, filepath.Join(dir, "data"))
	for path, want := range map[string]os.FileMode{w.path: 0o600, filepath.Join(dir, "data"): 0o700, string(w.states): 0o700, filepath.Join(dir, "data", "warehouse.lock"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %o", path, info.Mode().Perm(), err, want)
		}
	}
}

// The path is one text in SQL, whatever is in it but a question mark, which DuckDB takes for the end of a file's name.
func TestFoldersOfAnyName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "what's (threads=1) & in; it")
	open(t, dir).Close()
	if _, err := os.Stat(filepath.Join(dir, "inferlake.duckdb")); err != nil {
		t.Error(err)
	}
	expect(t, open(t, dir), 0, "SELECT count(*) FROM requests")
	if _, err := Open(t.Context(), dir+"?", Options{}); err == nil || !strings.Contains(err.Error(), "question mark") {
		t.Errorf("a question mark: %v", err)
	}
}

// A checkpoint writes the last row group anew, so row groups are small, also in a file of another layout.
func TestRowGroupsAreSmall(t *testing.T) {
	const version = "SELECT tags['storage_version'] = $1 FROM duckdb_databases() WHERE database_name = current_database()"
	older := t.TempDir()
	writeReleased(t, filepath.Join(older, "inferlake.duckdb"))
	for dir, layout := range map[string]string{t.TempDir(): "v1.5.0+", older: "v1.0.0+"} {
		mem, w := allocator(t), open(t, dir)
		var is bool
		if err := w.db.QueryRow(version, layout).Scan(&is); err != nil || !is {
			t.Errorf("the layout is not %s: %v", layout, err)
		}
		commit(t, w, batchOf(mem, acquire(t, w, lane1), lane1, 0, 40_000), stream.Applied)
		if _, err := w.db.Exec("CHECKPOINT"); err != nil {
			t.Fatal(err)
		}
		expect(t, w, 16_384, `SELECT max(count) FROM pragma_storage_info('requests')`)
	}
}

// The schema and the table of columns are two; this holds them together.
func TestSchemaHasTheFoldsTables(t *testing.T) {
	w := open(t, t.TempDir())
	for _, table := range aggregate.Tables {
		var want, got []string
		for _, c := range table.Columns {
			want = append(want, c.Name+" "+c.Type.SQL)
		}
		err := each(t.Context(), w.db, "SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = current_database() AND schema_name = 'main' AND table_name = $1 ORDER BY column_index",
			[]any{table.Name}, func(scan scanner) error {
				var name, kind string
				err := scan(&name, &kind)
				got = append(got, name+" "+kind)
				return err
			})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, "commit BIGINT")
		if table.HasPlace() {
			want = append(want, "lineage BIGINT")
		}
		slices.Sort(want) // a column that a migration adds stands last in the database
		slices.Sort(got)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("table %s is\n%v, want\n%v", table.Name, got, want)
		}
	}
}

// Case C15: the writer never disables the file system that its own database lies on.
func TestSettings(t *testing.T) {
	w := open(t, t.TempDir())
	for setting, want := range map[string]string{
		"TimeZone": "UTC", "disabled_filesystems": "", "autoinstall_known_extensions": "false", "threads": "2", "wal_autocheckpoint": "38.1 MiB",
	} {
		var got string
		if err := w.db.QueryRow("SELECT value FROM duckdb_settings() WHERE name = $1", setting).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, want %q: %v", setting, got, want, err)
		}
	}
}

// Case C05: what no unique index guards, the start checks: a row twice is seen.
func TestBrokenRowsAreRefusedAtStart(t *testing.T) {
	for damage, complaint := range map[string]string{
		"INSERT INTO requests FROM requests LIMIT 1":       "is there 2 times",
		"UPDATE progress SET replay_offset = 100":          "the position of inferlake.requests/0 is broken",
		"INSERT INTO progress FROM progress":               "the position of inferlake.requests/0 is broken",
		"INSERT INTO migrations VALUES (99, 'next', NULL)": "use the newer program",
	} {
		mem, dir := allocator(t), t.TempDir()
		w := open(t, dir)
		commit(t, w, batchOf(mem, acquire(t, w, lane0), lane0, 0, 10), 1)
		if _, err := w.db.Exec(damage); err != nil {
			t.Fatal(err)
		}
		w.Close()
		if _, err := Open(context.Background(), dir, Options{}); err == nil || !strings.Contains(err.Error(), complaint) {
			t.Errorf("after %q: %v", damage, err)
		}
	}
}
