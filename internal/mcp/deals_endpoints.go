package mcp

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"slipway/internal/vocab/null"
)

var dealTools = []tool{
	define(about{"list_deals", "List deals", reads, readDeals, "List deals, newest first."}, listDeals),
	define(about{"get_deal", "Get a deal", reads, readDeals, "A deal with its offers and what is missing for the next step."}, getDeal),
	define(about{"quote_payment", "Quote payments", reads, readDeals, "Compare monthly payments for terms side by side. Saves nothing."}, quotePayment),
}

type listDealsIn struct {
	Category string `json:"status_category,omitempty" enum:"open,done,cancelled"`
	Status   string `json:"status,omitempty" enum:"open,accepted,in_finance,contracted,funded,delivered,closed,cancelled"`
	HullID   string `json:"hull_id,omitempty"`
	BuyerID  string `json:"buyer_id,omitempty"`
	Limit    int    `json:"limit,omitempty" minimum:"1" maximum:"50"`
}

// cents is an amount of the preview.
type cents struct{ Amount int64 }

func (c cents) usd() float64 { return float64(c.Amount) / 100 }

// deal is a deal of the API.
type deal struct {
	ID, Status   string
	Number       int64
	DealType     string  `json:"deal_type"`
	FundingState string  `json:"funding_state"`
	HullID       string  `json:"hull_id"`
	BuyerID      string  `json:"buyer_id"`
	LeadID       *string `json:"lead_id"`
	Offer        cents
	Buyer        *contact
	Hull         *hull
	UpdatedAt    string  `json:"updated_at"`
	CancelReason *string `json:"cancel_reason"`
	Totals       struct {
		Total      cents
		Paid       cents
		BalanceDue cents `json:"balance_due"`
	}
}

type dealRow struct {
	ID        string  `json:"id"`
	Number    int64   `json:"number"`
	Status    string  `json:"status"`
	Type      string  `json:"deal_type"`
	Boat      *text   `json:"boat,omitempty"`
	Buyer     *text   `json:"buyer,omitempty"`
	OfferUSD  float64 `json:"offer_usd"`
	Offer     string  `json:"offer"`
	UpdatedAt string  `json:"updated_at"`
}

func (d deal) row() dealRow {
	r := dealRow{
		ID: d.ID, Number: d.Number, Status: d.Status, Type: d.DealType, Buyer: d.Buyer.name(),
		OfferUSD: d.Offer.usd(), Offer: dollars(d.Offer.Amount / 100), UpdatedAt: d.UpdatedAt,
	}
	if d.Hull != nil {
		r.Boat = d.Hull.title()
	}
	return r
}

func (c *Caller) dealExpansions() string {
	var all []string
	if c.can(readLeads) {
		all = append(all, "buyer")
	}
	if c.can(readHulls) {
		all = append(all, "hull")
	}
	return strings.Join(all, ",")
}

func listDeals(ctx context.Context, c *Caller, in listDealsIn) (*list[dealRow], error) {
	limit := limitOf(in.Limit)
	var found page[deal]
	err := c.get(ctx, "/v2-preview/deals", params(
		"status_category", in.Category, "status", in.Status, "hull_id", in.HullID, "buyer_id", in.BuyerID,
		"expand", c.dealExpansions(), "limit", strconv.Itoa(limit),
	), &found)
	if err != nil {
		return nil, err
	}
	var rows []dealRow
	for _, d := range found.Data {
		rows = append(rows, d.row())
	}
	return newList(rows, limit, found.HasMore, "Add status, status_category, hull_id or buyer_id."), nil
}

type getDealIn struct {
	Deal string `json:"deal" doc:"ID or number."`
}

type dealView struct {
	Deal         dealRow    `json:"deal"`
	HullID       string     `json:"hull_id"`
	BuyerID      string     `json:"buyer_id"`
	LeadID       string     `json:"lead_id,omitempty"`
	FundingState string     `json:"funding_state"`
	TotalUSD     float64    `json:"total_usd"`
	PaidUSD      float64    `json:"paid_usd"`
	BalanceUSD   float64    `json:"balance_due_usd"`
	CancelReason *text      `json:"cancel_reason,omitempty"`
	Next         []dealStep `json:"next"`
	Offers       []offer    `json:"offers"`
}

func (v *dealView) shrink() bool {
	if len(v.Offers) == 0 {
		return false
	}
	v.Offers = v.Offers[:len(v.Offers)-1]
	return true
}

type dealStep struct {
	To      string   `json:"to"`
	Allowed bool     `json:"allowed"`
	Missing []string `json:"missing,omitempty"`
}

