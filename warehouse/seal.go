package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	text "github.com/inferlake/inferlake/sql"
)

// Seal marks a period that was published. What was reported of it is read again by QueryAt, to the byte, whatever comes
// later: rows of later commits are not seen, and what is changed in place is kept as it was.
type Seal struct {
	Name     string
	From, To time.Time
	Hash     string // of the report that was published: another one need not say the same
	Commit   int64  // what was committed up to here is in it; Seal sets it
}

// Seal seals what is committed now. A seal that is there already is returned as it is, so that a job may ask again; one of
// the same name for another period or report is refused.
func (w *Warehouse) Seal(ctx context.Context, s Seal) (sealed Seal, err error) {
	err = w.writer.do(ctx, func(ctx context.Context) error {
		sealed, err = w.writer.seal(ctx, s)
		return err
	})
	if err != nil {
		return Seal{}, fmt.Errorf("cannot seal %s: %w", s.Name, err)
	}
	return sealed, nil
}

// seal rolls up first: at a seal every level holds all that the level below has, so that no later roll-up matters to it.
func (wr *writer) seal(ctx context.Context, s Seal) (Seal, error) {
	had, err := readSeal(ctx, wr.conn, s.Name)
	if err == nil {
		return had, had.mustBe(s)
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return Seal{}, err
	}
	if err := wr.rollup(ctx); err != nil {
		return Seal{}, err
	}
	s.Commit = wr.commit
	return s, transact(ctx, wr.conn, func() error {
		err := errors.Join(wr.eachCopy(ctx, "seal_copy", s.Name), wr.exec(ctx, "seal_legs", s.Name), wr.exec(ctx, "seal_anomalies", s.Name))
		if err != nil {
			return err
		}
		return wr.exec(ctx, "insert_seal", s.Name, s.From.UnixMicro(), s.To.UnixMicro(), s.Hash, time.Now().UnixMicro(), s.Commit)
	})
}

func (s Seal) mustBe(other Seal) error {
	if !s.From.Equal(other.From) || !s.To.Equal(other.To) || s.Hash != other.Hash {
		return fmt.Errorf("it is sealed already, from %v to %v by report %q: choose another name", s.From, s.To, s.Hash)
	}
	return nil
}

func readSeal(ctx context.Context, conn *sql.Conn, name string) (Seal, error) {
	var from, to int64
	s := Seal{Name: name}
	err := conn.QueryRowContext(ctx, text.Statement("get_seal"), name).Scan(&from, &to, &s.Hash, &s.Commit)
	s.From, s.To = time.UnixMicro(from).UTC(), time.UnixMicro(to).UTC()
	return s, err
}

// FindSeal returns a seal by its name.
func (w *Warehouse) FindSeal(ctx context.Context, name string) (Seal, error) {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return Seal{}, fmt.Errorf("cannot connect to the database: %w", err)
	}
	defer conn.Close()
	return findSeal(ctx, conn, name)
}

func findSeal(ctx context.Context, conn *sql.Conn, name string) (Seal, error) {
	s, err := readSeal(ctx, conn, name)
	if errors.Is(err, sql.ErrNoRows) {
		return Seal{}, fmt.Errorf("cannot find the seal %q: inferlake seal list shows what is sealed", name)
	}
	if err != nil {
		return Seal{}, fmt.Errorf("cannot read the seal %q: %w", name, err)
	}
	return s, nil
}

// DropSeal takes a seal back, and what was kept for it alone.
func (w *Warehouse) DropSeal(ctx context.Context, name string) error {
	return w.writer.do(ctx, func(ctx context.Context) error {
		if _, err := findSeal(ctx, w.writer.conn, name); err != nil {
			return err
		}
		err := transact(ctx, w.writer.conn, func() (err error) {
			return errors.Join(w.writer.exec(ctx, "drop_seal", name), w.writer.eachCopy(ctx, "drop_sealed_copy", name),
				w.writer.exec(ctx, "drop_sealed_legs", name), w.writer.exec(ctx, "drop_sealed_anomalies", name), w.writer.dropReplaced(ctx))
		})
		if err != nil {
			return fmt.Errorf("cannot drop the seal %q: %w", name, err)
		}
		return nil
	})
}

// eachCopy runs a statement for each table of which a seal keeps a copy.
func (wr *writer) eachCopy(ctx context.Context, statement, seal string) error {
	for _, table := range copiedTables {
		if _, err := wr.conn.ExecContext(ctx, text.Statement(statement, "table", table, "copy", copied(table)), seal); err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
	}
	return nil
}

// dropReplaced drops what no seal shows any longer.
func (wr *writer) dropReplaced(ctx context.Context) error {
	for _, table := range replacedTables {
		if _, err := wr.conn.ExecContext(ctx, text.Statement("drop_replaced", "kept", kept(table))); err != nil {
			return fmt.Errorf("cannot drop what was replaced of %s: %w", table, err)
		}
	}
	return nil
}

// betweenSeals cuts the commits (after, until] at the seals: what lies in two parts must not be merged.
func (wr *writer) betweenSeals(ctx context.Context, after, until int64) (parts [][2]int64, err error) {
	err = each(ctx, wr.conn, text.Statement("seal_commits"), []any{after, until}, func(scan scanner) error {
		var commit int64
		err := scan(&commit)
		parts, after = append(parts, [2]int64{after, commit}), commit
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read the seals: %w", err)
	}
	return append(parts, [2]int64{after, until}), nil
}
