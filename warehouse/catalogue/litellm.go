package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// litellmFields are the names of LiteLLM's amounts, USD a token, that we know; a name may go on with _above_200k_tokens and with a
// service tier.
var litellmFields = map[string]func(*Amounts) *string{
	"input_cost_per_token":                      func(a *Amounts) *string { return &a.Input },
	"output_cost_per_token":                     func(a *Amounts) *string { return &a.Output },
	"cache_read_input_token_cost":               func(a *Amounts) *string { return &a.Cached },
	"cache_creation_input_token_cost":           func(a *Amounts) *string { return &a.CacheWrite5m },
	"cache_creation_input_token_cost_above_1hr": func(a *Amounts) *string { return &a.CacheWrite1h },
}

// litellmName takes a field's name apart: the amount, the tokens above which it holds, the service tier.
var litellmName = regexp.MustCompile(`^(.+?(?:_token|_token_cost(?:_above_1hr)?))(?:_above_(\d+)k_tokens)?(?:_(priority|flex|batches))?$`)

// readLiteLLM reads the prices of text models out of LiteLLM's model_prices JSON. Prices above a number of tokens hold for the whole
// prompt there.
func readLiteLLM(r io.Reader, o Options) (list List, err error) {
	if o.From.IsZero() {
		return list, errors.New("LiteLLM's list names no time from which its prices hold: give one (--from)")
	}
	var models map[string]map[string]any
	d := json.NewDecoder(r)
	d.UseNumber()
	if err := d.Decode(&models); err != nil {
		return list, fmt.Errorf("cannot read LiteLLM's list: %w", err)
	}
	for _, name := range sortedKeys(models) {
		provider, _ := models[name]["litellm_provider"].(string)
		if name == "sample_spec" || provider == "" {
			continue
		}
		prices, err := litellmPrices(APIPrice{Provider: provider, Model: strings.TrimPrefix(name, provider+"/"), From: o.From}, models[name])
		if err != nil {
			return list, fmt.Errorf("%s in LiteLLM's list: %w", name, err)
		}
		if len(prices) == 0 {
			list.Skipped = append(list.Skipped, name+": no price a token")
		}
		list.APIPrices = append(list.APIPrices, prices...)
	}
	return list, nil
}

// litellmPrices are the prices of one model, one for each service tier and number of tokens that its fields name; what they do not name
// costs what it costs below that number, or in the standard tier.
func litellmPrices(base APIPrice, fields map[string]any) (prices []APIPrice, err error) {
	at := map[string]int{}
	for _, name := range sortedKeys(fields) {
		m := litellmName.FindStringSubmatch(name)
		value, isNumber := fields[name].(json.Number)
		if m == nil || litellmFields[m[1]] == nil || !isNumber {
			continue
		}
		usd, err := parseNumber(name, value.String())
		if err != nil {
			return nil, err
		}
		if _, there := at[m[2]+m[3]]; !there {
			p := base
			if m[2] != "" {
				thousands, _ := strconv.ParseInt(m[2], 10, 32)
				p.Above, p.Rule = thousands*1000, "whole_prompt"
			}
			p.ServiceTier = m[3]
			at[m[2]+m[3]] = len(prices)
			prices = append(prices, p)
		}
		*litellmFields[m[1]](&prices[at[m[2]+m[3]]].Amounts) = format(usd.Mul(usd, big.NewRat(1_000_000, 1)))
	}
	for i, p := range prices {
		for _, other := range prices {
			if other.Above == 0 && other.ServiceTier == p.ServiceTier || other.Above == p.Above && other.ServiceTier == "" {
				prices[i].Amounts = prices[i].or(other.Amounts)
			}
		}
		if base, there := at[""]; there {
			prices[i].Amounts = prices[i].or(prices[base].Amounts)
		}
	}
	return prices, nil
}
