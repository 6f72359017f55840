package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	text "github.com/inferlake/inferlake/sql"
)

// CopyParquet runs a query of the product's own, as Query does, and has DuckDB write its rows to a Parquet file.
func (w *Warehouse) CopyParquet(ctx context.Context, query string, args map[string]any, file string) error {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("cannot connect to the database: %w", err)
	}
	defer conn.Close()
	return copyParquet(ctx, conn, query, args, file)
}

// CopyParquetAt does the same as of a seal.
func (w *Warehouse) CopyParquetAt(ctx context.Context, seal, query string, args map[string]any, file string) error {
	return w.asOf(ctx, seal, func(conn *sql.Conn) error { return copyParquet(ctx, conn, query, args, file) })
}

func copyParquet(ctx context.Context, conn *sql.Conn, query string, args map[string]any, file string) (err error) {
	if _, err := conn.ExecContext(ctx, text.Statement("create_export", "query", query), bind(query, args)...); err != nil {
		return fmt.Errorf("cannot run the query: %w", err)
	}
	defer func() {
		_, drop := conn.ExecContext(context.WithoutCancel(ctx), text.Statement("drop_export"))
		err = errors.Join(err, drop)
	}()
	if _, err := conn.ExecContext(ctx, text.Statement("copy_export", "file", text.Quote(file))); err != nil {
		return fmt.Errorf("cannot write %s: %w", file, err)
	}
	return nil
}
