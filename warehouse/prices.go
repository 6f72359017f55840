package warehouse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/inferlake/inferlake/warehouse/catalogue"

	text "github.com/inferlake/inferlake/sql"
)

// Price is what an hour of a GPU costs, for which instances and from when to when.
type Price = catalogue.Price

// PriceList is the source of the prices that SetPrices keeps.
const PriceList = "price list"

// SetPrices replaces the prices of the price list.
func (w *Warehouse) SetPrices(ctx context.Context, prices []Price) error {
	return w.SetPricesOf(ctx, PriceList, prices)
}

// SetPricesOf replaces what a source said of prices; the same again changes nothing. What is replaced is kept, and no longer counts.
func (w *Warehouse) SetPricesOf(ctx context.Context, source string, prices []Price) error {
	return w.storePrices(ctx, source, prices, true)
}

// AddPrices adds to what a source said. Of prices for the same from the same time on, the last one counts.
func (w *Warehouse) AddPrices(ctx context.Context, source string, prices []Price) error {
	return w.storePrices(ctx, source, prices, false)
}

func (w *Warehouse) storePrices(ctx context.Context, source string, prices []Price, replace bool) error {
	err := w.writer.do(ctx, func(ctx context.Context) error {
		if replace {
			if same, err := w.writer.saysAlready(ctx, source, prices); err != nil || same {
				return err
			}
		}
		return w.writer.numbered(ctx, func(commit int64) (int64, int, error) {
			if replace {
				if err := w.writer.exec(ctx, "replace_prices", source, commit); err != nil {
					return 0, 0, err
				}
			}
			return int64(len(prices)), 0, w.writer.insertPrices(ctx, source, prices, commit)
		})
	})
	if err != nil {
		return fmt.Errorf("cannot store %d prices of %s: %w", len(prices), source, err)
	}
	return nil
}

func (wr *writer) insertPrices(ctx context.Context, source string, prices []Price, commit int64) error {
	if len(prices) == 0 {
		return nil
	}
	texts := make([][]string, 8)
	var from, to []int64
	for _, p := range prices {
		for i, t := range []string{p.GPUType, p.USDPerHour, p.Key, p.Node, p.Region, p.Kind, p.Variant, p.Method} {
			texts[i] = append(texts[i], t)
		}
		from, to = append(from, p.From.UnixMicro()), append(to, micros(p.To))
	}
	return wr.exec(ctx, "insert_prices", texts[0], from, to, texts[1], texts[2], texts[3], texts[4], texts[5], texts[6], texts[7], source, commit)
}

// micros is a time as microseconds since 1970, 0 for none: the driver panics on a NULL in a list.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// saysAlready says whether a source says these prices now.
func (wr *writer) saysAlready(ctx context.Context, source string, prices []Price) (bool, error) {
	var said []Price
	err := each(ctx, wr.conn, text.Statement("prices_of"), []any{source}, func(scan scanner) error {
		var p Price
		var from, to int64
		err := scan(&p.GPUType, &from, &to, &p.USDPerHour, &p.Key, &p.Node, &p.Region, &p.Kind, &p.Variant, &p.Method)
		p.From = time.UnixMicro(from).UTC()
		if to != 0 {
			p.To = time.UnixMicro(to).UTC()
		}
		said = append(said, p)
		return err
	})
	want := slices.Clone(prices)
	slices.SortStableFunc(want, catalogue.Compare)
	slices.SortStableFunc(said, catalogue.Compare)
	return err == nil && slices.EqualFunc(said, want, func(a, b Price) bool {
		return catalogue.Compare(a, b) == 0 && a.To.Equal(b.To) && a.Method == b.Method && catalogue.SameAmount(a.USDPerHour, b.USDPerHour)
	}), err
}

// DropPrices takes back what a source said, of GPUs, APIs and counterparts.
func (w *Warehouse) DropPrices(ctx context.Context, source string) error {
	var dropped int64
	err := w.writer.do(ctx, func(ctx context.Context) error {
		return w.writer.numbered(ctx, func(commit int64) (int64, int, error) {
			for _, name := range []string{"replace_prices", "replace_api_prices"} {
				result, err := w.writer.conn.ExecContext(ctx, text.Statement(name), source, commit)
				if err != nil {
					return 0, 0, err
				}
				n, err := result.RowsAffected()
				if dropped += n; err != nil {
					return 0, 0, err
				}
			}
			return dropped, 0, w.writer.exec(ctx, "delete_api_counterparts", source)
		})
	})
	if err == nil && dropped == 0 {
		err = errors.New("there are none: inferlake prices list shows the sources")
	}
	if err != nil {
		return fmt.Errorf("cannot drop the prices of %q: %w", source, err)
	}
	return nil
}

// UsePrices says of which variant costs are made, where it is known.
func (w *Warehouse) UsePrices(ctx context.Context, variant string) error {
	if !slices.Contains(catalogue.Variants, variant) {
		return fmt.Errorf("costs cannot be made of %q prices: choose one of %v", variant, catalogue.Variants)
	}
	err := w.writer.do(ctx, func(ctx context.Context) error {
		return w.writer.numbered(ctx, func(int64) (int64, int, error) {
			if err := w.writer.exec(ctx, "delete_price_setting", "price_variant"); err != nil {
				return 0, 0, err
			}
			return 1, 0, w.writer.exec(ctx, "insert_price_setting", "price_variant", variant)
		})
	})
	if err != nil {
		return fmt.Errorf("cannot keep which prices costs are made of: %w", err)
	}
	return nil
}

// MeasuredWatts is the mean power of GPUs of a type, on a node or on any (""), in [from, to): what their energy counters rose by, over
// the time in which they were seen. "" is unknown.
func (w *Warehouse) MeasuredWatts(ctx context.Context, gpuType, node string, from, to time.Time) (watts string, err error) {
	r, err := w.Query(ctx, text.Statement("measured_watts"), map[string]any{"gpu_type": gpuType, "node": node, "from": from, "to": to})
	if err != nil {
		return "", fmt.Errorf("cannot read the power of %s: %w", gpuType, err)
	}
	if len(r.Rows) == 0 || r.Rows[0][0] == nil {
		return "", nil
	}
	return fmt.Sprint(r.Rows[0][0]), nil
}
