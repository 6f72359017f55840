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
	from, err := notedCommit(ctx, conn, "checked_commit")
	if err != nil {
		return err
	}
	var last int64
	if err := conn.QueryRowContext(ctx, text.Statement("last_commit")).Scan(&last); err != nil {
		return fmt.Errorf("cannot read the last commit: %w", err)
	}
	if from == last {
		return nil
	}
	if err := checkRowIDs(ctx, conn, from); err != nil {
		return err
	}
	return noteCommit(ctx, conn, "checked_commit", last)
}

// notedCommit is the commit that is noted under a key of meta: up to which something is done.
func notedCommit(ctx context.Context, conn *sql.Conn, key string) (commit int64, err error) {
	var value string
	if err = conn.QueryRowContext(ctx, text.Statement("get_meta"), key).Scan(&value); err == nil {
		commit, err = strconv.ParseInt(value, 10, 64)
	}
	if err != nil {
		return 0, fmt.Errorf("cannot read the %s: %w", key, err)
	}
	return commit, nil
}

func noteCommit(ctx context.Context, conn *sql.Conn, key string, commit int64) error {
	if _, err := conn.ExecContext(ctx, text.Statement("update_meta"), key, strconv.FormatInt(commit, 10)); err != nil {
		return fmt.Errorf("cannot note the %s: %w", key, err)
	}
	return nil
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
