package focus

// kind is what a column holds, and what becomes of it when a charge is split.
type kind int

const (
	dimension kind = iota // repeats the origin's
	metric                // adds up to the origin's
	unitPrice             // repeats the origin's
	tags                  // holds the origin's and more
	split                 // is of the split itself: empty on an origin
)

// format is how a value is written.
type format int

const (
	text format = iota
	decimal
	moment // ISO 8601, UTC: 2026-01-31T00:00:00Z
	object // a JSON object
)

// Column is a column of FOCUS.
type Column struct {
	Name      string
	Mandatory bool // it must be there, else only where it applies
	Nullable  bool
	kind      kind
	format    format
	oneOf     []string // nil: any
}

var units = []string{"GPU-Hours", "GPU-Seconds", "Tokens", "1000 Tokens", "Hours", "Requests"}

// Columns are the columns of FOCUS 1.2 that we write, and those of 1.3 for split costs.
var Columns = []Column{
	{"BilledCost", true, false, metric, decimal, nil},
	{"BillingAccountId", true, false, dimension, text, nil},
	{"BillingAccountName", true, true, dimension, text, nil},
	{"BillingCurrency", true, false, dimension, text, nil},
	{"BillingPeriodStart", true, false, dimension, moment, nil},
	{"BillingPeriodEnd", true, false, dimension, moment, nil},
	{"ChargeCategory", true, false, dimension, text, []string{"Usage", "Purchase", "Tax", "Credit", "Adjustment"}},
	{"ChargeClass", true, true, dimension, text, []string{"Correction"}},
	{"ChargeDescription", true, true, dimension, text, nil},
	{"ChargeFrequency", false, false, dimension, text, []string{"One-Time", "Recurring", "Usage-Based"}},
	{"ChargePeriodStart", true, false, dimension, moment, nil},
	{"ChargePeriodEnd", true, false, dimension, moment, nil},
	{"ConsumedQuantity", false, true, metric, decimal, nil},
	{"ConsumedUnit", false, true, dimension, text, units},
	{"ContractedCost", true, false, metric, decimal, nil},
	{"ContractedUnitPrice", false, true, unitPrice, decimal, nil},
	{"EffectiveCost", true, false, metric, decimal, nil},
	{"InvoiceIssuerName", true, false, dimension, text, nil},
	{"ListCost", true, false, metric, decimal, nil},
	{"ListUnitPrice", false, true, unitPrice, decimal, nil},
	{"PricingCategory", false, true, dimension, text, []string{"Standard", "Dynamic", "Committed", "Other"}},
	{"PricingQuantity", true, true, metric, decimal, nil},
	{"PricingUnit", true, true, dimension, text, units},
	{"ProviderName", true, false, dimension, text, nil},
	{"PublisherName", true, false, dimension, text, nil},
	{"RegionId", false, true, dimension, text, nil},
	{"RegionName", false, true, dimension, text, nil},
	{"ResourceId", false, true, dimension, text, nil},
	{"ResourceName", false, true, dimension, text, nil},
	{"ResourceType", false, true, dimension, text, nil},
	{"ServiceCategory", true, false, dimension, text, []string{"AI and Machine Learning", "Analytics", "Business Applications", "Compute", "Databases",
		"Developer Tools", "Identity", "Integration", "Internet of Things", "Management and Governance", "Media", "Migration", "Mobile", "Multicloud",
		"Networking", "Other", "Security", "Storage", "Web"}},
	{"ServiceName", true, false, dimension, text, nil},
	{"SkuId", false, true, dimension, text, nil},
	{"SkuMeter", false, true, dimension, text, nil},
	{"SkuPriceId", false, true, dimension, text, nil},
	{"SkuPriceDetails", false, true, dimension, object, nil},
	{"SubAccountId", false, true, dimension, text, nil},
	{"SubAccountName", false, true, dimension, text, nil},
	{"Tags", false, true, dimension, object, nil},
	{"AllocatedMethodId", false, true, split, text, nil},
	{"AllocatedMethodDetails", false, true, split, object, nil},
	{"AllocatedResourceId", false, true, split, text, nil},
	{"AllocatedResourceName", false, true, split, text, nil},
	{"AllocatedTags", false, true, tags, object, nil},
}

var byName = func() map[string]Column {
	m := map[string]Column{}
	for _, c := range Columns {
		m[c.Name] = c
	}
	return m
}()
