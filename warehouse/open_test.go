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
		"TimeZone": "UTC", "disabled_filesystems": "", "autoinstall_known_extensions": "false", "threads": "2", "wal_autocheckpoint": "244.1 MiB",
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
