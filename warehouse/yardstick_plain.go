//go:build !duckdb_arrow

package warehouse

import (
	"context"
	"errors"

	"github.com/inferlake/inferlake/aggregate"
)

// Yardstick needs Arrow.
type Yardstick struct{}

var errNoArrow = errors.New("this build does not load through Arrow: build with -tags duckdb_arrow")

// NewYardstick says that it needs Arrow.
func NewYardstick(context.Context, string, int) (*Yardstick, error) { return nil, errNoArrow }

// Create is never reached.
func (y *Yardstick) Create(context.Context, aggregate.TableRows) error { return errNoArrow }

// Close is never reached.
func (y *Yardstick) Close() error { return nil }
