package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	text "github.com/inferlake/inferlake/sql"
)

// selfCheck refuses a database whose positions or row ids are broken. Only requests loaded since the last check are
// looked for, so that a start stays quick.
func selfCheck(ctx context.Context, conn *sql.Conn) error {
	if err := checkProgress(ctx, conn); err != nil {
		return err
	}
	var checked string
	var last int64
	if err := conn.QueryRowContext(ctx, text.Statement("get_meta"), "checked_commit").Scan(&checked); err != nil {
		return fmt.Errorf("cannot read up to which commit rows are checked: %w", err)
	}
	if err := conn.QueryRowContext(ctx, text.Statement("last_commit")).Scan(&last); err != nil {
		return fmt.Errorf("cannot read the last commit: %w", err)
	}
	from, err := strconv.ParseInt(checked, 10, 64)
	if err != nil {
		return fmt.Errorf("cannot read up to which commit rows are checked: %w", err)
	}
	if from == last {
		return nil
	}
	if err := checkRowIDs(ctx, conn, from); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, text.Statement("update_meta"), "checked_commit", strconv.FormatInt(last, 10))
	return err
}

func checkProgress(ctx context.Context, conn *sql.Conn) error {
	var topic string
	var partition, rows, next, replay, generation int64
	err := conn.QueryRowContext(ctx, text.Statement("bad_progress")).Scan(&topic, &partition, &rows, &next, &replay, &generation)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot check the positions: %w", err)
	}
	return fmt.Errorf("the position of %s/%d is broken: %d rows, next offset %d, replay offset %d, generation %d: restore the warehouse from a copy",
		topic, partition, rows, next, replay, generation)
}

func checkRowIDs(ctx context.Context, conn *sql.Conn, after int64) error {
	var topic string
	var partition, lineage, offset, idx, rows int64
	err := conn.QueryRowContext(ctx, text.Statement("doubled_requests"), after).Scan(&topic, &partition, &lineage, &offset, &idx, &rows)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot check the row ids: %w", err)
	}
	return fmt.Errorf("the request of %s/%d at offset %d, index %d of lineage %d is there %d times: restore the warehouse from a copy",
		topic, partition, offset, idx, lineage, rows)
}
