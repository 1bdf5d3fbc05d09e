package reports

import (
	"cmp"
	"slices"

	"slipway/internal/deals"
	"slipway/internal/finance"
	"slipway/internal/vocab/page"
)

// CashReport is the money that was received and paid back in a period, and the
// deposits that the dealership holds now.
type CashReport struct {
	_ struct{} `doc:"Money that was received and paid back in a period, and the deposits that the dealership holds."`

	Covers
	Total CashSum    `json:"total" doc:"All money that was received and paid back in the period."`
	Rows  []CashRow  `json:"rows" nullable:"false" doc:"The same money by kind and method."`
	Kept  CashHeld   `json:"kept" doc:"What the dealership kept in the period from deals that were cancelled or unwound, minus what it paid back later."`
	Held  CashHeld   `json:"held" doc:"Deposits of all deals that are not delivered or cancelled now, including those that are not listed."`
	Deals []CashDeal `json:"deals" nullable:"false" doc:"Deals with a deposit, oldest deposit first."`
	Listed
}

// CashSum is money that was received and paid back.
type CashSum struct {
	_ struct{} `doc:"Money that was received and paid back."`

	Payments      int64 `json:"payments" doc:"Number of payments that were received." example:"31"`
	ReceivedCents int64 `json:"received_cents" doc:"Sum of these payments."`
	RefundedCents int64 `json:"refunded_cents" doc:"Sum of the refunds."`
	ReversedCents int64 `json:"reversed_cents" doc:"Sum of the reversals, such as bounced checks."`
	NetCents      int64 `json:"net_cents" doc:"Received minus refunded and reversed."`
}

// CashRow is the money of a kind and a method.
type CashRow struct {
	_ struct{} `doc:"Money of one kind and method."`

	Kind   finance.PaymentKind   `json:"kind" doc:"What the money was for."`
	Method finance.PaymentMethod `json:"method" doc:"How the money was paid."`
	CashSum
}

// CashHeld is deposits that the dealership holds.
type CashHeld struct {
	_ struct{} `doc:"Deposits that the dealership holds or keeps."`

	Deals       int64 `json:"deals" db:"deals" doc:"Number of deals with a deposit." example:"7"`
	AmountCents int64 `json:"amount_cents" db:"amount_cents" doc:"Sum of the deposits minus what was paid back."`
}

// CashDeal is a deal with a deposit.
type CashDeal struct {
	_ struct{} `doc:"A deal with a deposit that the dealership holds."`

	DealID      string       `json:"deal_id" db:"id" doc:"ID of the deal." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Status      deals.Status `json:"status" db:"status" doc:"Status of the deal."`
	AmountCents int64        `json:"amount_cents" db:"amount_cents" doc:"Deposits minus what was paid back."`
	ReceivedOn  string       `json:"received_on" db:"received_on" format:"date" doc:"Date of the first deposit."`
	Days        int64        `json:"days" doc:"Days since then." example:"12"`
}

// cashGroup is the sum of payments that are alike.
type cashGroup struct {
	Kind        finance.PaymentKind   `db:"kind"`
	Method      finance.PaymentMethod `db:"method"`
	Type        finance.PaymentType   `db:"type"`
	Payments    int64                 `db:"payments"`
	AmountCents int64                 `db:"amount_cents"`
}

// cash builds the report. Held are the deals with a deposit, oldest deposit first.
func cash(p period, groups []cashGroup, held []CashDeal, w rows) CashReport {
	r := CashReport{Covers: p.Covers, Rows: []CashRow{}, Deals: []CashDeal{}}
	for _, g := range groups {
		i := slices.IndexFunc(r.Rows, func(row CashRow) bool { return row.Kind == g.Kind && row.Method == g.Method })
		if i < 0 {
			i, r.Rows = len(r.Rows), append(r.Rows, CashRow{Kind: g.Kind, Method: g.Method})
		}
		r.Rows[i].add(g)
		r.Total.add(g)
	}
	slices.SortFunc(r.Rows, func(a, b CashRow) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Method, b.Method)) })

	var positions []page.Position
	for _, d := range held {
		r.Held.Deals++
		r.Held.AmountCents += d.AmountCents
		positions = append(positions, positionOn(d.ReceivedOn, d.DealID))
	}
	start, end, listed := w.cut("cash", positions, byPosition)
	r.Listed = listed
	for _, d := range held[start:end] {
		d.Days = daysBetween(d.ReceivedOn, p.Today)
		r.Deals = append(r.Deals, d)
	}
	return r
}

func (s *CashSum) add(g cashGroup) {
	switch g.Type {
	case finance.Paid:
		s.Payments += g.Payments
		s.ReceivedCents += g.AmountCents
	case finance.Refunded:
		s.RefundedCents += g.AmountCents
	case finance.Reversed:
		s.ReversedCents += g.AmountCents
	}
	s.NetCents = s.ReceivedCents - s.RefundedCents - s.ReversedCents
}

func (r CashReport) sheets() []sheet {
	rows := sheet{name: "rows", columns: []string{"kind", "method", "payments", "received_usd", "refunded_usd", "reversed_usd", "net_usd"}}
	for _, c := range r.Rows {
		rows.add(string(c.Kind), string(c.Method), number(c.Payments), dollars(c.ReceivedCents), dollars(c.RefundedCents), dollars(c.ReversedCents),
			dollars(c.NetCents))
	}
	held := sheet{name: "deals", columns: []string{"deal_id", "status", "amount_usd", "received_on", "days"}}
	for _, d := range r.Deals {
		held.add(d.DealID, string(d.Status), dollars(d.AmountCents), d.ReceivedOn, number(d.Days))
	}
	kept := sheet{name: "kept", columns: []string{"deals", "amount_usd"}}
	kept.add(number(r.Kept.Deals), dollars(r.Kept.AmountCents))
	return []sheet{rows, held, kept}
}
