package warehouse

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// SetCountingLegs chooses, by deployment, the role whose rows count as its requests; "" takes a choice back. What is not
// named stays as it is; a deployment without a choice counts the first that it has of gateway, engine and decode.
func (w *Warehouse) SetCountingLegs(ctx context.Context, roles map[string]string) error {
	deployments := slices.Sorted(maps.Keys(roles))
	var chosen []string
	for _, d := range deployments {
		chosen = append(chosen, roles[d])
	}
	err := w.writer.do(ctx, func(ctx context.Context) error {
		return w.writer.numbered(ctx, func(int64) (int64, int, error) {
			return int64(len(roles)), 0, errors.Join(w.writer.exec(ctx, "drop_counting_legs", deployments),
				w.writer.exec(ctx, "insert_counting_legs", deployments, chosen))
		})
	})
	if err != nil {
		return fmt.Errorf("cannot store the counting legs of %d deployments: %w", len(roles), err)
	}
	return nil
}
