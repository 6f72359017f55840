package warehouse

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/duckdb/duckdb-go/v2"
)

// appendRows loads rows one by one: quicker than a view when they are few, and the way without Arrow.
func (wr *writer) appendRows(l load, commit int64) error {
	return wr.conn.Raw(func(conn any) error {
		appender, err := duckdb.NewAppenderWithColumns(conn.(driver.Conn), "", "", l.table.Name, l.appended())
		if err != nil {
			return err
		}
		_, own := l.own(commit)
		for _, b := range l.batches {
			if err := appendBatch(appender, b, own); err != nil {
				return errors.Join(err, appender.Close())
			}
		}
		return appender.Close()
	})
}

// appended are the columns of a row, in its order: a column that was added later stands last in the database.
func (l load) appended() (names []string) {
	for _, c := range l.table.Columns {
		names = append(names, c.Name)
	}
	own, _ := l.own(0)
	return append(names, own...)
}

func appendBatch(a *duckdb.Appender, b arrow.RecordBatch, own []int64) error {
	row := make([]driver.Value, int(b.NumCols())+len(own))
	for i, v := range own {
		row[int(b.NumCols())+i] = v
	}
	for i := range int(b.NumRows()) {
		for c, column := range b.Columns() {
			v, err := valueOf(column, i)
			if err != nil {
				return fmt.Errorf("column %s: %w", b.ColumnName(c), err)
			}
			row[c] = v
		}
		if err := a.AppendRow(row...); err != nil {
			return err
		}
	}
	return nil
}

// valueOf returns a value as the appender takes it. The appender would store a text that is not UTF-8 as NULL.
func valueOf(column arrow.Array, i int) (driver.Value, error) {
	if column.IsNull(i) {
		return nil, nil
	}
	switch c := column.(type) {
	case *array.Int64:
		return c.Value(i), nil
	case *array.Boolean:
		return c.Value(i), nil
	case *array.Timestamp:
		return time.Unix(0, int64(c.Value(i))).UTC(), nil
	case *array.String:
		if !utf8.ValidString(c.Value(i)) {
			return nil, errors.New("a text is not UTF-8")
		}
		return c.Value(i), nil
	case *array.List:
		return listOf(c, i)
	}
	return nil, fmt.Errorf("the type %s is not known", column.DataType())
}

func listOf(list *array.List, i int) (driver.Value, error) {
	from, to := list.ValueOffsets(i)
	values := make([]any, 0, to-from)
	for at := from; at < to; at++ {
		v, err := valueOf(list.ListValues(), int(at))
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}
