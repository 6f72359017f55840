package warehouse

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"

	text "github.com/inferlake/inferlake/sql"
)

// sealedNumber tells the databases of views apart that are there at one time.
var sealedNumber atomic.Int64

// QueryAt runs a query like Query, as of a seal.
func (w *Warehouse) QueryAt(ctx context.Context, seal, query string, args map[string]any) (r Result, err error) {
	err = w.asOf(ctx, seal, func(conn *sql.Conn) (err error) {
		r, err = readOnly(ctx, conn, query, args)
		return err
	})
	return r, err
}

// AsOf is the warehouse as of a seal.
type AsOf struct{ conn *sql.Conn }

// AsOf lends the warehouse as of a seal, for queries that must all say the same; it costs as much as several of them.
func (w *Warehouse) AsOf(ctx context.Context, seal string, read func(AsOf) error) error {
	return w.asOf(ctx, seal, func(conn *sql.Conn) error { return read(AsOf{conn}) })
}

// Query runs a query as Warehouse.Query does.
func (a AsOf) Query(ctx context.Context, query string, args map[string]any) (Result, error) {
	return readOnly(ctx, a.conn, query, args)
}

// CopyParquet writes a query's rows as Warehouse.CopyParquet does.
func (a AsOf) CopyParquet(ctx context.Context, query string, args map[string]any, file string) error {
	return copyParquet(ctx, a.conn, query, args, file)
}

// asOf lends a connection that sees the warehouse as of a seal.
func (w *Warehouse) asOf(ctx context.Context, seal string, read func(*sql.Conn) error) error {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("cannot connect to the database: %w", err)
	}
	defer conn.Close()
	s, err := findSeal(ctx, conn, seal)
	if err != nil {
		return err
	}
	name := text.Name("sealed_" + strconv.FormatInt(sealedNumber.Add(1), 10))
	if err = w.enterSealed(ctx, conn, s, name); err == nil {
		err = read(conn)
	}
	if err != nil {
		err = fmt.Errorf("cannot run the query as of the seal %s: %w", seal, err)
	}
	return errors.Join(err, w.leaveSealed(ctx, conn, name))
}

// replacedTables are those whose rows are replaced: what a seal shows of them is kept in another table.
var replacedTables = []string{"requests", "allocations", "request_gpu_time", "charges"}

func kept(table string) string { return "replaced_" + table }

// copiedTables are those whose rows are of no commit: a seal keeps them as they were.
var copiedTables = []string{"progress", "prices", "price_settings", "api_prices", "api_counterparts", "counting_legs"}

func copied(table string) string { return "sealed_" + table }

// enterSealed makes the connection see the warehouse as of the seal.
func (w *Warehouse) enterSealed(ctx context.Context, conn *sql.Conn, s Seal, name string) error {
	statements, err := w.sealedTables(ctx, conn, s)
	if err != nil {
		return err
	}
	statements = append([]string{text.Statement("attach_sealed", "name", name), text.Statement("use", "name", name)}, statements...)
	for _, statement := range statements {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	beside := func() error { return createCodeBeside(ctx, conn, database+".") }
	if err := transact(ctx, conn, beside); err != nil {
		return err
	}
	return w.answerAsSealed(ctx, conn, s)
}

// answerAsSealed puts what views over all requests said at the seal in their place: some requests may be removed since.
// A seal of an older program has no such copy.
func (w *Warehouse) answerAsSealed(ctx context.Context, conn *sql.Conn, s Seal) error {
	var has bool
	if err := w.db.QueryRowContext(ctx, text.Statement("has_sealed_legs"), s.Name).Scan(&has); err != nil || !has {
		return err
	}
	for _, view := range []string{"legs", "anomalies"} {
		_, err := conn.ExecContext(ctx, text.Statement("sealed_answer", "view", view, "copy", "sealed_"+view, "source", database, "seal", text.Quote(s.Name)))
		if err != nil {
			return fmt.Errorf("cannot show v1.%s as it was: %w", view, err)
		}
	}
	return nil
}

// sealedTables are views in the place of the tables. Roll-up positions only rise, and at the seal they had taken in all.
// What retention removed is gone as of a seal too.
func (w *Warehouse) sealedTables(ctx context.Context, conn *sql.Conn, s Seal) (views []string, err error) {
	err = each(ctx, conn, text.Statement("tables_with_commit"), nil, func(scan scanner) error {
		var table string
		var bounded bool
		err := scan(&table, &bounded)
		view := "sealed_whole"
		switch {
		case slices.Contains(replacedTables, table):
			view = "sealed_replaced"
		case slices.Contains(copiedTables, table):
			view = "sealed_copy"
		case table == "seals":
			view = "sealed_seals"
		case table != "rollup_positions" && table != "retention" && bounded:
			view = "sealed_rows"
		}
		views = append(views, text.Statement(view, "table", text.Name(table), "copy", text.Name(copied(table)), "kept", text.Name(kept(table)),
			"source", database, "commit", strconv.FormatInt(s.Commit, 10), "seal", text.Quote(s.Name)))
		return err
	})
	return views, err
}

// leaveSealed gives the connection back as it was; one that cannot be is thrown away.
func (w *Warehouse) leaveSealed(ctx context.Context, conn *sql.Conn, name string) error {
	ctx = context.WithoutCancel(ctx)
	_, use := conn.ExecContext(ctx, text.Statement("use", "name", database))
	_, detach := conn.ExecContext(ctx, text.Statement("detach_sealed", "name", name))
	if err := errors.Join(use, detach); err != nil {
		conn.Raw(func(any) error { return driver.ErrBadConn })
		return fmt.Errorf("cannot leave the view of a seal: %w", err)
	}
	return nil
}
