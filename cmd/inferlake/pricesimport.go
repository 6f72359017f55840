package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/inferlake/inferlake/warehouse/catalogue"
)

type pricesImport struct {
	File      string `arg:"" help:"File to read." type:"path"`
	Format    string `required:"" help:"skypilot (CSV catalogue; the price of an instance is divided by its GPUs), opencost (JSON), yaml (our own: docs/cost.md), csv, or litellm (JSON of API prices)." enum:"skypilot,opencost,yaml,csv,litellm"`
	From      string `help:"From when on its prices hold, UTC, where it names no time itself." placeholder:"TIME"`
	Region    string `help:"Take only rows of this region, for instances of any." placeholder:"NAME"`
	ByType    bool   `help:"Prices for GPU types, those of the smallest instance that has one, instead of for instance types."`
	Source    string `help:"Who says so; what it said before is replaced. Default: the file's name." placeholder:"NAME"`
	PowerFrom string `help:"Start of the time whose measured power counts for on-prem rates with 'watts: measured', UTC. Default: 30 days ago." placeholder:"TIME"`
	PowerTo   string `help:"End of that time, UTC. Default: now." placeholder:"TIME"`
}

// priceList asks to take a list in.
type priceList struct {
	Format    string    `json:"format"`
	Content   []byte    `json:"content"`
	From      time.Time `json:"from"`
	Region    string    `json:"region"`
	ByType    bool      `json:"by_type"`
	Source    string    `json:"source"`
	PowerFrom time.Time `json:"power_from"`
	PowerTo   time.Time `json:"power_to"`
}

// taken says what was taken of a list.
type taken struct {
	Prices       int      `json:"prices"`
	APIPrices    int      `json:"api_prices"`
	Counterparts int      `json:"counterparts"`
	Skipped      []string `json:"skipped"`
}

func (c *pricesImport) Run(ctx context.Context, p program, log *slog.Logger, data folder) error {
	list, err := c.list(time.Now().UTC())
	if err != nil {
		return err
	}
	h, done, err := data.open(ctx, log)
	if err != nil {
		return err
	}
	defer done()
	t, err := h.importPrices(ctx, list)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	for _, why := range t.Skipped {
		fmt.Fprintln(p.stderr, "skipped "+why)
	}
	_, err = fmt.Fprintf(p.stdout, "%s: %d prices of GPUs, %d of APIs, %d models to compare, from source %q\n", c.File, t.Prices, t.APIPrices, t.Counterparts, list.Source)
	return err
}

func (c *pricesImport) list(now time.Time) (l priceList, err error) {
	l = priceList{Format: c.Format, Region: c.Region, ByType: c.ByType, Source: c.Source, PowerFrom: now.AddDate(0, 0, -30), PowerTo: now}
	if l.Source == "" {
		l.Source = filepath.Base(c.File)
	}
	for _, t := range []struct {
		name, text string
		into       *time.Time
	}{{"--from", c.From, &l.From}, {"--power-from", c.PowerFrom, &l.PowerFrom}, {"--power-to", c.PowerTo, &l.PowerTo}} {
		if t.text == "" {
			continue
		}
		if *t.into, err = catalogue.ParseTime(t.name, t.text); err != nil {
			return l, err
		}
	}
	if l.Content, err = os.ReadFile(c.File); err != nil {
		return l, fmt.Errorf("cannot read the price list: %w", err)
	}
	return l, nil
}

func (h *localHouse) importPrices(ctx context.Context, l priceList) (taken, error) {
	list, err := catalogue.Read(bytes.NewReader(l.Content), l.Format, catalogue.Options{From: l.From, Region: l.Region, ByType: l.ByType,
		Watts: func(gpuType, node string) (string, error) {
			return h.MeasuredWatts(ctx, gpuType, node, l.PowerFrom, l.PowerTo)
		}})
	if err != nil {
		return taken{}, err
	}
	if err := h.SetPricesOf(ctx, l.Source, list.Prices); err != nil {
		return taken{}, err
	}
	if err := h.SetAPIPricesOf(ctx, l.Source, list.APIPrices, list.Counterparts); err != nil {
		return taken{}, err
	}
	return taken{len(list.Prices), len(list.APIPrices), len(list.Counterparts), list.Skipped}, nil
}

func (h *remoteHouse) importPrices(ctx context.Context, l priceList) (taken, error) {
	return ask[taken](ctx, h.server, "import-prices", l)
}
