package reports

import (
	"slices"
	"time"

	"slipway/internal/deals"
	"slipway/internal/vocab/page"
)

// GrossReport is the profit on the boats that were delivered in a period.
type GrossReport struct {
	_ struct{} `doc:"Profit on the boats that were delivered in a period."`

	Covers
	Total  GrossSum     `json:"total" doc:"All deals of the report, including those that are not listed."`
	Months []GrossMonth `json:"months" nullable:"false" doc:"Deals by the month of the delivery, oldest first."`
	Deals  []GrossDeal  `json:"deals" nullable:"false" doc:"Deals of the report, last delivery first."`
	Listed

	Adjustments []GrossAdjustment `json:"adjustments" nullable:"false" doc:"What changed the profit of deals in the period after their delivery, newest first. A page has the deliveries and adjustments of the same time, together at most limit."`
}

// GrossSum is the profit on several deals.
type GrossSum struct {
	_ struct{} `doc:"Profit on several deals."`

	Deals        int64 `json:"deals" doc:"Number of deals that were delivered." example:"12"`
	Unwound      int64 `json:"unwound" doc:"Number of delivered deals that were unwound." example:"0"`
	PriceCents   int64 `json:"price_cents" doc:"Sum of the agreed prices of the boats, minus those of deals that were unwound."`
	FrontCents   int64 `json:"front_cents" doc:"Sum of the known profits on boats, with the adjustments."`
	BackCents    int64 `json:"back_cents" doc:"Sum of the known profits on finance and insurance, with the adjustments."`
	ProfitCents  int64 `json:"profit_cents" privacy:"cost,deals:write+hulls:write" doc:"Sum of both."`
	WithoutFront int64 `json:"without_front" doc:"Number of deals whose profit on the boat is unknown, because a cost is missing."`
	WithoutBack  int64 `json:"without_back" doc:"Number of deals whose profit on finance and insurance is unknown, because a cost is missing."`
}

// GrossMonth is the profit of a month.
type GrossMonth struct {
	_ struct{} `doc:"Profit on the deals of one month."`

	Month string `json:"month" doc:"Year and month of the delivery, or of the adjustment." example:"2026-11"`
	GrossSum
}

// GrossDeal is the profit on one deal.
type GrossDeal struct {
	_ struct{} `doc:"Profit on one deal."`

	DealID      string  `json:"deal_id" doc:"ID of the deal." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	HullID      string  `json:"hull_id" doc:"Boat that was sold." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	StockNumber *string `json:"stock_number" doc:"Stock number of the hull. Null if it has none."`
	OwnerID     *string `json:"owner_id" doc:"User who is responsible for the deal. Null if there is none."`
	DeliveredOn string  `json:"delivered_on" format:"date" doc:"Date of the delivery."`
	PriceCents  int64   `json:"price_cents" doc:"Agreed price of the boat."`
	FrontCents  *int64  `json:"front_cents" doc:"Profit on the boat. Null if a cost is unknown."`
	BackCents   *int64  `json:"back_cents" doc:"Profit on finance and insurance. Null if a cost is unknown."`
	ProfitCents *int64  `json:"profit_cents" privacy:"cost,deals:write+hulls:write" doc:"Sum of both. Null if one of them is."`
}

