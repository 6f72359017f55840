package warehouse

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"

	text "github.com/inferlake/inferlake/sql"
)

// createCode creates the macros and the views again where they are not this program's: they are code. A start after a
// crash would wait for it twice, as the log that is replayed holds the start before.
func createCode(ctx context.Context, conn *sql.Conn) error {
	mine, err := codeHash(ctx, conn)
	if err != nil {
		return err
	}
	var there string
	if err := conn.QueryRowContext(ctx, text.Statement("get_meta"), "code").Scan(&there); err != nil {
		return fmt.Errorf("cannot read whose code the warehouse has: %w", err)
	}
	if there == mine {
		return nil
	}
	return transact(ctx, conn, func() error {
		if err := createCodeBeside(ctx, conn, ""); err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, text.Statement("update_meta"), "code", mine); err != nil {
			return fmt.Errorf("cannot note whose code the warehouse has: %w", err)
		}
		return nil
	})
}

// codeHash is of all that makes the code: its own text, the tables that it names, and the library that reads it.
func codeHash(ctx context.Context, conn *sql.Conn) (string, error) {
	var library string
	if err := conn.QueryRowContext(ctx, text.Statement("library_version")).Scan(&library); err != nil {
		return "", fmt.Errorf("cannot ask DuckDB for its version: %w", err)
	}
	hash := sha256.New()
	io.WriteString(hash, library+text.Statement("show_now"))
	for _, folder := range []string{"schema", "macros", "views"} {
		for _, code := range text.Folder(folder) {
			fmt.Fprintf(hash, "%s %d %s", code.Name, len(code.SQL), code.SQL)
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// createCodeBeside creates the code in a database beside the one that shows what is there now, whose name with a dot now
// is. The caller has a transaction open.
func createCodeBeside(ctx context.Context, conn *sql.Conn, now string) error {
	if _, err := conn.ExecContext(ctx, text.Statement("schema_v1")); err != nil {
		return fmt.Errorf("cannot create the schema v1: %w", err)
	}
	for _, code := range append(text.Folder("macros"), text.Folder("views")...) {
		if _, err := conn.ExecContext(ctx, code.SQL); err != nil {
			return fmt.Errorf("cannot create %s: %w", code.Name, err)
		}
	}
	if _, err := conn.ExecContext(ctx, text.Statement("show_now", "source", now)); err != nil {
		return fmt.Errorf("cannot create the schema now: %w", err)
	}
	return nil
}
