//go:build duckdb_arrow

package warehouse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/duckdb/duckdb-go/v2"

	text "github.com/inferlake/inferlake/sql"
)

const pieceRows = 122_880

// staging is DuckDB's own database in memory, which holds the views of batches.
const staging = "memory"

// stage shows DuckDB the batches as views, without a copy. The views lie in memory: the driver writes them to the
// catalogue, where they do not belong, and that must happen before the transaction that reads them.
func (wr *writer) stage(ctx context.Context, loads []load) (unstage func(), err error) {
	var undo []func()
	unstage = func() {
		for _, f := range undo {
			f()
		}
	}
	if loads = slices.DeleteFunc(slices.Clone(loads), wr.few); len(loads) == 0 {
		return unstage, nil
	}
	if err := wr.use(ctx, staging); err != nil {
		return nil, err
	}
	for _, l := range loads {
		var f func()
		if f, err = wr.stageTable(ctx, l); err != nil {
			break
		}
		undo = append(undo, f)
	}
	if err = errors.Join(err, wr.use(ctx, database)); err != nil {
		unstage()
		return nil, err
	}
	return unstage, nil
}

func (wr *writer) stageTable(ctx context.Context, l load) (undo func(), err error) {
	reader, err := l.reader()
	if err != nil {
		return nil, fmt.Errorf("cannot read the rows for %s: %w", l.table.Name, err)
	}
	defer reader.Release() // the view holds it
	var release func()
	err = wr.conn.Raw(func(driverConn any) error {
		conn, err := duckdb.NewArrowFromConn(driverConn.(*duckdb.Conn))
		if err != nil {
			return err
		}
		release, err = conn.RegisterView(reader, l.view())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot show the rows for %s to the database: %w", l.table.Name, err)
	}
	return func() {
		wr.conn.ExecContext(ctx, text.Statement("drop_view", "name", staging+"."+text.Name(l.view())))
		release()
	}, nil
}

// view is the name under which the rows are shown.
func (l load) view() string { return l.table.Name + "_" + strconv.FormatInt(l.lineage, 10) }

// few says that rows are better appended.
func (wr *writer) few(l load) bool { return l.rows() < wr.viewRows }

// reader reads the batches in pieces that DuckDB's threads share out.
func (l load) reader() (array.RecordReader, error) {
	var pieces []arrow.RecordBatch
	defer func() {
		for _, p := range pieces {
			p.Release()
		}
	}()
	for _, b := range l.batches {
		for from := int64(0); from < b.NumRows(); from += pieceRows {
			pieces = append(pieces, b.NewSlice(from, min(from+pieceRows, b.NumRows())))
		}
	}
	return array.NewRecordReader(l.table.Schema(), pieces)
}

func (wr *writer) use(ctx context.Context, database string) error {
	_, err := wr.conn.ExecContext(ctx, text.Statement("use", "name", text.Name(database)))
	return err
}

func (wr *writer) insert(ctx context.Context, l load, commit int64) error {
	if wr.few(l) {
		return wr.appendRows(l, commit)
	}
	own, values := l.own(commit)
	_, err := wr.conn.ExecContext(ctx, text.Statement("insert_rows", "table", text.Name(l.table.Name), "columns", columns(l.table),
		"own", strings.Join(own, ", "), "values", numbers(values), "source", staging+"."+text.Name(l.view())))
	return err
}
