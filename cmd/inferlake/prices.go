package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/inferlake/inferlake/warehouse"
	"github.com/inferlake/inferlake/warehouse/catalogue"
)

// priceSettings are the flags of commands that need prices.
type priceSettings struct {
	Prices string `help:"Price list to keep, CSV with gpu_type, valid_from and usd_per_hour." placeholder:"FILE" type:"path"`
}

// load keeps the price list, where one is given.
func (s priceSettings) load(ctx context.Context, house *warehouse.Warehouse) error {
	if s.Prices == "" {
		return nil
	}
	file, err := os.Open(s.Prices)
	if err != nil {
		return fmt.Errorf("cannot read the price list: %w", err)
	}
	defer file.Close()
	list, err := catalogue.Read(file, "csv", catalogue.Options{})
	if err != nil {
		return fmt.Errorf("%s: %w", s.Prices, err)
	}
	return house.SetPrices(ctx, list.Prices)
}

// pricesCommand is about what GPUs and APIs cost.
type pricesCommand struct {
	Import pricesImport `cmd:"" help:"Take in a price list or a catalogue; it replaces what the same source said before."`
	Set    pricesSet    `cmd:"" help:"Say one price of a GPU-hour."`
	Use    pricesUse    `cmd:"" help:"Choose which prices costs are made of: effective, contracted or list."`
	Drop   pricesDrop   `cmd:"" help:"Take back all prices of a source."`
	List   pricesList   `cmd:"" help:"Print the prices that hold (report prices)."`
}

type pricesUse struct {
	Variant string `arg:"" help:"effective (where none is known: contracted, then list), contracted (then list), or list." enum:"effective,contracted,list"`
}

type pricesDrop struct {
	Source string `arg:"" help:"Source, as prices list shows it."`
}

type pricesList struct {
	APIs   bool   `name:"apis" help:"Those of APIs (report api_prices)."`
	Format string `help:"table, json, csv or markdown." enum:"table,json,csv,markdown" default:"table"`
}

func (c *pricesUse) Run(ctx context.Context, log *slog.Logger, data folder) error {
	return data.changePrices(ctx, log, priceChange{Use: c.Variant})
}

func (c *pricesDrop) Run(ctx context.Context, log *slog.Logger, data folder) error {
	return data.changePrices(ctx, log, priceChange{Drop: c.Source})
}

func (c *pricesList) Run(ctx context.Context, p program, log *slog.Logger, data folder) error {
	report := reportCommand{Name: "prices", Format: c.Format}
	if c.APIs {
		report.Name = "api_prices"
	}
	return report.Run(ctx, p, log, data)
}

// priceChange asks for one change of the prices.
type priceChange struct {
	Use  string      `json:"use"`  // variant that costs are made of
	Drop string      `json:"drop"` // source to take back
	Set  *namedPrice `json:"set"`
}

// namedPrice is a price with who said it.
type namedPrice struct {
	Source string          `json:"source"`
	Price  warehouse.Price `json:"price"`
}

// changePrices has one change made by whoever has the warehouse open.
func (f folder) changePrices(ctx context.Context, log *slog.Logger, change priceChange) error {
	h, done, err := f.open(ctx, log)
	if err != nil {
		return err
	}
	defer done()
	_, err = h.changePrices(ctx, change)
	return err
}

func (h *localHouse) changePrices(ctx context.Context, c priceChange) (none, error) {
	switch {
	case c.Use != "":
		return none{}, h.UsePrices(ctx, c.Use)
	case c.Drop != "":
		return none{}, h.DropPrices(ctx, c.Drop)
	case c.Set != nil:
		return none{}, h.AddPrices(ctx, c.Set.Source, []warehouse.Price{c.Set.Price})
	}
	return none{}, nil
}

func (h *remoteHouse) changePrices(ctx context.Context, c priceChange) (none, error) {
	return ask[none](ctx, h.server, "change-prices", c)
}
