package warehouse

import (
	"context"
	"fmt"
	"time"

	text "github.com/inferlake/inferlake/sql"
)

// Price is what an hour of a GPU of a type costs from a time on.
type Price struct {
	GPUType    string
	From       time.Time
	To         time.Time // the zero time: until the next price of the type
	USDPerHour string    // a decimal, like 2.49
}

// SetPrices replaces all prices.
func (w *Warehouse) SetPrices(ctx context.Context, prices []Price) error {
	var types, usd []string
	var from, to []int64
	for _, p := range prices {
		types, usd, from = append(types, p.GPUType), append(usd, p.USDPerHour), append(from, p.From.UnixMicro())
		to = append(to, 0) // NULL; the driver panics on one in a list
		if !p.To.IsZero() {
			to[len(to)-1] = p.To.UnixMicro()
		}
	}
	err := w.writer.do(ctx, func(ctx context.Context) error {
		return w.writer.numbered(ctx, func(int64) (int64, int, error) {
			if _, err := w.writer.conn.ExecContext(ctx, text.Statement("delete_prices")); err != nil || len(prices) == 0 {
				return 0, 0, err
			}
			return int64(len(prices)), 0, w.writer.exec(ctx, "insert_prices", types, from, to, usd)
		})
	})
	if err != nil {
		return fmt.Errorf("cannot store %d prices: %w", len(prices), err)
	}
	return nil
}
