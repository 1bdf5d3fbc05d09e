package deals

import "slipway/internal/dealership"

// DealTotals are the calculated amounts of a deal.
type DealTotals struct {
	_ struct{} `doc:"Amounts of a deal, calculated by Slipway."`

	PriceCents       int64  `json:"price_cents" doc:"Accepted offer. Before that, the newest pending offer." example:"11800000"`
	LineItemsCents   int64  `json:"line_items_cents" doc:"Line items minus discounts and rebates, plus the products of the selected finance structure."`
	TaxCents         int64  `json:"tax_cents" doc:"Sum of the taxes, including the tax on products of the selected finance structure."`
	TradeEquityCents int64  `json:"trade_equity_cents" doc:"Allowances minus payoffs. Negative if the payoffs exceed the allowances."`
	TotalCents       int64  `json:"total_cents" doc:"Price plus line items and tax, minus trade equity."`
	PaidCents        int64  `json:"paid_cents" doc:"Payments minus refunds."`
	CanceledCents    int64  `json:"canceled_cents" doc:"Refunds of products that were canceled after the delivery. They reduce the balance." since:"next"`
	BalanceDueCents  int64  `json:"balance_due_cents" doc:"Amount still due. Negative if too much was paid. 0 if the deal is cancelled."`
	FrontProfitCents *int64 `json:"front_profit_cents" privacy:"cost,deals:write+hulls:write" doc:"Profit on the boat. Null if your key does not have both deals:write and hulls:write, or if a cost is unknown: that of the hull, of a front line item, or the acv_cents of a trade-in."`
	BackProfitCents  *int64 `json:"back_profit_cents" privacy:"cost,deals:write+hulls:write" doc:"Profit on finance and insurance. Null if your key does not have both deals:write and hulls:write, or if the cost of a product or a back line item is unknown."`
}

// derive calculates the fields that are not stored.
func (d *Deal) derive() {
	d.StatusCategory = d.Status.category()
	d.setTaxes()
	t := DealTotals{
		PriceCents: d.PriceUSD * 100, LineItemsCents: d.lineItemsCents() + d.ProductsCents, TaxCents: d.TaxCents(d.ProductsTaxableCents),
		TradeEquityCents: d.TradeEquityCents, PaidCents: d.PaidCents,
		CanceledCents: d.CanceledProductsCents,
	}
	t.TotalCents, t.BalanceDueCents = d.TotalCents(), d.balanceCents()
	d.Totals = t
	d.Warnings = d.warnings()
}

// AddUp completes a sample for events: with a tax, and with the totals of its examples.
func (d *Deal) AddUp() {
	d.PriceUSD = d.OfferUSD
	d.Taxes = []DealTax{{Name: "Florida sales tax", RatePercent: "6", Base: dealership.TaxDeal, Jurisdiction: new("Florida")}}
	d.derive()
}

// NetCents is the total without the products of a finance structure and their tax.
// Structures are calculated from it.
func (d Deal) NetCents() int64 {
	return d.PriceUSD*100 + d.lineItemsCents() + d.TaxCents(0) - d.TradeEquityCents
}

// TotalCents is the total of the deal with the products of its structure.
func (d Deal) TotalCents() int64 {
	return d.NetCents() + d.ProductsCents + d.TaxCents(d.ProductsTaxableCents) - d.TaxCents(0)
}

// balanceCents is what is still due.
func (d Deal) balanceCents() int64 {
	if d.Status == Cancelled {
		return 0
	}
	return d.TotalCents() - d.CanceledProductsCents - d.PaidCents
}

func (d Deal) lineItemsCents() (sum int64) {
	for _, l := range d.LineItems {
		sum += l.SignedCents()
	}
	return sum
}

// netPriceCents is what the floor of the hull applies to: the price after discounts, what trade-ins
// are credited above their value, and what accessories cost more than the buyer pays.
func (d Deal) netPriceCents() int64 {
	cents := d.PriceUSD*100 - max(0, d.OverAllowanceCents)
	for _, l := range d.LineItems {
		switch {
		case l.Kind == DiscountLine:
			cents -= l.AmountCents
		case l.Kind == AccessoryLine && l.CostCents != nil:
			cents -= max(0, *l.CostCents-l.AmountCents)
		}
	}
	return cents
}

// isLoweredFrom reports whether a change after an offer was accepted lowers what the floor applies
// to, or makes it unknown.
func (d Deal) isLoweredFrom(before Deal) bool {
	return d.Status != Open && (d.netPriceCents() < before.netPriceCents() || d.TradesWithoutACV > before.TradesWithoutACV)
}

// showProfit fills in the profits, for callers who can see them. After the delivery, the
// cost is what was booked for the deal: the boat might be sold again.
func (d *Deal) showProfit(hullCost *int64) {
	if d.DeliveredAt != nil {
		hullCost = d.BookedCostCents
	}
	d.Totals.FrontProfitCents, d.Totals.BackProfitCents = d.Profits(hullCost)
}

// Profits returns the profit on the boat and the profit on finance and insurance. A
// profit is nil if one of its costs is unknown.
func (d Deal) Profits(hullCost *int64) (frontCents, backCents *int64) {
	front, back := d.PriceUSD*100-d.OverAllowanceCents+d.FrontAdjustedCents, d.ProductsCents-d.ProductsCostCents+d.ReserveCents+d.BackAdjustedCents
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
