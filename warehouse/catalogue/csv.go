package catalogue

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// table reads a CSV by the names in its first line, in any order.
type table struct {
	what  string
	lines *csv.Reader
	at    map[string]int
	line  []string
}

func newTable(what string, r io.Reader, names ...string) (*table, error) {
	t := &table{what: what, lines: csv.NewReader(r), at: map[string]int{}}
	t.lines.TrimLeadingSpace = true
	header, err := t.lines.Read()
	if err != nil {
		return nil, fmt.Errorf("cannot read the %s's first line: %w", what, err)
	}
	for i, name := range header {
		t.at[strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))] = i
	}
	for _, name := range names {
		if _, ok := t.at[name]; !ok {
			return nil, fmt.Errorf("the %s has no column %s: its first line is %q", what, name, strings.Join(header, ","))
		}
	}
	return t, nil
}

// each calls f for each line; what it refuses is told with the line's number.
func (t *table) each(f func() error) error {
	for {
		line, err := t.lines.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot read the %s: %w", t.what, err)
		}
		t.line = line
		if err := f(); err != nil {
			row, _ := t.lines.FieldPos(0)
			return fmt.Errorf("line %d of the %s: %w", row, t.what, err)
		}
	}
}

// get is a field of the line, "" where the table has no such column.
func (t *table) get(name string) string {
	if i, ok := t.at[name]; ok {
		return strings.TrimSpace(t.line[i])
	}
	return ""
}

// readCSV reads a list of gpu_type, valid_from and usd_per_hour; it may also have valid_to, price_key, node, region, kind and variant.
func readCSV(r io.Reader, _ Options) (List, error) {
	t, err := newTable("price list", r, "gpu_type", "valid_from", "usd_per_hour")
	if err != nil {
		return List{}, err
	}
	var list List
	err = t.each(func() error {
		p := Price{GPUType: t.get("gpu_type"), Key: t.get("price_key"), Node: t.get("node"), Region: t.get("region"), Kind: t.get("kind"),
			Variant: t.get("variant"), USDPerHour: t.get("usd_per_hour")}
		if p.GPUType == "" && p.Key == "" && p.Node == "" {
			return errors.New("gpu_type is empty")
		}
		if p.From, err = ParseTime("valid_from", t.get("valid_from")); err != nil {
			return err
		}
		if to := t.get("valid_to"); to != "" {
			if p.To, err = ParseTime("valid_to", to); err != nil {
				return err
			}
		}
		list.Prices = append(list.Prices, p)
		return p.Check()
	})
	return list, err
}
