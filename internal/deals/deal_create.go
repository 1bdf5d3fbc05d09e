package deals

import (
	"fmt"
	"slices"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

// DealTerms are the terms that a new deal can have from the start.
type DealTerms struct {
	DealType       Type           `json:"deal_type,omitempty" default:"cash" doc:"How the buyer pays: cash, finance through a lender of the dealership, or outside_finance through the buyer's own lender."`
	LineItems      []DealLineItem `json:"line_items,omitempty" maxItems:"100" doc:"Fees, products, accessories, discounts and rebates in addition to the price of the boat. Defaults to settings.default_fees of the dealership, which a wholesale deal doesn't have." since:"next"`
	TaxRatePercent *money.Percent `json:"tax_rate_percent" required:"false" maxLength:"10" doc:"Sales tax rate as a decimal. One-line form of taxes." example:"6" since:"next"`
	Taxes          []DealTax      `json:"taxes" required:"false" nullable:"true" maxItems:"10" doc:"Defaults to the taxes of the hull's location for the region in the buyer's address, or else of the dealership. A wholesale deal is exempt from them." since:"next"`
	TradeTaxCredit *bool          `json:"trade_tax_credit" required:"false" doc:"Whether trade-in allowances reduce the taxable amount. Defaults to the setting of the hull's location, or else of the dealership." since:"next"`
	TradeIns       []TradeInAdd   `json:"trade_ins,omitempty" maxItems:"20" doc:"Boats that the buyer trades in." since:"next"`
}

// DealCreate is the request body for a new deal.
type DealCreate struct {
	_ struct{} `doc:"A new deal with its opening offer."`

	HullID    string   `json:"hull_id" minLength:"1" maxLength:"64" doc:"Boat to sell." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	BuyerID   string   `json:"buyer_id" minLength:"1" maxLength:"64" doc:"Contact who buys the boat." example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	OfferUSD  int64    `json:"offer_usd" minimum:"0" maximum:"1000000000" doc:"Buyer's opening offer in whole US dollars." example:"118000"`
	LeadID    *string  `json:"lead_id" required:"false" maxLength:"64" doc:"Lead that the deal comes from."`
	CoBuyerID *string  `json:"co_buyer_id" required:"false" maxLength:"64" doc:"Contact who buys together with the buyer."`
	OwnerID   *string  `json:"owner_id" required:"false" maxLength:"64" doc:"Defaults to the user who creates the deal. Null if an API key creates it."`
	SaleType  SaleType `json:"sale_type,omitempty" default:"retail" doc:"Kind of sale: to a customer (retail), to another dealer (wholesale), or for an owner (brokerage)."`
	DealTerms
	Metadata map[string]string `json:"metadata,omitempty" doc:"Your own data. Up to 50 pairs with keys of up to 40 characters and values of up to 500."`
}

// Check validates what the schema can't express.
func (c DealCreate) Check(now time.Time) error {
	_, _, err := c.deal(defaults{}, auth.System, now)
	return err
}

// defaults are what a new deal has unless the request says otherwise.
type defaults struct {
	taxes          dealership.TaxRules
	exemptReason   *string // for buyers from the buyer's region
	tradeTaxCredit bool
	taxable        dealership.TaxableLines
	fees           []dealership.FeeRule
}

// deal builds the deal and its trade-ins, or returns all errors of the request.
func (c DealCreate) deal(def defaults, by auth.Actor, now time.Time) (Deal, []TradeIn, error) {
	d := Deal{
		HullID: c.HullID, BuyerID: c.BuyerID, OfferUSD: c.OfferUSD, PriceUSD: c.OfferUSD, LeadID: c.LeadID, CoBuyerID: c.CoBuyerID,
		OwnerID: c.OwnerID, SaleType: c.SaleType, DealType: c.DealType, Status: Open, LineItems: []DealLineItem{},
		Taxes: c.taxes(def), TradeTaxCredit: def.tradeTaxCredit, Rev: 1, Metadata: c.Metadata,
	}
	if d.OwnerID == nil && by.Type == "user" {
		d.OwnerID = &by.ID
	}
	if d.Metadata == nil {
		d.Metadata = map[string]string{}
	}
	d.LineItems = append(d.LineItems, c.lines(def)...)
	d.setTaxable(def.taxable)
	if c.TradeTaxCredit != nil {
		d.TradeTaxCredit = *c.TradeTaxCredit
	}
	d.FundingState = d.initialFundingState()

	var bad fault.Fields
	checkOneForm(&bad, c.TaxRatePercent, c.TaxRatePercent != nil && c.Taxes != nil)
	var trades []TradeIn
	for i, add := range c.TradeIns {
		add.check(&bad, fmt.Sprintf("trade_ins[%d].", i), now)
		t := add.tradeIn(now)
		if i > 0 && t.HIN != nil && slices.ContainsFunc(trades, func(other TradeIn) bool { return other.sameHIN(*t.HIN) }) {
			bad.Add(fmt.Sprintf("trade_ins[%d].hin", i), "duplicate", "is the HIN of another trade-in")
		}
		tradeChange{after: &t}.apply(&d)
		trades = append(trades, t)
	}
	d.check(&bad)
	return d, trades, bad.Err()
}

// lines returns the line items of the request, or else the fees of the dealership. The sale to
// another dealer has none.
func (c DealCreate) lines(def defaults) (lines []DealLineItem) {
	if c.LineItems != nil || c.SaleType == Wholesale {
		return c.LineItems
	}
	for _, f := range def.fees {
		lines = append(lines, DealLineItem{
			Kind: FeeLine, Code: f.Code, Description: &f.Description, AmountCents: f.AmountCents, CostCents: f.CostCents, Taxable: f.Taxable,
		})
	}
	return lines
}

// taxes returns the taxes of the request, or else the defaults. A wholesale deal
// is exempt from the defaults.
func (c DealCreate) taxes(def defaults) []DealTax {
	switch {
	case c.Taxes != nil:
		return append([]DealTax{}, c.Taxes...)
	case c.TaxRatePercent != nil:
		return SalesTax(*c.TaxRatePercent)
	}
	d := Deal{SaleType: c.SaleType, Taxes: newTaxes(def.taxes)}
	d.setSaleType(Retail)
	for i := range d.Taxes {
		if d.Taxes[i].ExemptReason == nil {
			d.Taxes[i].ExemptReason = def.exemptReason
		}
	}
	return d.Taxes
}
