//go:build !duckdb_arrow

package warehouse

import "context"

// stage has nothing to show: without Arrow all rows are appended.
func (wr *writer) stage(context.Context, []load) (unstage func(), err error) { return func() {}, nil }

func (wr *writer) insert(_ context.Context, l load, commit int64) error {
	return wr.appendRows(l, commit)
}