type offer struct {
	ID        string `json:"id"`
	AmountUSD int64  `json:"amount_usd"`
	MadeBy    string `json:"made_by"`
	Status    string `json:"status"`
	Note      *text  `json:"note,omitempty"`
}

func getDeal(ctx context.Context, c *Caller, in getDealIn) (*dealView, error) {
	d, err := c.findDeal(ctx, in.Deal)
	if err != nil {
		return nil, err
	}
	v := &dealView{
		Deal: d.row(), HullID: d.HullID, BuyerID: d.BuyerID, LeadID: null.Text(d.LeadID), FundingState: d.FundingState,
		TotalUSD: d.Totals.Total.usd(), PaidUSD: d.Totals.Paid.usd(), BalanceUSD: d.Totals.BalanceDue.usd(),
		CancelReason: untrusted(null.Text(d.CancelReason)), Next: []dealStep{}, Offers: []offer{},
	}
	var next struct {
		Steps []struct {
			To      string
			Allowed bool
			Missing []struct{ Message string }
		}
	}
	if err := c.get(ctx, "/v2-preview/deals/"+d.ID+"/next", nil, &next); err != nil {
		return nil, err
	}
	for _, s := range next.Steps {
		step := dealStep{To: s.To, Allowed: s.Allowed}
		for _, m := range s.Missing {
			step.Missing = append(step.Missing, line(m.Message, 200))
		}
		v.Next = append(v.Next, step)
	}
	var offers page[struct {
		ID, Status   string
		AmountUSD    int64  `json:"amount_usd"`
		MadeBy       string `json:"made_by"`
		Note, Reason *string
	}]
	if err := c.get(ctx, "/v1/deals/"+d.ID+"/offers", params("limit", "10"), &offers); err != nil {
		return nil, err
	}
	for _, o := range offers.Data {
		v.Offers = append(v.Offers, offer{o.ID, o.AmountUSD, o.MadeBy, o.Status, untrusted(null.Text(o.Note), null.Text(o.Reason))})
	}
	return v, nil
}

// findDeal finds a deal by its ID or number.
func (c *Caller) findDeal(ctx context.Context, name string) (d deal, err error) {
	expand := params("expand", c.dealExpansions())
	if _, err := strconv.ParseInt(name, 10, 64); err != nil {
		return d, c.get(ctx, "/v2-preview/deals/"+url.PathEscape(name), expand, &d)
	}
	expand.Set("number", name)
	var found page[deal]
	if err := c.get(ctx, "/v2-preview/deals", expand, &found); err != nil {
		return d, err
	}
	if len(found.Data) != 1 {
		return d, errors.New("no deal has this number; use list_deals")
	}
	return found.Data[0], nil
}

type quotePaymentIn struct {
	DealID      string `json:"deal_id,omitempty" doc:"Or price_usd."`
	PriceUSD    int64  `json:"price_usd,omitempty"`
	CashDownUSD int64  `json:"cash_down_usd,omitempty"`
	APRPercent  string `json:"apr_percent" doc:"Such as 7.49."`
	Terms       []int  `json:"terms" doc:"Months, such as 120, 180, 240."`
}

type quote struct {
	FinancedUSD float64     `json:"amount_financed_usd"`
	Terms       []quoteTerm `json:"terms"`
}

type quoteTerm struct {
	Months     int     `json:"months"`
	PaymentUSD float64 `json:"payment_usd"`
	TotalUSD   float64 `json:"total_of_payments_usd"`
	ChargeUSD  float64 `json:"finance_charge_usd"`
}

func quotePayment(ctx context.Context, c *Caller, in quotePaymentIn) (*quote, error) {
	body := withoutEmpty(map[string]any{"deal_id": in.DealID, "apr_percent": in.APRPercent, "terms": in.Terms})
	for name, usd := range map[string]int64{"price": in.PriceUSD, "cash_down": in.CashDownUSD} {
		if usd != 0 {
			body[name] = map[string]any{"amount": usd * 100, "currency": "USD"}
		}
	}
	var found struct {
		AmountFinanced cents `json:"amount_financed"`
		Terms          []struct {
			TermMonths      int `json:"term_months"`
			Payment         cents
			TotalOfPayments cents `json:"total_of_payments"`
			FinanceCharge   cents `json:"finance_charge"`
		}
	}
	if err := c.do(ctx, http.MethodPost, "/v2-preview/finance_quotes", body, &found); err != nil {
		return nil, err
	}
	q := &quote{FinancedUSD: found.AmountFinanced.usd(), Terms: []quoteTerm{}}
	for _, t := range found.Terms {
		q.Terms = append(q.Terms, quoteTerm{t.TermMonths, t.Payment.usd(), t.TotalOfPayments.usd(), t.FinanceCharge.usd()})
	}
	return q, nil
}
