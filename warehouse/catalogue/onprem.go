package catalogue

import (
	"errors"
	"fmt"
	"math/big"
)

// hoursPerYear is that of 365 days.
const hoursPerYear = 8760

// onPrem is what a GPU of one's own costs, all in USD but what is said otherwise. An hour of it costs
// (capex·(1+overhead) − residual) / (life·8760) + watts/1000·PUE·tariff + opex.
type onPrem struct {
	Capex    string `yaml:"capex_usd"`          // of a GPU, with its part of the server
	Overhead string `yaml:"overhead"`           // of capex, for network, racks and installation; 0.15 is 15 %
	Residual string `yaml:"residual_usd"`       // what it is worth at the end of its life
	Life     string `yaml:"life_years"`         // over which it is written off
	Watts    string `yaml:"watts"`              // mean power of a GPU, or "measured"
	Stated   string `yaml:"watts_unmeasured"`   // power to take where none was measured
	PUE      string `yaml:"pue"`                // power of the building over power of the machines, 1 or more
	Tariff   string `yaml:"tariff_usd_per_kwh"` // of electricity
	Opex     string `yaml:"opex_usd_per_hour"`  // a GPU's share of people, space and service
}

// perHour is the price of a GPU-hour, and how it came about.
func (o onPrem) perHour(p Price, measured func(gpuType, node string) (string, error)) (usd *big.Rat, method string, err error) {
	watts, said, err := o.watts(p, measured)
	if err != nil {
		return nil, "", err
	}
	v := map[string]*big.Rat{}
	for _, f := range []struct{ name, text, otherwise string }{
		{"capex_usd", o.Capex, ""}, {"overhead", o.Overhead, "0"}, {"residual_usd", o.Residual, "0"}, {"life_years", o.Life, ""},
		{"watts", watts, ""}, {"pue", o.PUE, ""}, {"tariff_usd_per_kwh", o.Tariff, ""}, {"opex_usd_per_hour", o.Opex, "0"},
	} {
		if f.text == "" {
			f.text = f.otherwise
		}
		if v[f.name], err = parseNumber("on_prem: "+f.name, f.text); err != nil {
			return nil, "", err
		}
	}
	one := big.NewRat(1, 1)
	if v["life_years"].Sign() == 0 || v["pue"].Cmp(one) < 0 {
		return nil, "", errors.New("on_prem: life_years is more than 0, and pue is 1 or more")
	}
	paid := new(big.Rat).Mul(v["capex_usd"], one.Add(one, v["overhead"]))
	paid.Sub(paid, v["residual_usd"])
	if paid.Sign() < 0 {
		return nil, "", errors.New("on_prem: residual_usd is more than what was paid")
	}
	usd = paid.Quo(paid, new(big.Rat).Mul(v["life_years"], big.NewRat(hoursPerYear, 1)))
	power := new(big.Rat).Mul(v["watts"], new(big.Rat).Mul(v["pue"], v["tariff_usd_per_kwh"]))
	usd.Add(usd, power.Quo(power, big.NewRat(1000, 1)))
	usd.Add(usd, v["opex_usd_per_hour"])
	return usd, fmt.Sprintf("on-prem: capex %s, life %s years, %s W %s, PUE %s, %s USD/kWh", o.Capex, o.Life, watts, said, o.PUE, o.Tariff), nil
}

// watts is the power to reckon with, and whether it was stated or measured.
func (o onPrem) watts(p Price, measured func(gpuType, node string) (string, error)) (watts, said string, err error) {
	if o.Watts != "measured" {
		return o.Watts, "stated", nil
	}
	if measured != nil {
		if watts, err = measured(p.GPUType, p.Node); err != nil {
			return "", "", err
		}
	}
	switch {
	case watts != "":
		return watts, "measured", nil
	case o.Stated != "":
		return o.Stated, "stated, none measured", nil
	}
	return "", "", fmt.Errorf("on_prem: no power of %s was measured: give watts, or watts_unmeasured to fall back on", p.what())
}
