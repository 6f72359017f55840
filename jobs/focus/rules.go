package focus

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Rules are all that must hold, those on which others build first.
var Rules = []Rule{
	{"column-missing", "every mandatory column is there", columnMissing},
	{"column-unknown", "a column is one of FOCUS, or begins with x_ and a capital letter", columnUnknown},
	{"column-twice", "no column is there twice", columnTwice},
	{"row-length", "a row has as many fields as there are names", rowLength},
	{"text-utf8", "text is UTF-8", textUTF8},
	{"not-null", "a column that allows no null has a value", notNull},
	{"decimal", "a number is written plainly: no exponent, no plus, no comma, no unit", ofFormat(decimal)},
	{"datetime", "a time is ISO 8601 in UTC, like 2026-01-31T00:00:00Z", ofFormat(moment)},
	{"json", "tags and details are JSON objects", ofFormat(object)},
	{"enum", "a value is one of those that FOCUS allows for its column", enum},
	{"currency", "BillingCurrency is a code of ISO 4217, the same in all rows", currency},
	{"billing-period", "a billing period begins before it ends", ordered("BillingPeriodStart", "BillingPeriodEnd")},
	{"charge-period", "a charge period begins before it ends", ordered("ChargePeriodStart", "ChargePeriodEnd")},
	{"period-nested", "a charge period lies in its billing period", nested},
	{"negative-cost", "no cost is negative but a correction's or a credit's", negative("BilledCost", "ContractedCost", "EffectiveCost", "ListCost")},
	{"negative-quantity", "no quantity is negative but a correction's", negative("PricingQuantity", "ConsumedQuantity")},
	{"negative-price", "no unit price is negative", negativePrice},
	{"list-cost", "ListUnitPrice × PricingQuantity = ListCost", product("ListUnitPrice", "ListCost")},
	{"contracted-cost", "ContractedUnitPrice × PricingQuantity = ContractedCost", product("ContractedUnitPrice", "ContractedCost")},
	{"pricing-unit", "PricingUnit is there with PricingQuantity, and only then", together("PricingQuantity", "PricingUnit")},
	{"consumed-unit", "ConsumedUnit is there with ConsumedQuantity, and only then", together("ConsumedQuantity", "ConsumedUnit")},
	{"sku-price", "a SkuPriceId is of a SkuId, and SkuPriceDetails are of a SkuPriceId", skuPrice},
	{"account-name", "a billing account has one name", accountName},
	{"key-custom", "keys of details that are not FOCUS's begin with x_", customKeys},
	{"split-without-method", "what describes a split is empty where there is no AllocatedMethodId", splitWithoutMethod},
	{"split-resource", "AllocatedResourceName is of an AllocatedResourceId", splitResource},
	{"origin-twice", "an origin has one row", originTwice},
	{"origin-missing", "a split row has its origin in the file, where the file has origins", originMissing},
	{"ratio", "a split row has an AllocatedRatio of 0 to 1", ratio},
	{"ratio-sum", "the AllocatedRatio of an origin's splits add up to 1", ratioSum},
	{"split-sum", "every cost and quantity of an origin's splits adds up to the origin's", splitSum},
	{"split-repeats", "splits repeat the unit prices and dimensions of their origin", splitRepeats},
	{"split-tags", "AllocatedTags hold the origin's Tags", splitTags},
}

func columnMissing(f *file, refuse refuse) {
	for _, c := range Columns {
		if c.Mandatory && !f.has(c.Name) {
			refuse(-1, c.Name, "", "the file has no such column")
		}
	}
}

var custom = regexp.MustCompile(`^x_[A-Z][A-Za-z0-9]*$`)

func columnUnknown(f *file, refuse refuse) {
	for _, name := range f.names {
		if _, known := byName[name]; !known && !custom.MatchString(name) {
			refuse(-1, name, name, "it is neither a column of FOCUS nor named like x_MyColumn")
		}
	}
}

func columnTwice(f *file, refuse refuse) {
	for i, name := range f.names {
		if slices.Contains(f.names[:i], name) {
			refuse(-1, name, name, "another column has this name")
		}
	}
}

func rowLength(f *file, refuse refuse) {
	for n, row := range f.rows {
		if len(row) != len(f.names) {
			refuse(n, "", fmt.Sprint(len(row)), fmt.Sprintf("there are %d names", len(f.names)))
		}
	}
}

func textUTF8(f *file, refuse refuse) {
	for n, row := range f.rows {
		for i, value := range row {
			if !utf8.ValidString(value) && i < len(f.names) {
				refuse(n, f.names[i], value, "it is not UTF-8")
			}
		}
	}
}

// eachValue calls a function for each value of a known column.
func eachValue(f *file, see func(row int, c Column, value string)) {
	for _, name := range f.names {
		c, known := byName[name]
		for n := range f.rows {
			if known {
				see(n, c, f.get(n, name))
			}
		}
	}
}

func notNull(f *file, refuse refuse) {
	eachValue(f, func(row int, c Column, value string) {
		if value == "" && !c.Nullable {
			refuse(row, c.Name, value, "it must have a value")
		}
	})
}

func ofFormat(want format) func(*file, refuse) {
	return func(f *file, refuse refuse) {
		eachValue(f, func(row int, c Column, value string) {
			if c.format == want && value != "" && !written(f, row, c, value) {
				refuse(row, c.Name, value, "it is not written so")
			}
		})
	}
}

