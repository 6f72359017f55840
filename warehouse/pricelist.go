package warehouse

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
)

var amount = regexp.MustCompile(`^\d{1,20}(\.\d{1,12})?$`)

// ReadPrices reads a CSV of gpu_type, valid_from and usd_per_hour, with these names in its first line in any order.
func ReadPrices(r io.Reader) ([]Price, error) {
	lines := csv.NewReader(r)
	lines.TrimLeadingSpace = true
	header, err := lines.Read()
	if err != nil {
		return nil, fmt.Errorf("cannot read the price list's first line: %w", err)
	}
	at := map[string]int{}
	for i, name := range header {
		at[strings.TrimSpace(name)] = i
	}
	for _, name := range []string{"gpu_type", "valid_from", "usd_per_hour"} {
		if _, ok := at[name]; !ok {
			return nil, fmt.Errorf("the price list has no column %s: its first line is %q", name, strings.Join(header, ","))
		}
	}
	var prices []Price
	for {
		line, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return prices, nil
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the price list: %w", err)
		}
		p, err := readPrice(line[at["gpu_type"]], line[at["valid_from"]], line[at["usd_per_hour"]])
		if err != nil {
			row, _ := lines.FieldPos(0)
			return nil, fmt.Errorf("line %d of the price list: %w", row, err)
		}
		prices = append(prices, p)
	}
}

func readPrice(gpuType, validFrom, usdPerHour string) (p Price, err error) {
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if p.From, err = time.Parse(layout, validFrom); err == nil {
			break
		}
	}
	switch {
	case gpuType == "":
		return p, errors.New("gpu_type is empty")
	case err != nil:
		return p, fmt.Errorf("valid_from %q is no date such as 2026-01-31 or 2026-01-31T00:00:00Z", validFrom)
	case !amount.MatchString(usdPerHour):
		return p, fmt.Errorf("usd_per_hour %q is no amount such as 2.95, of at most 12 decimals", usdPerHour)
	}
	p.GPUType, p.USDPerHour = gpuType, usdPerHour
	return p, nil
}
