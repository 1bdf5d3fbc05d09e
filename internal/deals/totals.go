package deals

import "slices"

// DealTotals are the calculated amounts of a deal.
type DealTotals struct {
	_ struct{} `doc:"Amounts of a deal, calculated by Slipway."`

	PriceCents       int64  `json:"price_cents" doc:"Accepted offer. Before that, the newest pending offer." example:"11800000"`
	LineItemsCents   int64  `json:"line_items_cents" doc:"Line items minus discounts and rebates, plus the products of the selected finance structure."`
	TaxCents         int64  `json:"tax_cents" doc:"Sum of the taxes, including the tax on products of the selected finance structure."`
	TradeEquityCents int64  `json:"trade_equity_cents" doc:"Allowances minus payoffs. Negative if the payoffs exceed the allowances."`
	TotalCents       int64  `json:"total_cents" doc:"Price plus line items and tax, minus trade equity."`
	PaidCents        int64  `json:"paid_cents" doc:"Payments minus refunds."`
	BalanceDueCents  int64  `json:"balance_due_cents" doc:"Amount still due. Negative if too much was paid. 0 if the deal is cancelled."`
	FrontProfitCents *int64 `json:"front_profit_cents" doc:"Profit on the boat. Null if your key does not have both deals:write and hulls:write, or if a cost is unknown: that of the hull, of a front line item, or the acv_cents of a trade-in."`
	BackProfitCents  *int64 `json:"back_profit_cents" doc:"Profit on finance and insurance. Null if your key does not have both deals:write and hulls:write, or if the cost of a product or a back line item is unknown."`
}

// derive calculates the fields that are not stored.
func (d *Deal) derive() {
	d.StatusCategory = d.Status.category()
	d.setTaxes()
	t := DealTotals{
		PriceCents: d.PriceUSD * 100, LineItemsCents: d.lineItemsCents() + d.ProductsCents, TaxCents: d.TaxCents(d.ProductsTaxableCents),
		TradeEquityCents: d.TradeEquityCents, PaidCents: d.PaidCents,
	}
	t.TotalCents = t.PriceCents + t.LineItemsCents + t.TaxCents - t.TradeEquityCents
	if d.Status != Cancelled {
		t.BalanceDueCents = t.TotalCents - t.PaidCents
	}
	d.Totals = t
	d.Warnings = d.warnings()
}

// NetCents is the total without the products of a finance structure and their tax.
// Structures are calculated from it.
func (d Deal) NetCents() int64 {
	return d.PriceUSD*100 + d.lineItemsCents() + d.TaxCents(0) - d.TradeEquityCents
}

func (d Deal) lineItemsCents() (sum int64) {
	for _, l := range d.LineItems {
		sum += l.SignedCents()
	}
	return sum
}

// discountedCents is the price after discounts, which the floor of the hull
// applies to.
func (d Deal) discountedCents() int64 {
	cents := d.PriceUSD * 100
	for _, l := range d.LineItems {
		if l.Kind == DiscountLine {
			cents -= l.AmountCents
		}
	}
	return cents
}

// showProfit fills in the profits, for callers who can see them.
func (d *Deal) showProfit(hullCost *int64) {
	d.Totals.FrontProfitCents, d.Totals.BackProfitCents = d.Profits(hullCost)
}

// Profits returns the profit on the boat and the profit on finance and insurance. A
// profit is nil if one of its costs is unknown.
func (d Deal) Profits(hullCost *int64) (frontCents, backCents *int64) {
	front, back := d.PriceUSD*100-d.OverAllowanceCents, d.ProductsCents-d.ProductsCostCents+d.ReserveCents
	frontKnown, backKnown := hullCost != nil && d.TradesWithoutACV == 0, d.ProductsWithoutCost == 0
	for _, l := range d.LineItems {
		profit, known := l.profitCents()
		if l.isBack() {
			back, backKnown = back+profit, backKnown && known
		} else {
			front, frontKnown = front+profit, frontKnown && known
		}
	}

	if frontKnown {
		frontCents = new(front - *hullCost)
	}
	if backKnown {
		backCents = &back
	}
	return frontCents, backCents
}

// public returns the deal without costs and profits, for events. Their readers
// might only have deals:read.
func (d Deal) public() Deal {
	d.Totals.FrontProfitCents, d.Totals.BackProfitCents = nil, nil
	d.hideCosts()
	return d
}

// hideCosts removes the costs, for callers without deals:write.
func (d *Deal) hideCosts() {
	d.LineItems = slices.Clone(d.LineItems)
	for i := range d.LineItems {
		d.LineItems[i].CostCents = nil
	}
}