func written(f *file, row int, c Column, value string) bool {
	switch c.format {
	case decimal:
		return plainDecimal.MatchString(value)
	case moment:
		_, ok := f.moment(row, c.Name)
		return ok
	case object:
		_, ok := keyValues(value)
		return ok
	}
	return true
}

// keyValues reads a JSON object.
func keyValues(text string) (map[string]json.RawMessage, bool) {
	var m map[string]json.RawMessage
	err := json.Unmarshal([]byte(text), &m)
	return m, err == nil && m != nil
}

func enum(f *file, refuse refuse) {
	eachValue(f, func(row int, c Column, value string) {
		if value != "" && c.oneOf != nil && !slices.Contains(c.oneOf, value) {
			refuse(row, c.Name, value, "it is none of "+strings.Join(c.oneOf, ", "))
		}
	})
}

var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

func currency(f *file, refuse refuse) {
	for n := range f.rows {
		switch value := f.get(n, "BillingCurrency"); {
		case value != "" && !currencyCode.MatchString(value):
			refuse(n, "BillingCurrency", value, "it is no code like USD")
		case value != f.get(0, "BillingCurrency"):
			refuse(n, "BillingCurrency", value, "the rows before are in "+f.get(0, "BillingCurrency"))
		}
	}
}

func ordered(from, to string) func(*file, refuse) {
	return func(f *file, refuse refuse) {
		for n := range f.rows {
			a, okA := f.moment(n, from)
			b, okB := f.moment(n, to)
			if okA && okB && !a.Before(b) {
				refuse(n, to, f.get(n, to), "it begins at "+f.get(n, from))
			}
		}
	}
}

func nested(f *file, refuse refuse) {
	for n := range f.rows {
		from, ok1 := f.moment(n, "BillingPeriodStart")
		to, ok2 := f.moment(n, "BillingPeriodEnd")
		start, ok3 := f.moment(n, "ChargePeriodStart")
		end, ok4 := f.moment(n, "ChargePeriodEnd")
		if !ok1 || !ok2 || !ok3 || !ok4 {
			continue
		}
		if start.Before(from) || !start.Before(to) {
			refuse(n, "ChargePeriodStart", f.get(n, "ChargePeriodStart"), "it is outside its billing period")
		} else if end.After(to) {
			refuse(n, "ChargePeriodEnd", f.get(n, "ChargePeriodEnd"), "its billing period ends before")
		}
	}
}

func negative(columns ...string) func(*file, refuse) {
	return func(f *file, refuse refuse) {
		for n := range f.rows {
			if f.get(n, "ChargeClass") == "Correction" || f.get(n, "ChargeCategory") == "Credit" {
				continue
			}
			for _, name := range columns {
				if x := f.number(n, name); x != nil && x.Sign() < 0 {
					refuse(n, name, f.get(n, name), "it is negative and no correction")
				}
			}
		}
	}
}

func negativePrice(f *file, refuse refuse) {
	eachValue(f, func(row int, c Column, value string) {
		if c.kind == unitPrice && strings.HasPrefix(value, "-") {
			refuse(row, c.Name, value, "a price is not negative")
		}
	})
}

// together is that two columns of a row have values, or neither.
func together(a, b string) func(*file, refuse) {
	return func(f *file, refuse refuse) {
		for n := range f.rows {
			if (f.get(n, a) == "") != (f.get(n, b) == "") {
				refuse(n, b, f.get(n, b), a+" is "+fmt.Sprintf("%q", f.get(n, a)))
			}
		}
	}
}

func skuPrice(f *file, refuse refuse) {
	for n := range f.rows {
		if f.get(n, "SkuPriceId") != "" && f.get(n, "SkuId") == "" {
			refuse(n, "SkuId", "", "SkuPriceId is "+f.get(n, "SkuPriceId"))
		}
		if f.get(n, "SkuPriceDetails") != "" && f.get(n, "SkuPriceId") == "" {
			refuse(n, "SkuPriceId", "", "there are SkuPriceDetails")
		}
	}
}

func accountName(f *file, refuse refuse) {
	names := map[string]string{}
	for n := range f.rows {
		id, name := f.get(n, "BillingAccountId"), f.get(n, "BillingAccountName")
		if was, seen := names[id]; seen && was != name {
			refuse(n, "BillingAccountName", name, id+" was "+was+" before")
		}
		names[id] = name
	}
}

// focusKeys are the keys of SkuPriceDetails and AllocatedMethodDetails that FOCUS defines.
var focusKeys = []string{"CoreCount", "DiskMaxIops", "DiskSpace", "DiskType", "GpuCount", "InstanceType", "InstanceSeries", "MemorySize", "NetworkMaxIops",
	"NetworkMaxThroughput", "OperatingSystem", "Redundancy", "StorageClass", "Elements"}

func customKeys(f *file, refuse refuse) {
	for n := range f.rows {
		for _, name := range []string{"SkuPriceDetails", "AllocatedMethodDetails"} {
			m, _ := keyValues(f.get(n, name))
			for key := range m {
				if !slices.Contains(focusKeys, key) && !custom.MatchString(key) {
					refuse(n, name, f.get(n, name), "its key "+key+" is none of FOCUS's")
				}
			}
		}
	}
}
