package dealership

import (
	"fmt"
	"strings"

	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
	"slipway/internal/vocab/patch"
)

// TaxRule is a tax that new deals have.
type TaxRule struct {
	_ struct{} `doc:"A tax that new deals have." privacy:"plain"`

	Name         string        `json:"name" minLength:"1" maxLength:"100" doc:"Name of the tax, as documents show it." example:"Florida sales tax"`
	RatePercent  money.Percent `json:"rate_percent" maxLength:"10" doc:"Rate as a decimal with up to four places." example:"6"`
	Base         TaxBase       `json:"base" required:"false" doc:"What is taxed: the price and the taxable line items (deal), only the price (price), or only the taxable line items (lines). Defaults to deal."`
	BaseCapCents *int64        `json:"base_cap_cents" required:"false" minimum:"0" maximum:"100000000000" doc:"Only this much of the base is taxed. For example, a county surtax on the first $5,000. Null if there is no limit."`
	CapCents     *int64        `json:"cap_cents" required:"false" minimum:"0" maximum:"100000000000" doc:"Highest amount of the tax. Null if there is no limit." example:"1800000"`
	Jurisdiction *string       `json:"jurisdiction" required:"false" minLength:"1" maxLength:"100" doc:"Who receives the tax, for the tax report. Null if the name says it." example:"Florida" since:"next"`
}

// BuyerTax is what buyers from a region pay instead of the taxes of the location.
type BuyerTax struct {
	_ struct{} `doc:"What buyers from a region pay instead of the taxes of the location. Send either exempt_reason or taxes."`

	Region       string    `json:"region" minLength:"1" maxLength:"100" doc:"State, province or region in the buyer's address. Ignores case." example:"DE"`
	ExemptReason *string   `json:"exempt_reason" required:"false" minLength:"1" maxLength:"200" doc:"Why these buyers are exempt from the taxes of the location. Null if they pay other taxes." example:"Vessel is removed to Delaware within 10 days"`
	Taxes        *TaxRules `json:"taxes" required:"false" nullable:"true" maxItems:"10" doc:"Taxes that these buyers pay. Null if they are exempt."`
}

// BuyerTaxes are the taxes of new deals by the buyer's region.
type BuyerTaxes []BuyerTax

func checkBuyerTaxes(bad *fault.Fields, all *BuyerTaxes) {
	if all == nil {
		return
	}
	seen := map[string]bool{}
	for i, b := range *all {
		field := fmt.Sprintf("buyer_taxes[%d]", i)
		if key := regionKey(b.Region); seen[key] {
			bad.Add(field+".region", "duplicate", "is the region of another rule")
		} else {
			seen[key] = true
		}
		if (b.ExemptReason == nil) == (b.Taxes == nil) {
			bad.Add(field+".exempt_reason", "exclusive", "is required, or taxes, but not both")
		}
		if b.Taxes != nil {
			checkTaxes(bad, field+".taxes", *b.Taxes)
		}
	}
}

func regionKey(region string) string { return strings.ToUpper(strings.TrimSpace(region)) }

// ForBuyer returns the rule of a location for buyers from a region, or nil if there is none.
func (l Location) ForBuyer(region string) *BuyerTax {
	if l.BuyerTaxes == nil {
		return nil
	}
	for _, b := range *l.BuyerTaxes {
		if regionKey(b.Region) == regionKey(region) {
			return &b
		}
	}
	return nil
}

// TaxBase is what is taxed.
type TaxBase string

// The values.
const (
	TaxDeal  TaxBase = "deal"
	TaxPrice TaxBase = "price"
	TaxLines TaxBase = "lines"
)

var allTaxBases = enum.Of("TaxBase", "What is taxed: the price and the taxable line items, or only one of them.",
	TaxDeal, TaxPrice, TaxLines)

func (TaxBase) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allTaxBases.Describe(s)
}

// TaxRules are the taxes of new deals.
type TaxRules []TaxRule

// checkTaxes fills in the defaults and validates what the schema can't express.
func checkTaxes(bad *fault.Fields, field string, rules []TaxRule) {
	for i := range rules {
		rules[i].RatePercent.Check(bad, fmt.Sprintf("%s[%d].rate_percent", field, i))
		if rules[i].Base == "" {
			rules[i].Base = TaxDeal
		}
	}
}

// TaxableLines is which kinds of line items are taxable by default.
type TaxableLines struct {
	_ struct{} `doc:"Which kinds of line items are taxable by default."`

	Fee       bool `json:"fee" doc:"Whether fees are taxable."`
	Product   bool `json:"product" doc:"Whether products are taxable. Also the default for products of finance structures."`
	Accessory bool `json:"accessory" doc:"Whether accessories are taxable."`
	Discount  bool `json:"discount" doc:"Whether a discount reduces the taxable amount."`
	Rebate    bool `json:"rebate" doc:"Whether a rebate reduces the taxable amount."`
}

// Taxes reports whether a kind of line item is taxable by default.
func (t TaxableLines) Taxes(kind string) bool {
	return map[string]bool{
		"fee": t.Fee, "product": t.Product, "accessory": t.Accessory, "discount": t.Discount, "rebate": t.Rebate,
	}[kind]
}

// TaxableLinesPatch changes which kinds of line items are taxable by default.
type TaxableLinesPatch struct {
	Fee       patch.Value[bool] `json:"fee,omitzero" doc:"Whether fees are taxable."`
	Product   patch.Value[bool] `json:"product,omitzero" doc:"Whether products are taxable. Also the default for products of finance structures."`
	Accessory patch.Value[bool] `json:"accessory,omitzero" doc:"Whether accessories are taxable."`
	Discount  patch.Value[bool] `json:"discount,omitzero" doc:"Whether a discount reduces the taxable amount."`
	Rebate    patch.Value[bool] `json:"rebate,omitzero" doc:"Whether a rebate reduces the taxable amount."`
}

func (p TaxableLinesPatch) apply(t *TaxableLines) {
	p.Fee.To(&t.Fee)
	p.Product.To(&t.Product)
	p.Accessory.To(&t.Accessory)
	p.Discount.To(&t.Discount)
	p.Rebate.To(&t.Rebate)
}

// TaxesAt returns the taxes of new deals at a location: those of the location,
// those of the dealership, or its single rate.
func (s Settings) TaxesAt(l Location) TaxRules {
	switch {
	case l.DefaultTaxes != nil:
		return *l.DefaultTaxes
	case len(s.DefaultTaxes) > 0:
		return s.DefaultTaxes
	}
	return OneTax(money.Percent(s.DefaultTaxRatePercent))
}

// OneTax returns the taxes that a single rate stands for. A rate of 0 is no tax.
func OneTax(rate money.Percent) TaxRules {
	if rate.Scaled() == 0 {
		return TaxRules{}
	}
	return TaxRules{{Name: "Sales tax", RatePercent: rate, Base: TaxDeal}}
}

// TradeTaxCreditAt reports whether trade-ins reduce the taxable amount of new
// deals at a location.
func (s Settings) TradeTaxCreditAt(l Location) bool {
	if l.TradeTaxCredit != nil {
		return *l.TradeTaxCredit
	}
	return s.TradeTaxCredit
}
