package catalogue

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// sheet is the form of our own price lists.
type sheet struct {
	Prices  []sheetPrice        `yaml:"prices"`
	APIs    []sheetAPI          `yaml:"apis"`
	Compare map[string][]string `yaml:"compare"` // served model → PROVIDER/MODEL
}

// sheetPrice is one entry of prices. Amounts are of gpus GPUs together; gpu_share is the part of them that is for the GPUs.
type sheetPrice struct {
	GPUType    string      `yaml:"gpu_type"`
	Key        string      `yaml:"price_key"`
	Node       string      `yaml:"node"`
	Region     string      `yaml:"region"`
	Kind       string      `yaml:"kind"`
	From       string      `yaml:"from"`
	To         string      `yaml:"to"`
	GPUs       string      `yaml:"gpus"`
	GPUShare   string      `yaml:"gpu_share"`
	List       string      `yaml:"list"`
	Contracted string      `yaml:"contracted"`
	Effective  string      `yaml:"effective"`
	Commitment *commitment `yaml:"commitment"`
	OnPrem     *onPrem     `yaml:"on_prem"`
}

// commitment is what was paid ahead and what is paid on, spread over the hours that it is for.
type commitment struct {
	Upfront string `yaml:"upfront_usd"`
	PerHour string `yaml:"usd_per_hour"`
	Hours   string `yaml:"hours"`
}

func readYAML(r io.Reader, o Options) (list List, err error) {
	var s sheet
	d := yaml.NewDecoder(r)
	d.KnownFields(true)
	if err := d.Decode(&s); err != nil && !errors.Is(err, io.EOF) {
		return list, fmt.Errorf("cannot read the price list: %w", err)
	}
	for i, entry := range s.Prices {
		prices, err := entry.prices(o)
		if err != nil {
			return list, fmt.Errorf("price %d of the list: %w", i+1, err)
		}
		list.Prices = append(list.Prices, prices...)
	}
	for i, entry := range s.APIs {
		prices, err := entry.prices(o)
		if err != nil {
			return list, fmt.Errorf("API %d of the list: %w", i+1, err)
		}
		list.APIPrices = append(list.APIPrices, prices...)
	}
	list.Counterparts, err = counterparts(s.Compare)
	return list, err
}

func (e sheetPrice) prices(o Options) (prices []Price, err error) {
	base := Price{GPUType: e.GPUType, Key: e.Key, Node: e.Node, Region: e.Region, Kind: e.Kind, From: o.From}
	if e.From != "" {
		if base.From, err = ParseTime("from", e.From); err != nil {
			return nil, err
		}
	}
	if e.To != "" {
		if base.To, err = ParseTime("to", e.To); err != nil {
			return nil, err
		}
	}
	part, method, err := e.part()
	if err != nil {
		return nil, err
	}
	for _, v := range []struct{ name, text string }{{"list", e.List}, {"contracted", e.Contracted}, {"effective", e.Effective}} {
		if v.text == "" {
			continue
		}
		usd, err := parseAmount(v.name, v.text)
		if err != nil {
			return nil, err
		}
		prices = append(prices, base.of(v.name, usd.Mul(usd, part), method))
	}
	if e.Commitment != nil {
		usd, err := e.Commitment.perHour()
		if err != nil {
			return nil, err
		}
		prices = append(prices, base.of("effective", usd.Mul(usd, part), "upfront and recurring over "+e.Commitment.Hours+" hours"))
	}
	if e.OnPrem != nil {
		usd, method, err := e.OnPrem.perHour(base, o.Watts)
		if err != nil {
			return nil, err
		}
		if base.Kind == "" {
			base.Kind = "on_prem"
		}
		prices = append(prices, base.of("effective", usd, method))
	}
	if len(prices) == 0 {
		return nil, errors.New("it has no amount: give list, contracted, effective, commitment or on_prem")
	}
	for _, p := range prices {
		err = errors.Join(err, p.Check())
	}
	return prices, err
}

// of is the price with an amount.
func (p Price) of(variant string, usd *big.Rat, method string) Price {
	p.Variant, p.USDPerHour, p.Method = variant, format(usd), method
	return p
}

// part is by what an amount is multiplied to be that of a GPU.
func (e sheetPrice) part() (*big.Rat, string, error) {
	part, method := big.NewRat(1, 1), []string{}
	if e.GPUs != "" {
		gpus, err := parseNumber("gpus", e.GPUs)
		if err != nil {
			return nil, "", err
		}
		if gpus.Sign() == 0 {
			return nil, "", errors.New("gpus cannot be 0: they divide the amounts")
		}
		part.Quo(part, gpus)
		method = append(method, "over "+e.GPUs+" GPUs")
	}
	if e.GPUShare != "" {
		share, err := parseNumber("gpu_share", e.GPUShare)
		if err != nil {
			return nil, "", err
		}
		part.Mul(part, share)
		method = append(method, e.GPUShare+" of it for GPUs")
	}
	return part, strings.Join(method, ", "), nil
}

func (c commitment) perHour() (*big.Rat, error) {
	hours, err := parseNumber("commitment: hours", c.Hours)
	if err != nil {
		return nil, err
	}
	if hours.Sign() == 0 {
		return nil, errors.New("commitment: hours cannot be 0")
	}
	sum := new(big.Rat)
	for _, f := range []struct {
		name, text string
		over       *big.Rat
	}{{"upfront_usd", c.Upfront, hours}, {"usd_per_hour", c.PerHour, big.NewRat(1, 1)}} {
		if f.text == "" {
			continue
		}
		usd, err := parseAmount("commitment: "+f.name, f.text)
		if err != nil {
			return nil, err
		}
		sum.Add(sum, usd.Quo(usd, f.over))
	}
	return sum, nil
}

// Counterpart says which model of an API a served model is compared with.
type Counterpart struct {
	Model, Provider, APIModel string
}

func counterparts(compare map[string][]string) (all []Counterpart, err error) {
	for model, names := range compare {
		for _, name := range names {
			provider, apiModel, ok := strings.Cut(name, "/")
			if !ok || provider == "" || apiModel == "" {
				return nil, fmt.Errorf("compare: %s cannot be %q: it takes PROVIDER/MODEL", model, name)
			}
			all = append(all, Counterpart{model, provider, apiModel})
		}
	}
	slices.SortFunc(all, func(a, b Counterpart) int {
		return strings.Compare(a.Model+"\x00"+a.Provider+"\x00"+a.APIModel, b.Model+"\x00"+b.Provider+"\x00"+b.APIModel)
	})
	return all, nil
}
