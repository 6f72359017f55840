package catalogue

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"time"
)

// Rules are how prices above a number of tokens hold: for all of a longer prompt, or for what of it lies beyond.
var Rules = []string{"whole_prompt", "marginal"}

// APIPrice is what an API asks for a million tokens. "" is no price: tokens of that kind are not sold, or not apart.
type APIPrice struct {
	Provider, Model string
	ServiceTier     string // "": the standard one
	Above           int64  // tokens of a prompt from which on it holds, exclusive
	Rule            string // one of Rules, where Above is not 0
	From, To        time.Time
	Amounts
}

// Amounts are USD for a million tokens of each kind, decimals.
type Amounts struct {
	Input        string `yaml:"input"`
	Cached       string `yaml:"cached"`         // read from the cache
	CacheWrite5m string `yaml:"cache_write_5m"` // written to it for 5 minutes
	CacheWrite1h string `yaml:"cache_write_1h"` // for an hour
	Output       string `yaml:"output"`
}

// each calls f for each amount.
func (a *Amounts) each(f func(name string, amount *string) error) error {
	return errors.Join(f("input", &a.Input), f("cached", &a.Cached), f("cache_write_5m", &a.CacheWrite5m), f("cache_write_1h", &a.CacheWrite1h),
		f("output", &a.Output))
}

// or fills what is not there with what another has.
func (a Amounts) or(b Amounts) Amounts {
	for _, f := range []struct{ into, from *string }{{&a.Input, &b.Input}, {&a.Cached, &b.Cached}, {&a.CacheWrite5m, &b.CacheWrite5m},
		{&a.CacheWrite1h, &b.CacheWrite1h}, {&a.Output, &b.Output}} {
		if *f.into == "" {
			*f.into = *f.from
		}
	}
	return a
}

// times multiplies every amount that is there.
func (a Amounts) times(factor *big.Rat) (Amounts, error) {
	err := a.each(func(name string, amount *string) error {
		if *amount == "" {
			return nil
		}
		usd, err := parseAmount(name, *amount)
		if err == nil {
			*amount = format(usd.Mul(usd, factor))
		}
		return err
	})
	return a, err
}

// sheetAPI is one entry of apis: USD for a million tokens. A service tier multiplies all of them.
type sheetAPI struct {
	Provider     string `yaml:"provider"`
	Model        string `yaml:"model"`
	From         string `yaml:"from"`
	To           string `yaml:"to"`
	Amounts      `yaml:",inline"`
	Tiers        []sheetTier       `yaml:"tiers"`
	ServiceTiers map[string]string `yaml:"service_tiers"`
}

// sheetTier is what prompts of more tokens cost; what it does not name costs what it costs below.
type sheetTier struct {
	Above   string `yaml:"above_tokens"`
	Rule    string `yaml:"rule"`
	Amounts `yaml:",inline"`
}

func (e sheetAPI) prices(o Options) ([]APIPrice, error) {
	base := APIPrice{Provider: e.Provider, Model: e.Model, From: o.From, Amounts: e.Amounts}
	var err error
	if e.From != "" {
		base.From, err = ParseTime("from", e.From)
	}
	if e.To != "" && err == nil {
		base.To, err = ParseTime("to", e.To)
	}
	if err != nil {
		return nil, err
	}
	prices := []APIPrice{base}
	for _, t := range e.Tiers {
		tier := base
		tier.Rule, tier.Amounts = t.Rule, t.Amounts.or(e.Amounts)
		if tier.Above, err = strconv.ParseInt(t.Above, 10, 64); err != nil || tier.Above <= 0 {
			return nil, fmt.Errorf("above_tokens cannot be %q: it takes a number of tokens", t.Above)
		}
		prices = append(prices, tier)
	}
	return withServiceTiers(prices, e.ServiceTiers)
}

// withServiceTiers adds the prices of the service tiers, and checks all.
func withServiceTiers(prices []APIPrice, factors map[string]string) ([]APIPrice, error) {
	standard := len(prices)
	for _, name := range sortedKeys(factors) {
		factor, err := parseNumber("the factor of service tier "+name, factors[name])
		if err != nil {
			return nil, err
		}
		for _, p := range prices[:standard] {
			p.ServiceTier = name
			if p.Amounts, err = p.times(factor); err != nil {
				return nil, err
			}
			prices = append(prices, p)
		}
	}
	var err error
	for _, p := range prices {
		err = errors.Join(err, p.check())
	}
	return prices, err
}

func (p APIPrice) check() error {
	switch {
	case p.Provider == "" || p.Model == "":
		return errors.New("an API price needs a provider and a model")
	case p.From.IsZero():
		return fmt.Errorf("the price of %s/%s has no time from which it holds", p.Provider, p.Model)
	case p.Above > 0 && !slices.Contains(Rules, p.Rule):
		return fmt.Errorf("the rule of %s/%s above %d tokens cannot be %q: choose one of %v", p.Provider, p.Model, p.Above, p.Rule, Rules)
	}
	return p.each(func(name string, amount *string) error {
		if *amount == "" {
			return nil
		}
		_, err := parseAmount(name+" of "+p.Provider+"/"+p.Model, *amount)
		return err
	})
}

func sortedKeys[V any](m map[string]V) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
