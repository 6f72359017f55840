package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/inferlake/inferlake/stream/fault"

	text "github.com/inferlake/inferlake/sql"
)

// copyName is the name of the database under which a copy is written.
const copyName = "written_copy"

// copyFolder begins the name of the folder in which a copy is written.
const copyFolder = "writing-copy-"

// sweepCopies removes what a process that died over a copy left in the warehouse's folder.
func (w *Warehouse) sweepCopies(context.Context, *sql.Conn) error {
	left, err := filepath.Glob(filepath.Join(filepath.Dir(w.path), copyFolder+"*"))
	for _, folder := range left {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	return err
}

// Snapshot writes a copy of the database as of the last commit to path, for others to read: views and macros with it.
// The file appears there whole; one that is there already is replaced. Commits go on meanwhile.
func (w *Warehouse) Snapshot(ctx context.Context, path string) error {
	w.copying.Lock() // one copy at a time has the name
	defer w.copying.Unlock()
	if err := w.snapshot(ctx, path); err != nil {
		return fmt.Errorf("cannot write a copy of the warehouse to %s: %w", path, err)
	}
	return nil
}

func (w *Warehouse) snapshot(ctx context.Context, path string) error {
	if filepath.Dir(path) == filepath.Dir(w.path) && filepath.Base(path) == filepath.Base(w.path) {
		return errors.New("this is the warehouse itself")
	}
	folder, err := os.MkdirTemp(filepath.Dir(path), copyFolder+"*") // mode 0700
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	temporary := filepath.Join(folder, filepath.Base(path))
	if err := w.writeCopy(ctx, temporary); err != nil {
		return err
	}
	fault.Point(fault.InReaderCopy)
	if err := os.Chmod(temporary, 0o600); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

func (w *Warehouse) writeCopy(ctx context.Context, path string) error {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	run := func(ctx context.Context, name string, pairs ...string) error {
		_, err := conn.ExecContext(ctx, text.Statement(name, append(pairs, "name", text.Name(copyName))...))
		return err
	}
	if err := run(ctx, "attach_copy", "path", text.Quote(path)); err != nil {
		return err
	}
	err = run(ctx, "copy_database", "source", database)
	return errors.Join(err, run(context.WithoutCancel(ctx), "detach_copy"))
}

// TableSize is how much a table holds.
type TableSize struct {
	Schema, Name string
	Rows         int64
	Bytes        int64 // in the database file, whole blocks; small tables share blocks and count them each
}

// Tables lists the tables with their sizes.
func (w *Warehouse) Tables(ctx context.Context) ([]TableSize, error) {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to the database: %w", err)
	}
	defer conn.Close()
	var tables []TableSize
	err = each(ctx, conn, text.Statement("tables"), nil, func(scan scanner) error {
		var t TableSize
		err := scan(&t.Schema, &t.Name, &t.Rows)
		tables = append(tables, t)
		return err
	})
	for i := range tables {
		if err == nil {
			err = tables[i].measure(ctx, conn)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot list the tables: %w", err)
	}
	return tables, nil
}

func (t *TableSize) measure(ctx context.Context, conn *sql.Conn) error {
	name := text.Name(t.Schema) + "." + text.Name(t.Name)
	if err := conn.QueryRowContext(ctx, text.Statement("count_rows", "table", name)).Scan(&t.Rows); err != nil {
		return err
	}
	var blocks, size int64
	if err := conn.QueryRowContext(ctx, text.Statement("table_blocks", "table", text.Quote(name))).Scan(&blocks); err != nil {
		return err
	}
	if err := conn.QueryRowContext(ctx, text.Statement("block_size")).Scan(&size); err != nil {
		return err
	}
	t.Bytes = blocks * size
	return nil
}
