package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/inferlake/inferlake/warehouse"
	"github.com/inferlake/inferlake/warehouse/catalogue"
)

type pricesSet struct {
	USD     string `arg:"" name:"usd" help:"What a GPU-hour costs, USD, like 2.95."`
	GPUType string `help:"GPU type that it is for." placeholder:"TYPE"`
	Key     string `help:"Instance type that it is for, as instances say it in price_key." placeholder:"NAME"`
	Node    string `help:"Node that it is for." placeholder:"NAME"`
	Region  string `help:"Region that it is for." placeholder:"NAME"`
	Kind    string `help:"How it is bought: on_demand, spot, reserved or on_prem. Default: any but spot." enum:",on_demand,spot,reserved,on_prem" default:""`
	Variant string `help:"list, contracted, or effective: with commitments spread over their hours." enum:"list,contracted,effective" default:"list"`
	From    string `required:"" help:"From when on it holds, UTC." placeholder:"TIME"`
	To      string `help:"Until when, UTC. Default: until the next price for the same." placeholder:"TIME"`
	Source  string `help:"Who says so." default:"set" placeholder:"NAME"`
}

func (c *pricesSet) Run(ctx context.Context, log *slog.Logger, data folder) error {
	price := warehouse.Price{GPUType: c.GPUType, Key: c.Key, Node: c.Node, Region: c.Region, Kind: c.Kind, Variant: c.Variant, USDPerHour: c.USD}
	for _, t := range []struct {
		name, text string
		into       *time.Time
	}{{"--from", c.From, &price.From}, {"--to", c.To, &price.To}} {
		if t.text == "" {
			continue
		}
		var err error
		if *t.into, err = catalogue.ParseTime(t.name, t.text); err != nil {
			return err
		}
	}
	if err := price.Check(); err != nil {
		return err
	}
	return data.changePrices(ctx, log, priceChange{Set: &namedPrice{c.Source, price}})
}
