package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
)

type exportSnapshot struct {
	Output string `required:"" help:"File to write to, which DuckDB opens in any language." short:"o" placeholder:"FILE"`
	Force  bool   `help:"Replace a file that is there."`
}

// Run copies the database as of its last commit into one file: tables, and the views and macros of v1.
func (c *exportSnapshot) Run(ctx context.Context, p program, log *slog.Logger, data folder) error {
	place := exportPlace{c.Output, c.Force}
	if err := place.check(data); err != nil {
		return err
	}
	h, done, err := data.open(ctx, log)
	if err != nil {
		return err
	}
	defer done()
	source, err := openSnapshot(ctx, h)
	if err != nil {
		return err
	}
	defer source.Close()
	size, err := place.copy(ctx, source)
	if err != nil {
		return fmt.Errorf("cannot write the snapshot to %s: %w", c.Output, err)
	}
	_, err = fmt.Fprintf(p.stdout, "%s: %d bytes; duckdb.connect(%[1]q, read_only=True) in Python reads it\n", c.Output, size)
	return err
}

// snapshotTries is how often a snapshot is taken anew because another command removed it before it was open.
const snapshotTries = 5

// openSnapshot takes a snapshot and opens it. What is open stays readable when a later one takes its place.
func openSnapshot(ctx context.Context, h house) (file *os.File, err error) {
	for range snapshotTries {
		taken, err := h.takeSnapshot(ctx, none{})
		if err != nil {
			return nil, err
		}
		file, err = os.Open(taken.Path)
		if !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
	}
	return nil, fmt.Errorf("the snapshot was replaced %d times before it could be read: try again", snapshotTries)
}

// exportPlace is where a snapshot goes.
type exportPlace struct {
	path  string
	force bool
}

// check refuses places where a copy would destroy something.
func (e exportPlace) check(data folder) error {
	there, err := os.Stat(e.path)
	switch own, _ := os.Stat(data.database()); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("cannot write the snapshot: %w", err)
	case os.SameFile(own, there):
		return fmt.Errorf("%s is the database itself: name another file", e.path)
	case !there.Mode().IsRegular():
		return fmt.Errorf("%s is not a file: name one, such as %s", e.path, filepath.Join(e.path, "snapshot.duckdb"))
	case !e.force:
		return fmt.Errorf("%s is there already: name another file, or replace it by --force", e.path)
	}
	// DuckDB would replay into the new file what was written to the old one.
	if _, err := os.Lstat(e.path + ".wal"); err == nil {
		return fmt.Errorf("%s.wal is there: a program has %[1]s open for writing, or died over it; end it or remove the .wal file", e.path)
	}
	return nil
}

// copy makes the file appear whole, for its owner alone, and returns its size in bytes.
func (e exportPlace) copy(ctx context.Context, source io.Reader) (size int64, err error) {
	file, err := os.CreateTemp(filepath.Dir(e.path), ".writing-*") // mode 0600
	if err != nil {
		return 0, err
	}
	defer os.Remove(file.Name()) // gone already when all went well
	size, err = io.Copy(file, untilDone{ctx, source})
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return 0, err
	}
	return size, os.Rename(file.Name(), e.path)
}

// untilDone reads until ctx ends.
type untilDone struct {
	ctx  context.Context
	from io.Reader
}

func (u untilDone) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.from.Read(b)
}
