//go:build duckdb_arrow

package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/duckdb/duckdb-go/v2"

	"github.com/inferlake/inferlake/aggregate"

	text "github.com/inferlake/inferlake/sql"
)

// Yardstick is a database file that is loaded in the plainest way that DuckDB has: CREATE TABLE AS from the same rows,
// without positions, leases or commit numbers. Benchmarks compare a commit with it.
type Yardstick struct {
	db     *sql.DB
	conn   *sql.Conn
	tables int
}

// NewYardstick opens a database file that does not exist yet.
func NewYardstick(ctx context.Context, path string, threads int) (*Yardstick, error) {
	connector, err := duckdb.NewConnector(path+"?storage_compatibility_version="+layout, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot open the database %s: %w", path, err)
	}
	y := &Yardstick{db: sql.OpenDB(connector)}
	if y.conn, err = y.db.Conn(ctx); err == nil {
		err = configure(ctx, y.conn, Options{Threads: threads})
	}
	if err != nil {
		return nil, errors.Join(err, y.db.Close())
	}
	return y, nil
}

// Create makes a new table of the rows.
func (y *Yardstick) Create(ctx context.Context, rows aggregate.TableRows) error {
	l := load{loadKey: loadKey{table: rows.Table}, batches: []arrow.RecordBatch{rows.Batch}}
	reader, err := l.reader()
	if err != nil {
		return err
	}
	defer reader.Release()
	y.tables++
	name := rows.Table.Name + "_" + strconv.Itoa(y.tables)
	var release func()
	err = y.conn.Raw(func(driverConn any) error {
		conn, err := duckdb.NewArrowFromConn(driverConn.(*duckdb.Conn))
		if err == nil {
			release, err = conn.RegisterView(reader, "rows_"+name)
		}
		return err
	})
	if err != nil {
		return err
	}
	defer release()
	_, err = y.conn.ExecContext(ctx, text.Statement("create_table_as", "table", text.Name(name), "source", text.Name("rows_"+name)))
	return err
}

// Close writes everything into the file.
func (y *Yardstick) Close() error {
	_, err := y.conn.ExecContext(context.Background(), text.Statement("checkpoint"))
	return errors.Join(err, y.conn.Close(), y.db.Close())
}
