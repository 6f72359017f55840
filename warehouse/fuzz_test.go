package warehouse

import (
	"strings"
	"testing"
)

// Whatever a price list holds, it is read or refused in words; what was read has a type, a date and an exact amount, which
// reads the same again.
func FuzzPrices(f *testing.F) {
	for _, list := range []string{
		"gpu_type,valid_from,usd_per_hour\nH100,2026-01-31,2.95\n",
		"usd_per_hour, gpu_type ,valid_from\n0.000000000001,\"A,100\",2026-01-31T00:00:00Z\n",
		"gpu_type,valid_from,usd_per_hour\nH100,2026-01-31 10:00:00,1e3\n", "gpu_type,gpu_type,valid_from,usd_per_hour\n,,,\n", "", "\xff\n",
	} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		prices, err := ReadPrices(strings.NewReader(list))
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		for _, p := range prices {
			again, err := readPrice(p.GPUType, p.From.Format("2006-01-02T15:04:05.999999999Z07:00"), p.USDPerHour)
			if err != nil || again.USDPerHour != p.USDPerHour || !again.From.Equal(p.From) || !amount.MatchString(p.USDPerHour) {
				t.Errorf("%+v reads again as %+v: %v", p, again, err)
			}
		}
	})
}
