package warehouse

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"github.com/inferlake/inferlake/stream/fault"

	text "github.com/inferlake/inferlake/sql"
)

// migrate runs the migrations that the database has not seen, each in a transaction with its number.
func migrate(ctx context.Context, conn *sql.Conn) error {
	if _, err := conn.ExecContext(ctx, text.Statement("create_migrations")); err != nil {
		return fmt.Errorf("cannot keep the list of migrations: %w", err)
	}
	var last int
	if err := conn.QueryRowContext(ctx, text.Statement("last_migration")).Scan(&last); err != nil {
		return fmt.Errorf("cannot read the list of migrations: %w", err)
	}
	newest := 0
	for _, m := range text.Folder("schema") {
		number, err := m.Number()
		if err != nil {
			return err
		}
		if newest = number; number <= last {
			continue
		}
		if err := transact(ctx, conn, func() error { return runMigration(ctx, conn, number, m) }); err != nil {
			return fmt.Errorf("cannot migrate the schema by %s: %w", m.Name, err)
		}
	}
	if last > newest {
		return fmt.Errorf("the warehouse has schema %d and this program knows %d: use the newer program that wrote it", last, newest)
	}
	return introduce(ctx, conn, newest)
}

func runMigration(ctx context.Context, conn *sql.Conn, number int, m text.Text) error {
	if _, err := conn.ExecContext(ctx, m.SQL); err != nil {
		return err
	}
	fault.Point(fault.InMigration)
	_, err := conn.ExecContext(ctx, text.Statement("insert_migration"), number, m.Name, time.Now().UnixMicro())
	return err
}

// introduce gives the warehouse its id, once, and says which schema it has.
func introduce(ctx context.Context, conn *sql.Conn, schema int) error {
	var id string
	if err := conn.QueryRowContext(ctx, text.Statement("new_id")).Scan(&id); err != nil {
		return fmt.Errorf("cannot make an id for the warehouse: %w", err)
	}
	version := strconv.Itoa(schema)
	for _, row := range [][2]string{{"warehouse_id", id}, {"schema_version", version}, {"code", ""}, {"checked_commit", "0"}, {"compacted_commit", "0"}} {
		if _, err := conn.ExecContext(ctx, text.Statement("set_meta"), row[0], row[1]); err != nil {
			return fmt.Errorf("cannot note the warehouse's %s: %w", row[0], err)
		}
	}
	_, err := conn.ExecContext(ctx, text.Statement("update_meta"), "schema_version", version)
	return err
}

// transact runs f in a transaction.
func transact(ctx context.Context, conn *sql.Conn, f func() error) error {
	if _, err := conn.ExecContext(ctx, text.Statement("begin")); err != nil {
		return fmt.Errorf("cannot begin a transaction: %w", err)
	}
	if err := f(); err != nil {
		conn.ExecContext(context.WithoutCancel(ctx), text.Statement("rollback"))
		return err
	}
	if _, err := conn.ExecContext(ctx, text.Statement("commit")); err != nil {
		conn.ExecContext(context.WithoutCancel(ctx), text.Statement("rollback"))
		return fmt.Errorf("cannot commit a transaction: %w", err)
	}
	return nil
}
