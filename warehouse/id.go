package warehouse

import (
	"context"
	"fmt"

	text "github.com/inferlake/inferlake/sql"
)

// ID is the name that the warehouse got when it was made; a copy keeps it.
func (w *Warehouse) ID(ctx context.Context) (id string, err error) {
	if err := w.db.QueryRowContext(ctx, text.Statement("warehouse_id")).Scan(&id); err != nil {
		return "", fmt.Errorf("cannot read the warehouse's id: %w", err)
	}
	return id, nil
}
