package warehouse

import (
	"context"
	"fmt"
)

// Put runs a statement of package sql by name, in a transaction of its own; its last argument is the transaction's number.
func (w *Warehouse) Put(ctx context.Context, statement string, args ...any) error {
	err := w.writer.do(ctx, func(ctx context.Context) error {
		return w.writer.numbered(ctx, func(commit int64) (int64, int, error) {
			return 1, 0, w.writer.exec(ctx, statement, append(args[:len(args):len(args)], commit)...)
		})
	})
	if err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	return nil
}

// Rows runs a query like Query and returns its rows by column.
func (w *Warehouse) Rows(ctx context.Context, query string, args map[string]any) ([]map[string]any, error) {
	result, err := w.Query(ctx, query, args)
	if err != nil {
		return nil, err
	}
	rows := make([]map[string]any, len(result.Rows))
	for i, values := range result.Rows {
		rows[i] = make(map[string]any, len(values))
		for k, v := range values {
			rows[i][result.Columns[k].Name] = v
		}
	}
	return rows, nil
}
