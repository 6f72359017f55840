package jobs

import (
	"context"
	"time"

	"github.com/inferlake/inferlake/jobs/render"
	"github.com/inferlake/inferlake/sql"
)

// House is the warehouse, as jobs need it.
type House interface {
	Closing
	Store
	// AsOf lends the warehouse as of a seal.
	AsOf(ctx context.Context, seal string, read func(Reading) error) error
}

// Closing brings a period to its end.
type Closing interface {
	// Settle returns the time up to which nothing is known to be missing, with the GPU time of all of it attributed. It
	// need not attribute anything where the time is before enough.
	Settle(ctx context.Context, enough time.Time) (time.Time, error)
	// Seal seals the warehouse as it is for a period. A seal that is there already stays as it is.
	Seal(ctx context.Context, name string, from, to time.Time) error
	// Unseal takes a seal back of which nothing was published.
	Unseal(ctx context.Context, name string) error
}

// Reading draws reports as of a seal.
type Reading interface {
	Table(ctx context.Context, r sql.Report, args []sql.Argument) (render.Table, error)
	Parquet(ctx context.Context, r sql.Report, args []sql.Argument) ([]byte, error)
}

// Store is where the history is kept.
type Store interface {
	// Rows runs a query that only reads, with parameters by name, and returns its rows with values by column.
	Rows(ctx context.Context, query string, args map[string]any) ([]map[string]any, error)
	// Put runs a statement of package sql by name; the number of its commit is its last argument.
	Put(ctx context.Context, statement string, args ...any) error
}

// Delivery is where files go.
type Delivery interface {
	// Deliver hands over all files of a period, or none. It is asked again after a failure, and after one that it did not
	// see; the files of a period are then the same, and the same again is no error.
	Deliver(ctx context.Context, p Publication) error
}

// Publication is the files of a period.
type Publication struct {
	Job, Period string
	Output      string // folder that the job asks for; "": the delivery's own
	Files       []File
}

// File is a file of a publication.
type File struct {
	Name    string // without folders
	Content []byte
}
