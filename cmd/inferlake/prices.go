package main

import (
	"context"
	"fmt"
	"os"

	"github.com/inferlake/inferlake/warehouse"
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
	prices, err := warehouse.ReadPrices(file)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Prices, err)
	}
	return house.SetPrices(ctx, prices)
}
