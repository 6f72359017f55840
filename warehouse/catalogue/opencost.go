package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// readOpenCost reads the GPU prices of an OpenCost price sheet, which are for GPUs of any type, as they are: what a sheet asks for CPU and memory changes none of them.
// A GPU with no price there has none here; "0" is free.
func readOpenCost(r io.Reader, o Options) (list List, err error) {
	if o.From.IsZero() {
		return list, errors.New("an OpenCost price sheet names no time from which its prices hold: give one (--from)")
	}
	var sheet map[string]any
	d := json.NewDecoder(r)
	d.UseNumber()
	if err := d.Decode(&sheet); err != nil {
		return list, fmt.Errorf("cannot read the OpenCost price sheet: %w", err)
	}
	for _, offer := range []struct{ field, kind string }{{"GPU", "on_demand"}, {"spotGPU", "spot"}} {
		value, told := sheet[offer.field]
		if !told || value == "" {
			continue
		}
		usd, err := parseNumber(offer.field, fmt.Sprint(value))
		if err != nil {
			return list, fmt.Errorf("the OpenCost price sheet: %w", err)
		}
		list.Prices = append(list.Prices, Price{Region: o.Region, Kind: offer.kind, Variant: "list", From: o.From, USDPerHour: format(usd)})
	}
	if len(list.Prices) == 0 {
		return list, errors.New("the OpenCost price sheet has no GPU price: it needs GPU or spotGPU")
	}
	return list, nil
}
