package catalogue

import (
	"strings"
	"testing"
	"time"
)

// Whatever a list holds, it is read or refused in words; what was read has a date and an exact amount that reads the same again.
func FuzzRead(f *testing.F) {
	for _, seed := range []struct{ format, list string }{
		{"csv", "gpu_type,valid_from,usd_per_hour\nH100,2026-01-31,2.95\n"},
		{"csv", "usd_per_hour, gpu_type ,valid_from\n0.000000000001,\"A,100\",2026-01-31T00:00:00Z\n"},
		{"csv", "gpu_type,valid_from,usd_per_hour\nH100,2026-01-31 10:00:00,1e3\n"}, {"csv", "gpu_type,gpu_type,valid_from,usd_per_hour\n,,,\n"},
		{"csv", ""}, {"csv", "\xff\n"},
		{"skypilot", "InstanceType,AcceleratorName,AcceleratorCount,Price,Region,SpotPrice\na,H100,8.0,23.6,eu,\n"},
		{"opencost", `{"GPU": "0.95", "CPU": 1}`}, {"yaml", "prices: [{gpu_type: H100, list: 2.95}]"},
		{"yaml", "apis: [{provider: p, model: m, input: 1, tiers: [{above_tokens: 9, rule: marginal, input: 2}], service_tiers: {x: 2}}]"},
		{"litellm", `{"m": {"litellm_provider": "p", "input_cost_per_token": 2.5e-06}}`},
	} {
		f.Add(seed.format, seed.list)
	}
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, format, list string) {
		read, err := Read(strings.NewReader(list), format, Options{From: from})
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		for _, p := range read.Prices {
			usd, err := parseAmount("it", p.USDPerHour)
			if err != nil || p.Check() != nil {
				t.Fatalf("%+v was read: %v, %v", p, err, p.Check())
			}
			if again, err := parseAmount("it", format12(p.USDPerHour)); err != nil || again.Cmp(usd) != 0 {
				t.Errorf("%+v reads again as %v: %v", p, again, err)
			}
		}
		for _, p := range read.APIPrices {
			if err := p.check(); err != nil {
				t.Errorf("%+v was read: %v", p, err)
			}
		}
	})
}

// format12 writes an amount with all its places, as DuckDB does.
func format12(text string) string {
	whole, decimals, _ := strings.Cut(text, ".")
	return whole + "." + decimals + strings.Repeat("0", Places-len(decimals))
}
