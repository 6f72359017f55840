package warehouse

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/gofrs/flock"

	text "github.com/inferlake/inferlake/sql"
)

// Options say how to open a warehouse. The zero value works.
type Options struct {
	Threads     int          // of DuckDB; 0: one a core
	MemoryLimit string       // of DuckDB, like "4GB"; "": 80 % of the machine
	Log         *slog.Logger // what an operator should know; nil: nothing is said

	viewRows   int64 // least rows that are loaded through an Arrow view, not appended; 0: 1024
	summedRows int64 // deltas of a table that are rolled up or compacted at once, about; 0: two million
}

// Warehouse is an open warehouse. Its methods are safe for concurrent use.
type Warehouse struct {
	lock   *flock.Flock
	db     *sql.DB
	path   string // of the database file; see the package comment before using it
	states stateFolder
	writer *writer
	log    *slog.Logger

	copying     sync.Mutex // held while a copy is written
	attributing sync.Mutex // held while GPU time is attributed: its tables are in use
}

// Open opens the warehouse in a folder of its own, which is made when missing and kept to its owner: the database, its
// lock and the states. The schema is brought up to date and the rows are checked first.
func Open(ctx context.Context, dir string, o Options) (*Warehouse, error) {
	if strings.ContainsRune(dir, '?') { // DuckDB would put its log elsewhere
		return nil, fmt.Errorf("cannot open a warehouse in %q: the path must not contain a question mark", dir)
	}
	states := stateFolder(filepath.Join(dir, "states"))
	if err := os.MkdirAll(string(states), 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the warehouse's folder: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot keep the warehouse's folder to its owner: %w", err)
	}
	lock, err := takeLock(filepath.Join(dir, "warehouse.lock"))
	if err != nil {
		return nil, err
	}
	w := &Warehouse{lock: lock, path: filepath.Join(dir, "inferlake.duckdb"), states: states, log: o.Log}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	if err := w.open(ctx, o); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// database is the name of the warehouse's database in SQL.
const database = "inferlake"

// layout is how a database that does not exist yet is laid out: as DuckDB 1.5 does. What 1.0 can read would be the
// default, and takes half as long again to write texts that recur. A file that exists stays as it is.
const layout = "v1.5.0"

func (w *Warehouse) open(ctx context.Context, o Options) error {
	connect, err := w.connecting(ctx)
	if err != nil {
		return err
	}
	connector, err := duckdb.NewConnector("", connect)
	if err != nil {
		return fmt.Errorf("cannot begin a database: %w", err)
	}
	w.db = sql.OpenDB(connector)
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("cannot open the database %s: %w", w.path, err)
	}
	if err := os.Chmod(w.path, 0o600); err != nil {
		return errors.Join(fmt.Errorf("cannot keep the database %s to its owner: %w", w.path, err), conn.Close())
	}
	for _, step := range []func(context.Context, *sql.Conn) error{
		func(ctx context.Context, c *sql.Conn) error { return configure(ctx, c, o) },
		migrate, createCode, selfCheck, w.sweepStates, w.sweepCopies,
	} {
		if err := step(ctx, conn); err != nil {
			return errors.Join(err, conn.Close())
		}
	}
	w.writer, err = startWriter(ctx, conn, w, o)
	return err
}

// connecting returns what each connection begins with: the file is attached to a database in memory, since how many rows a
// row group has can be said there alone.
func (w *Warehouse) connecting(ctx context.Context) (func(driver.ExecerContext) error, error) {
	more := ""
	switch _, err := os.Stat(w.path); {
	case errors.Is(err, os.ErrNotExist):
		more = ", STORAGE_VERSION " + text.Quote(layout)
	case err != nil:
		return nil, fmt.Errorf("cannot find the database: %w", err)
	}
	attach := text.Statement("attach", "path", text.Quote(w.path), "name", database, "more", more)
	ctx = context.WithoutCancel(ctx) // a connection may begin later
	return func(conn driver.ExecerContext) error {
		_, err := conn.ExecContext(ctx, attach, nil)
		if err == nil {
			_, err = conn.ExecContext(ctx, text.Statement("use", "name", database), nil)
		}
		return err
	}, nil
}

func configure(ctx context.Context, conn *sql.Conn, o Options) error {
	statements := []string{text.Statement("settings")}
	if o.Threads > 0 {
		statements = append(statements, text.Statement("set_threads", "value", strconv.Itoa(o.Threads)))
	}
	if o.MemoryLimit != "" {
		statements = append(statements, text.Statement("set_memory", "value", text.Quote(o.MemoryLimit)))
	}
	for _, s := range statements {
		if _, err := conn.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("cannot set up the database by %q: %w", s, err)
		}
	}
	return nil
}

// Close ends the writer once it has answered what it holds, writes the log into the database file and gives up the lock.
func (w *Warehouse) Close() error {
	var errs []error
	if w.writer != nil {
		errs = append(errs, w.writer.close())
	}
	if w.db != nil {
		errs = append(errs, w.db.Close())
	}
	return errors.Join(append(errs, w.lock.Unlock())...)
}
