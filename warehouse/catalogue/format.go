package catalogue

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Options say what a list does not say of itself.
type Options struct {
	From   time.Time // from when on its prices hold, where it names no time
	Region string    // only rows of this region, for instances of any; "": all, each for instances of its own
	ByType bool      // prices for GPU types, of the smallest instance that has one, not for instance types
	// Watts is the power that GPUs of a type, on a node or on all (""), were measured to take, as a decimal; "": not known.
	Watts func(gpuType, node string) (watts string, err error)
}

// List is what a file holds.
type List struct {
	Prices       []Price
	APIPrices    []APIPrice
	Counterparts []Counterpart
	Skipped      []string // rows that say no price of a GPU, with the reason
}

// Format is a way to write prices.
type Format struct {
	Name, What string
	read       func(io.Reader, Options) (List, error)
}

// Formats are those that are read.
var Formats = []Format{
	{"csv", "gpu_type, valid_from, usd_per_hour, and valid_to, price_key, node, region, kind, variant where wanted", readCSV},
	{"skypilot", "a SkyPilot catalogue: a CSV of instance types, each price that of the whole instance", readSkyPilot},
	{"opencost", "OpenCost's default.json, or a custom price sheet of that shape: its GPU and spotGPU", readOpenCost},
	{"yaml", "prices with list, contracted and effective variants, on-prem rates, and API prices (docs/cost.md)", readYAML},
	{"litellm", "LiteLLM's model_prices JSON: API prices per token", readLiteLLM},
}

// Read reads a list in a format, by its name.
func Read(r io.Reader, format string, o Options) (List, error) {
	var names []string
	for _, f := range Formats {
		if f.Name != format {
			names = append(names, f.Name)
			continue
		}
		list, err := f.read(r, o)
		if err == nil && len(list.Prices) > 0 {
			list.Prices, err = sorted(list.Prices)
		}
		return list, err
	}
	return List{}, fmt.Errorf("a price list cannot be in %q: choose one of %s", format, strings.Join(names, ", "))
}
