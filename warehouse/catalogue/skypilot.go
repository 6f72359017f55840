package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
)

// instance is a row of a catalogue of instance types: what the whole instance costs an hour, and the GPUs in it.
type instance struct {
	name, accelerator, region string
	gpus                      *big.Rat
	price, spot               *big.Rat // nil: none is offered
}

// readSkyPilot reads a SkyPilot catalogue (schema v8). A price there is that of the instance: a GPU's is that over their count, which
// is written 8 or 8.0. An empty SpotPrice is no offer, not a price of 0. GpuInfo is a Python dict whose totals count GPUs in some
// catalogues and not in others: it is not read.
func readSkyPilot(r io.Reader, o Options) (list List, err error) {
	if o.From.IsZero() {
		return list, errors.New("a SkyPilot catalogue names no time from which its prices hold: give one (--from)")
	}
	t, err := newTable("SkyPilot catalogue", r, "InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "Region", "SpotPrice")
	if err != nil {
		return list, err
	}
	var all []instance
	err = t.each(func() error {
		if t.get("AcceleratorName") == "" || t.get("AcceleratorCount") == "" {
			list.Skipped = append(list.Skipped, t.get("InstanceType")+": it has no GPU")
			return nil
		}
		i, err := readInstance(t)
		if o.Region == "" || o.Region == i.region {
			all = append(all, i)
		}
		return err
	})
	if err != nil {
		return list, err
	}
	if o.ByType {
		all = smallest(all)
	}
	for _, i := range all {
		list.Prices = append(list.Prices, i.prices(o)...)
	}
	return list, nil
}

func readInstance(t *table) (i instance, err error) {
	i = instance{name: t.get("InstanceType"), accelerator: t.get("AcceleratorName"), region: t.get("Region")}
	if i.gpus, err = parseNumber("AcceleratorCount", t.get("AcceleratorCount")); err != nil {
		return i, err
	}
	if i.gpus.Sign() == 0 {
		return i, fmt.Errorf("%s has an accelerator and a count of 0", i.name)
	}
	for _, p := range []struct {
		name string
		into **big.Rat
	}{{"Price", &i.price}, {"SpotPrice", &i.spot}} {
		if text := t.get(p.name); text != "" {
			if *p.into, err = parseNumber(p.name, text); err != nil {
				return i, err
			}
		}
	}
	return i, nil
}

// smallest keeps, of each accelerator and region, the instance with the fewest GPUs, the cheapest of several.
func smallest(all []instance) []instance {
	slices.SortFunc(all, func(a, b instance) int {
		return cmp.Or(cmp.Compare(a.accelerator, b.accelerator), cmp.Compare(a.region, b.region), a.gpus.Cmp(b.gpus), cheaper(a.price, b.price),
			cmp.Compare(a.name, b.name))
	})
	return slices.CompactFunc(all, func(a, b instance) bool { return a.accelerator == b.accelerator && a.region == b.region })
}

// cheaper orders prices; none comes last.
func cheaper(a, b *big.Rat) int {
	if a == nil || b == nil {
		return cmp.Compare(btoi(a == nil), btoi(b == nil))
	}
	return a.Cmp(b)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// prices are an instance's prices a GPU.
func (i instance) prices(o Options) (prices []Price) {
	for _, offer := range []struct {
		kind string
		usd  *big.Rat
	}{{"on_demand", i.price}, {"spot", i.spot}} {
		if offer.usd == nil {
			continue
		}
		p := Price{GPUType: i.accelerator, Key: i.name, Region: i.region, Kind: offer.kind, Variant: "list", From: o.From,
			USDPerHour: format(new(big.Rat).Quo(offer.usd, i.gpus)),
			Method:     fmt.Sprintf("%s at %s over %s GPUs", i.name, format(offer.usd), format(i.gpus))}
		if o.ByType {
			p.Key = ""
		}
		if o.Region != "" {
			p.Region = ""
		}
		prices = append(prices, p)
	}
	return prices
}
