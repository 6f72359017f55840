package warehouse

import (
	"context"
	"database/sql"
)

// AttributeOn attributes the rows of commits up to one on a connection, without a writer.
func AttributeOn(ctx context.Context, conn *sql.Conn, until int64, partial bool) error {
	a := attribution{conn: conn, until: until, partial: partial,
		do: func(ctx context.Context, f func(context.Context) error) error { return f(ctx) },
		transact: func(_ context.Context, f func(int64) (int64, int, error)) error {
			_, _, err := f(until + 1)
			return err
		}}
	_, err := a.all(ctx)
	return err
}
