package deals

import "slices"

// DealTotals is what a deal comes to.
type DealTotals struct {
	PriceCents       int64  `json:"price_cents" doc:"The accepted offer; before that, the newest offer on the table." example:"11800000"`
	LineItemsCents   int64  `json:"line_items_cents" doc:"Line items, less discounts, and the products of the selected finance structure."`
	TaxCents         int64  `json:"tax_cents" doc:"On the price and what is taxable, rounded half up."`
	TradeEquityCents int64  `json:"trade_equity_cents" doc:"Allowances less payoffs; negative if more is owed on the trade-ins than is allowed for them."`
	TotalCents       int64  `json:"total_cents" doc:"Price, line items and tax, less the trade equity."`
	PaidCents        int64  `json:"paid_cents" doc:"Payments less refunds."`
	BalanceDueCents  int64  `json:"balance_due_cents" doc:"What is still to be paid; negative if too much was. Nothing once the deal is cancelled."`
	FrontProfitCents *int64 `json:"front_profit_cents" doc:"On the boat. Null without deals:write or if its cost is not known."`
	BackProfitCents  *int64 `json:"back_profit_cents" doc:"On finance and insurance. Null without deals:write."`
}

// derive computes what follows from the rest.
func (d *Deal) derive() {
	d.StatusCategory = d.Status.category()
	t := DealTotals{
		PriceCents: d.PriceUSD * 100, LineItemsCents: d.lineItemsCents() + d.ProductsCents, TaxCents: d.taxCents(),
		TradeEquityCents: d.TradeEquityCents, TotalCents: d.NetCents() + d.ProductsCents, PaidCents: d.PaidCents,
	}
	if d.Status != Cancelled {
		t.BalanceDueCents = t.TotalCents - t.PaidCents
	}
	d.Totals = t
}

// NetCents is what the deal comes to without the products of a structure, which
// is what structures are worked out from.
func (d Deal) NetCents() int64 {
	return d.PriceUSD*100 + d.lineItemsCents() + d.taxCents() - d.TradeEquityCents
}

func (d Deal) lineItemsCents() (sum int64) {
	for _, l := range d.LineItems {
		sum += l.signed()
	}
	return sum
}

// taxCents is one tax on one sum: rounding every line would tax more.
func (d Deal) taxCents() int64 {
	base := d.PriceUSD * 100
	for _, l := range d.LineItems {
		if l.Taxable {
			base += l.signed()
		}
	}
	if d.TradeTaxCredit {
		base -= d.TradeAllowanceCents
	}
	return d.TaxRatePercent.Of(base)
}

// showProfit adds what those who run deals may see.
func (d *Deal) showProfit(hullCost *int64) {
	front, back := d.PriceUSD*100-d.OverAllowanceCents, d.ProductsCents-d.ProductsCostCents
	for _, l := range d.LineItems {
		if l.back() {
			back += l.profit()
		} else {
			front += l.profit()
		}
	}
	d.Totals.BackProfitCents = &back
	if hullCost != nil {
		front -= *hullCost
		d.Totals.FrontProfitCents = &front
	}
}

// told is the deal as events tell it, which more may hear than may see costs.
func (d Deal) told() Deal {
	d.Totals.FrontProfitCents, d.Totals.BackProfitCents = nil, nil
	d.hideCosts()
	return d
}

// hideCosts is the deal for those who may only read.
func (d *Deal) hideCosts() {
	d.LineItems = slices.Clone(d.LineItems)
	for i := range d.LineItems {
		d.LineItems[i].CostCents = nil
	}
}
