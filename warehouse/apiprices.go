package warehouse

import (
	"context"
	"fmt"

	"github.com/inferlake/inferlake/warehouse/catalogue"
)

// SetAPIPricesOf replaces what a source said of APIs' prices and of the models to compare.
func (w *Warehouse) SetAPIPricesOf(ctx context.Context, source string, prices []catalogue.APIPrice, compare []catalogue.Counterpart) error {
	err := w.writer.do(ctx, func(ctx context.Context) error {
		return w.writer.numbered(ctx, func(commit int64) (int64, int, error) {
			if err := w.writer.exec(ctx, "replace_api_prices", source, commit); err != nil {
				return 0, 0, err
			}
			if err := w.writer.insertAPIPrices(ctx, source, prices, commit); err != nil {
				return 0, 0, err
			}
			return int64(len(prices) + len(compare)), 0, w.writer.setCounterparts(ctx, source, compare)
		})
	})
	if err != nil {
		return fmt.Errorf("cannot store %d API prices of %s: %w", len(prices), source, err)
	}
	return nil
}

func (wr *writer) insertAPIPrices(ctx context.Context, source string, prices []catalogue.APIPrice, commit int64) error {
	if len(prices) == 0 {
		return nil
	}
	texts := make([][]string, 9)
	var above, from, to []int64
	for _, p := range prices {
		for i, t := range []string{p.Provider, p.Model, p.ServiceTier, p.Rule, p.Input, p.Cached, p.CacheWrite5m, p.CacheWrite1h, p.Output} {
			texts[i] = append(texts[i], t)
		}
		above, from, to = append(above, p.Above), append(from, p.From.UnixMicro()), append(to, micros(p.To))
	}
	return wr.exec(ctx, "insert_api_prices", texts[0], texts[1], texts[2], above, texts[3], from, to, texts[4], texts[5], texts[6], texts[7], texts[8],
		source, commit)
}

func (wr *writer) setCounterparts(ctx context.Context, source string, compare []catalogue.Counterpart) error {
	if err := wr.exec(ctx, "delete_api_counterparts", source); err != nil {
		return err
	}
	for _, c := range compare {
		if err := wr.exec(ctx, "insert_api_counterpart", c.Model, c.Provider, c.APIModel, source); err != nil {
			return err
		}
	}
	return nil
}
