package warehouse

import (
	"context"
	"database/sql"
)

// AttributeOn attributes on a connection, without a writer, the quarter that has not ended too.
func AttributeOn(ctx context.Context, conn *sql.Conn) error {
	const commit = 2
	a := attribution{conn: conn, until: commit - 1, partial: true,
		do: func(ctx context.Context, f func(context.Context) error) error { return f(ctx) },
		transact: func(_ context.Context, f func(int64) (int64, int, error)) error {
			_, _, err := f(commit)
			return err
		}}
	_, err := a.all(ctx)
	return err
}