// GrossAdjustment is what changed the profit of a deal after its delivery.
type GrossAdjustment struct {
	_ struct{} `doc:"What changed the profit of a deal after the delivery."`

	DealID     string               `json:"deal_id" db:"deal_id" doc:"ID of the deal." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Kind       deals.AdjustmentKind `json:"kind" db:"kind" doc:"What happened."`
	On         string               `json:"on" format:"date" doc:"Date on which it was added."`
	PriceCents int64                `json:"price_cents" db:"price_cents" doc:"Negative price of the boat if the deal was unwound, otherwise 0."`
	FrontCents int64                `json:"front_cents" db:"front_cents" doc:"Change of the profit on the boat."`
	BackCents  int64                `json:"back_cents" db:"back_cents" doc:"Change of the profit on finance and insurance."`
	ID         string               `json:"-" db:"id"`
	At         time.Time            `json:"-" db:"created_at"`
}

// soldDeal is a deal with what its profit depends on.
type soldDeal struct {
	ID                  string               `db:"id"`
	HullID              string               `db:"hull_id"`
	StockNumber         *string              `db:"stock_number"`
	OwnerID             *string              `db:"owner_id"`
	DeliveredAt         time.Time            `db:"delivered_at"`
	PriceUSD            int64                `db:"price_usd"`
	OverAllowanceCents  int64                `db:"over_allowance_cents"`
	ProductsCents       int64                `db:"products_cents"`
	ProductsCostCents   int64                `db:"products_cost_cents"`
	ReserveCents        int64                `db:"reserve_cents"`
	TradesWithoutACV    int64                `db:"trades_without_acv"`
	ProductsWithoutCost int64                `db:"products_without_cost"`
	LineItems           []deals.DealLineItem `db:"line_items,json"`
	CostCents           *int64               `db:"delivered_cost_cents"` // on the day of the delivery
}

func (s soldDeal) position() page.Position { return position(s.DeliveredAt.UnixMicro(), s.ID) }

func (a GrossAdjustment) position() page.Position { return position(a.At.UnixMicro(), a.ID) }

// profits returns the profits as the deal shows them.
func (s soldDeal) profits() (front, back *int64) {
	return deals.Deal{
		PriceUSD: s.PriceUSD, OverAllowanceCents: s.OverAllowanceCents, ProductsCents: s.ProductsCents, ProductsCostCents: s.ProductsCostCents,
		ReserveCents: s.ReserveCents, TradesWithoutACV: s.TradesWithoutACV, ProductsWithoutCost: s.ProductsWithoutCost, LineItems: s.LineItems,
	}.Profits(s.CostCents)
}

// gross builds the report from deals, last delivery first, and adjustments, newest first.
func gross(p period, sold []soldDeal, adjusted []GrossAdjustment, w rows) GrossReport {
	r := GrossReport{Covers: p.Covers, Deals: []GrossDeal{}, Adjustments: []GrossAdjustment{}}
	var all []page.Position
	for _, s := range sold {
		all = append(all, s.position())
	}
	for _, a := range adjusted {
		all = append(all, a.position())
	}
	slices.SortFunc(all, newestFirst)
	start, end, listed := w.cut("gross", all, newestFirst)
	r.Listed = listed
	isListed := func(at page.Position) bool {
		_, found := slices.BinarySearchFunc(all[start:end], at, newestFirst)
		return found
	}

	months := p.months()
	for _, m := range months {
		r.Months = append(r.Months, GrossMonth{Month: m.name})
	}
	n := len(months) - 1
	for _, s := range sold {
		for n > 0 && s.DeliveredAt.Before(months[n-1].end) {
			n--
		}
		front, back := s.profits()
		r.Total.add(s, front, back)
		r.Months[n].add(s, front, back)
		if !isListed(s.position()) {
			continue
		}
		d := GrossDeal{DealID: s.ID, HullID: s.HullID, StockNumber: s.StockNumber, OwnerID: s.OwnerID, DeliveredOn: p.day(s.DeliveredAt),
			PriceCents: s.PriceUSD * 100, FrontCents: front, BackCents: back}
		if front != nil && back != nil {
			d.ProfitCents = new(*front + *back)
		}
		r.Deals = append(r.Deals, d)
	}

	n = len(months) - 1
	for _, a := range adjusted {
		for n > 0 && a.At.Before(months[n-1].end) {
			n--
		}
		r.Total.adjust(a)
		r.Months[n].adjust(a)
		if isListed(a.position()) {
			a.On = p.day(a.At)
			r.Adjustments = append(r.Adjustments, a)
		}
	}
	return r
}

func (g *GrossSum) adjust(a GrossAdjustment) {
	if a.PriceCents < 0 {
		g.Unwound++
	}
	g.PriceCents += a.PriceCents
	g.FrontCents += a.FrontCents
	g.BackCents += a.BackCents
	g.ProfitCents = g.FrontCents + g.BackCents
}

func (g *GrossSum) add(s soldDeal, front, back *int64) {
	g.Deals++
	g.PriceCents += s.PriceUSD * 100
	if front != nil {
		g.FrontCents += *front
	} else {
		g.WithoutFront++
	}
	if back != nil {
		g.BackCents += *back
	} else {
		g.WithoutBack++
	}
	g.ProfitCents = g.FrontCents + g.BackCents
}

func (r GrossReport) sheets() []sheet {
	all := sheet{name: "deals", columns: []string{"deal_id", "hull_id", "stock_number", "owner_id", "delivered_on", "price_usd", "front_usd",
		"back_usd", "profit_usd"}}
	for _, d := range r.Deals {
		all.add(d.DealID, d.HullID, optional(d.StockNumber), optional(d.OwnerID), d.DeliveredOn, dollars(d.PriceCents),
			optionalDollars(d.FrontCents), optionalDollars(d.BackCents), optionalDollars(d.ProfitCents))
	}
	months := sheet{name: "months", columns: []string{"month", "deals", "price_usd", "front_usd", "back_usd", "profit_usd", "without_front",
		"without_back", "unwound"}}
	for _, m := range r.Months {
		months.add(m.Month, number(m.Deals), dollars(m.PriceCents), dollars(m.FrontCents), dollars(m.BackCents), dollars(m.ProfitCents),
			number(m.WithoutFront), number(m.WithoutBack), number(m.Unwound))
	}
	adjusted := sheet{name: "adjustments", columns: []string{"deal_id", "kind", "on", "price_usd", "front_usd", "back_usd"}}
	for _, a := range r.Adjustments {
		adjusted.add(a.DealID, string(a.Kind), a.On, dollars(a.PriceCents), dollars(a.FrontCents), dollars(a.BackCents))
	}
	return []sheet{all, months, adjusted}
}
