package main

import (
	"context"

	fits "github.com/inferlake/inferlake/jobs/verdict"
	"github.com/inferlake/inferlake/warehouse"
)

var _ fits.Store = (*warehouse.Warehouse)(nil)

// attribute fits what has no fit of late, then divides GPU time among requests; with partial also that of the quarter of an hour
// that has not ended.
func attribute(ctx context.Context, house *warehouse.Warehouse, partial bool) error {
	if _, err := fits.FitInstances(ctx, house, fits.FitOptions{}); err != nil {
		return err
	}
	_, err := house.Attribute(ctx, partial)
	return err
}
