package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
)

// sandboxSettings open a snapshot for queries of anybody: nothing is written, nothing outside the file is reached, and no
// setting can be changed. DuckDB draws no hard line inside a process, so the caller runs this in one of its own, under
// limits of the operating system.
var sandboxSettings = url.Values{
	"access_mode":                  {"READ_ONLY"},
	"enable_external_access":       {"false"},
	"autoload_known_extensions":    {"false"},
	"autoinstall_known_extensions": {"false"},
	"allow_community_extensions":   {"false"},
	"allow_persistent_secrets":     {"false"},
	"max_temp_directory_size":      {"0KB"},
	"memory_limit":                 {"512MB"},
	"threads":                      {"1"},
	"lock_configuration":           {"true"},
}

// ErrStatement says that a text is not one query.
var ErrStatement = errors.New("one SELECT at a time is answered, and nothing else; SELECT * FROM v1.tables lists what there is")

// QuerySnapshot answers one query on a snapshot file, with at most limit rows; cut says that there were more.
func QuerySnapshot(ctx context.Context, path, query string, limit int) (r Result, cut bool, err error) {
	connector, err := duckdb.NewConnector(path+"?"+sandboxSettings.Encode(), nil)
	if err != nil {
		return r, false, fmt.Errorf("cannot open the snapshot: %w", err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return r, false, fmt.Errorf("cannot open the snapshot: %w", err)
	}
	defer conn.Close()
	if err := oneSelect(conn, query); err != nil {
		return r, false, err
	}
	if r, err = readAll(ctx, conn, fmt.Sprintf("SELECT * FROM (%s\n) LIMIT %d", trimQuery(query), limit+1), nil); err != nil {
		return r, false, fmt.Errorf("cannot answer: %w", err)
	}
	if cut = len(r.Rows) > limit; cut {
		r.Rows = r.Rows[:limit]
	}
	return r, cut, nil
}

// oneSelect refuses what is not a single SELECT: preparing takes one statement and tells its type.
func oneSelect(conn *sql.Conn, query string) error {
	return conn.Raw(func(c any) error {
		statement, err := c.(*duckdb.Conn).Prepare(query)
		if err != nil && strings.Contains(err.Error(), "multi-statement") {
			return ErrStatement
		}
		if err != nil {
			return fmt.Errorf("cannot read the query: %w", err)
		}
		defer statement.Close()
		kind, err := statement.(*duckdb.Stmt).StatementType()
		if err != nil {
			return fmt.Errorf("cannot tell what kind of statement this is: %w", err)
		}
		if kind != duckdb.STATEMENT_TYPE_SELECT || !selects(query) {
			return ErrStatement
		}
		return nil
	})
}

// selects says that a text begins as a query does: PRAGMA and DESCRIBE prepare as SELECT too, but cannot be limited.
func selects(query string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(query, " \t\r\n("), " ")
	word, _, _ = strings.Cut(strings.ToUpper(strings.TrimSpace(word)), "\n")
	return word == "SELECT" || word == "WITH" || word == "FROM" || word == "VALUES" || strings.HasPrefix(word, "--") || strings.HasPrefix(word, "/*") ||
		word == "PIVOT" || word == "UNPIVOT" || word == "TABLE"
}

// trimQuery drops what may follow a statement: blanks and a semicolon.
func trimQuery(query string) string {
	for len(query) > 0 {
		switch query[len(query)-1] {
		case ' ', '\t', '\r', '\n', ';':
			query = query[:len(query)-1]
		default:
			return query
		}
	}
	return query
}
