package deals

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"slipway/internal/dealership"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

// DealTax is one tax on a deal.
type DealTax struct {
	_ struct{} `doc:"One tax on a deal."`

	Name         string             `json:"name" minLength:"1" maxLength:"100" doc:"Name of the tax, as documents show it." example:"Florida sales tax" privacy:"personal,sale"`
	RatePercent  money.Percent      `json:"rate_percent" maxLength:"10" doc:"Rate as a decimal with up to four places." example:"6"`
	Base         dealership.TaxBase `json:"base" required:"false" doc:"What is taxed: the price and the taxable line items (deal), only the price (price), or only the taxable line items (lines). If trade_tax_credit is set, trade-in allowances are deducted from the price. Defaults to deal."`
	BaseCapCents *int64             `json:"base_cap_cents" required:"false" minimum:"0" maximum:"100000000000" doc:"Only this much of the base is taxed. For example, a county surtax on the first $5,000. Null if there is no limit."`
	CapCents     *int64             `json:"cap_cents" required:"false" minimum:"0" maximum:"100000000000" doc:"Highest amount of the tax. Null if there is no limit." example:"1800000"`
	Jurisdiction *string            `json:"jurisdiction" required:"false" minLength:"1" maxLength:"100" doc:"Who receives the tax, for the tax report. Null if the name says it." example:"Florida" since:"next" privacy:"plain"`
	ExemptReason *string            `json:"exempt_reason" required:"false" minLength:"1" maxLength:"200" doc:"Why the deal is exempt from the tax. The amount is then 0." privacy:"personal,sale"`
	AmountCents  int64              `json:"amount_cents" required:"false" doc:"Calculated by Slipway and rounded half up. Ignored in requests."`
}

// resale is why a wholesale deal is exempt, unless the request says otherwise.
const resale = "Sale for resale"

// newTaxes returns the taxes of a deal from the rules of a location or the
// dealership.
func newTaxes(rules dealership.TaxRules) []DealTax {
	taxes := []DealTax{}
	for _, r := range rules {
		taxes = append(taxes, DealTax{Name: r.Name, RatePercent: r.RatePercent, Base: r.Base, BaseCapCents: r.BaseCapCents, CapCents: r.CapCents,
			Jurisdiction: r.Jurisdiction})
	}
	return taxes
}

// SalesTax returns the taxes that a single rate stands for.
func SalesTax(rate money.Percent) []DealTax { return newTaxes(dealership.OneTax(rate)) }

// of returns the tax on a price and taxable line items.
func (t DealTax) of(price, lines int64) int64 {
	if t.ExemptReason != nil {
		return 0
	}
	base := price + lines
	switch t.Base {
	case dealership.TaxPrice:
		base = price
	case dealership.TaxLines:
		base = lines
	}
	if t.BaseCapCents != nil {
		base = min(base, *t.BaseCapCents)
	}
	tax := t.RatePercent.Of(base)
	if t.CapCents != nil {
		tax = min(tax, *t.CapCents)
	}
	return tax
}

// setTaxes calculates the amount of each tax. It copies the list, because earlier
// states of the deal share it.
func (d *Deal) setTaxes() {
	d.Taxes = slices.Clone(d.Taxes)
	if d.Taxes == nil {
		d.Taxes = []DealTax{}
	}
	price, lines := d.taxablePrice(), d.taxableLines()+d.ProductsTaxableCents
	for i, t := range d.Taxes {
		d.Taxes[i].AmountCents = t.of(price, lines)
	}
	d.TaxRatePercent = d.singleRate()
}

// singleRate is the one-line form of the taxes. It is nil if they can't be
// expressed as one rate.
func (d Deal) singleRate() *money.Percent {
	switch len(d.Taxes) {
	case 0:
		return new(money.Percent("0"))
	case 1:
		if t := d.Taxes[0]; t.Base == dealership.TaxDeal && t.BaseCapCents == nil && t.CapCents == nil && t.ExemptReason == nil {
			return &t.RatePercent
		}
	}
	return nil
}

// OlderValue returns tax_rate_percent for the version that had only one rate: the sum of the
// rates, without the taxes that the deal is exempt from.
func (Deal) OlderValue(_ string, object []byte) string {
	var d struct {
		Taxes []DealTax `json:"taxes"`
	}
	rate := money.Percent("0")
	if json.Unmarshal(object, &d) == nil { // it was encoded from a deal
		for _, t := range d.Taxes {
			if t.ExemptReason == nil {
				rate = rate.Plus(t.RatePercent)
			}
		}
	}
	return strconv.Quote(string(rate))
}

// TaxCents is the tax on the deal with some more taxable line items. Each tax is
// rounded once, on its whole base. Rounding each line would add up to more.
func (d Deal) TaxCents(more int64) (sum int64) {
	price, lines := d.taxablePrice(), d.taxableLines()+more
	for _, t := range d.Taxes {
		sum += t.of(price, lines)
	}
	return sum
}

func (d Deal) taxablePrice() int64 {
	price := d.PriceUSD * 100
	if d.TradeTaxCredit {
		price -= d.TradeAllowanceCents
	}
	return price
}

func (d Deal) taxableLines() (sum int64) {
	for _, l := range d.LineItems {
		if l.Taxable != nil && *l.Taxable {
			sum += l.SignedCents()
		}
	}
	return sum
}

// setSaleType exempts a deal that becomes a wholesale deal, and taxes one that is
// no longer one.
func (d *Deal) setSaleType(was SaleType) {
	if d.SaleType == was {
		return
	}
	d.Taxes = slices.Clone(d.Taxes)
	for i := range d.Taxes {
		t := &d.Taxes[i]
		switch {
		case d.SaleType == Wholesale && t.ExemptReason == nil:
			t.ExemptReason = new(resale)
		case was == Wholesale && t.ExemptReason != nil && *t.ExemptReason == resale:
			t.ExemptReason = nil
		}
	}
}

// setTaxable fills in whether line items are taxable, by their kind.
func (d *Deal) setTaxable(by dealership.TaxableLines) {
	for i, l := range d.LineItems {
		if l.Taxable == nil {
			d.LineItems[i].Taxable = new(by.Taxes(string(l.Kind)))
		}
	}
}

// checkTaxes fills in the defaults and validates what the schema can't express.
func (d *Deal) checkTaxes(bad *fault.Fields) {
	for i := range d.Taxes {
		d.Taxes[i].RatePercent.Check(bad, fmt.Sprintf("taxes[%d].rate_percent", i))
		if d.Taxes[i].Base == "" {
			d.Taxes[i].Base = dealership.TaxDeal
		}
	}
}

// checkOneForm rejects a request with both forms of the taxes.
func checkOneForm(bad *fault.Fields, rate *money.Percent, both bool) {
	if rate != nil {
		rate.Check(bad, "tax_rate_percent")
	}
	if both {
		bad.Add("tax_rate_percent", "exclusive", "can't be combined with taxes")
	}
}
