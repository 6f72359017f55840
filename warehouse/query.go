package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"

	"github.com/duckdb/duckdb-go/v2"

	text "github.com/inferlake/inferlake/sql"
)

// Result is what a query returned. A value is nil, a bool, int64, uint64, *big.Int (whole numbers beyond int64), float64,
// json.Number (decimals, with all digits), string, []byte, time.Time in UTC, []any or map[string]any.
type Result struct {
	Columns []ResultColumn
	Rows    [][]any
}

// ResultColumn is a column of a Result.
type ResultColumn struct {
	Name string
	Type string // as SQL names it: BIGINT, DECIMAL(38,12), …
}

// Query runs a query of the product's own on a connection beside the writer, in a transaction that only reads. It sees
// the last commit. Parameters are bound by name: $from takes args["from"]; names that the query does not use are left
// out.
func (w *Warehouse) Query(ctx context.Context, query string, args map[string]any) (Result, error) {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("cannot connect to the database: %w", err)
	}
	defer conn.Close()
	return readOnly(ctx, conn, query, args)
}

// readOnly runs a query in a transaction that only reads.
func readOnly(ctx context.Context, conn *sql.Conn, query string, args map[string]any) (Result, error) {
	if _, err := conn.ExecContext(ctx, text.Statement("begin_reading")); err != nil {
		return Result{}, fmt.Errorf("cannot begin to read: %w", err)
	}
	result, err := readAll(ctx, conn, query, bind(query, args))
	if _, end := conn.ExecContext(context.WithoutCancel(ctx), text.Statement("rollback")); err != nil || end != nil {
		return Result{}, fmt.Errorf("cannot run the query: %w", errors.Join(err, end))
	}
	return result, nil
}

var parameter = regexp.MustCompile(`\$([A-Za-z_][A-Za-z0-9_]*)`)

// bind picks the arguments that a query names.
func bind(query string, args map[string]any) []any {
	var bound []any
	seen := map[string]bool{}
	for _, match := range parameter.FindAllStringSubmatch(query, -1) {
		name := match[1]
		if value, given := args[name]; given && !seen[name] {
			bound = append(bound, sql.Named(name, value))
		}
		seen[name] = true
	}
	return bound
}

func readAll(ctx context.Context, conn *sql.Conn, query string, args []any) (Result, error) {
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return Result{}, err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return Result{}, err
	}
	var r Result
	for _, t := range types {
		r.Columns = append(r.Columns, ResultColumn{t.Name(), t.DatabaseTypeName()})
	}
	for rows.Next() {
		row, err := readRow(rows, len(types))
		if err != nil {
			return Result{}, err
		}
		r.Rows = append(r.Rows, row)
	}
	return r, rows.Err()
}

func readRow(rows *sql.Rows, columns int) ([]any, error) {
	row, into := make([]any, columns), make([]any, columns)
	for i := range row {
		into[i] = &row[i]
	}
	if err := rows.Scan(into...); err != nil {
		return nil, err
	}
	for i, v := range row {
		row[i] = plain(v)
	}
	return row, nil
}

// Interrupted says whether an error means no more than that the context of a call ended, in Go's words or in DuckDB's.
func Interrupted(err error) bool {
	d := new(duckdb.Error)
	return errors.Is(err, context.Canceled) || errors.As(err, &d) && d.Type == duckdb.ErrorTypeInterrupt
}
