package finance

import (
	"fmt"
	"slices"
	"time"

	"slipway/internal/deals"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

var _ = enum.Part[DealAdjustmentCreate]("Kind", "NewDealAdjustmentKind", "Adjustment that you can record.")

// DealAdjustmentCreate is the request body for canceling a product or recording a
// charge-back of the reserve.
type DealAdjustmentCreate struct {
	_ struct{} `doc:"A product to cancel after the delivery, or a charge-back of the dealer reserve."`

	Kind            deals.AdjustmentKind `json:"kind" enum:"product,line_item,reserve" doc:"product is a product of the selected finance structure, line_item a line item of the kind product, and reserve what the lender paid the dealership for the loan."`
	Position        *int64               `json:"position" required:"false" minimum:"0" maximum:"99" doc:"Position of the product in the structure, or of the line item in the deal. Starts at 0. Required unless the kind is reserve."`
	RefundCents     int64                `json:"refund_cents,omitempty" minimum:"0" maximum:"100000000000" doc:"What the buyer or the lender gets back. It reduces what the buyer owes. Defaults to 0." example:"89500"`
	ChargebackCents int64                `json:"chargeback_cents,omitempty" minimum:"0" maximum:"100000000000" doc:"What the provider or the lender takes back from the dealership. It lowers the profit. At most the refund of a product. Defaults to 0." example:"40000"`
	PaidTo          *deals.RefundTo      `json:"paid_to" required:"false" doc:"Who gets the refund. Defaults to the lender if the product was financed, and otherwise to the buyer."`
	PaymentID       *string              `json:"payment_id" required:"false" minLength:"1" maxLength:"64" doc:"Payment to record the refund on. Without it, record the refund with refundPayment." example:"pay_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	EffectiveOn     *string              `json:"effective_on" required:"false" format:"date" doc:"Date that the provider or the lender uses. Defaults to today. Reports count the adjustment on the day you record it."`
	Reason          string               `json:"reason" minLength:"1" maxLength:"500" doc:"Why the product is canceled or the reserve is charged back."`
}

// Check validates what the schema can't express.
func (c DealAdjustmentCreate) Check(time.Time) error {
	var bad fault.Fields
	if c.Kind == deals.ReserveAdjustment {
		for field, set := range map[string]bool{
			"position": c.Position != nil, "refund_cents": c.RefundCents > 0, "paid_to": c.PaidTo != nil, "payment_id": c.PaymentID != nil,
		} {
			if set {
				bad.Add(field, "exclusive", "is only allowed for a product")
			}
		}
		if c.ChargebackCents == 0 {
			bad.Add("chargeback_cents", "minimum", "must be at least 1")
		}
		return bad.Err()
	}
	if c.Position == nil {
		bad.Add("position", "required", "is required for a product")
	}
	if c.ChargebackCents > c.RefundCents {
		bad.Add("chargeback_cents", "maximum", "must be at most refund_cents")
	}
	if c.PaymentID != nil && c.RefundCents == 0 {
		bad.Add("refund_cents", "minimum", "must be at least 1 to refund a payment")
	}
	return bad.Err()
}

// soldProduct is a product of a deal.
type soldProduct struct {
	name       string
	priceCents int64
	financed   bool
	front      bool // its profit counts for the boat
}

// product returns what is canceled.
func (c DealAdjustmentCreate) product(d deals.Deal, s *FinanceStructure) (p soldProduct, err error) {
	var bad fault.Fields
	at := int(*c.Position)
	switch {
	case c.Kind == deals.ProductAdjustment && s != nil && at < len(s.Products):
		return s.Products[at].sold(), nil
	case c.Kind == deals.LineItemAdjustment && at < len(d.LineItems) && d.LineItems[at].Kind == deals.ProductLine:
		l := d.LineItems[at]
		p = soldProduct{name: "Product", priceCents: l.AmountCents, front: l.Side != nil && *l.Side == deals.Front}
		if l.Description != nil {
			p.name = *l.Description
		}
		return p, nil
	case c.Kind == deals.ProductAdjustment:
		bad.Add("position", "not_found", "must be a product of the selected finance structure")
	default:
		bad.Add("position", "not_found", "must be a line item of the kind product")
	}
	return p, bad.Err()
}

func (p FinanceProduct) sold() soldProduct {
	name := string(p.Kind)
	if p.Provider != nil {
		name += ", " + *p.Provider
	}
	return soldProduct{name: name, priceCents: p.PriceCents, financed: p.Financed}
}

// adjustment builds the adjustment. Earlier are those that the deal has. today is the date at
// the dealership.
func (c DealAdjustmentCreate) adjustment(d deals.Deal, s *FinanceStructure, earlier []deals.DealAdjustment, today string) (deals.DealAdjustment, error) {
	a := deals.DealAdjustment{Kind: c.Kind, Position: c.Position, FrontCents: new(int64), BackCents: new(-c.ChargebackCents), Reason: &c.Reason, EffectiveOn: &today}
	if d.Status != deals.Delivered && d.Status != deals.Closed {
		return a, fault.Conflict("The deal is %s. You can cancel products of a deal that is delivered or closed.", d.Status).
			Detail("status", "state", "must be delivered or closed")
	}
	var bad fault.Fields
	if c.EffectiveOn != nil {
		if *c.EffectiveOn > today { // both YYYY-MM-DD
			bad.Add("effective_on", "maximum", "must not be later than today, %s", today)
		}
		a.EffectiveOn = c.EffectiveOn
	}
	if c.Kind == deals.ReserveAdjustment {
		left := d.ReserveCents
		for _, e := range earlier {
			if e.Kind == deals.ReserveAdjustment {
				left += *e.BackCents
			}
		}
		if c.ChargebackCents > left {
			bad.Add("chargeback_cents", "maximum", "must be at most %s, what is left of the reserve", money.Format(left))
		}
		return a, bad.Err()
	}

	p, err := c.product(d, s)
	if err != nil {
		return a, err
	}
	if slices.ContainsFunc(earlier, func(e deals.DealAdjustment) bool { return e.Kind == c.Kind && *e.Position == *c.Position }) {
		return a, fault.Conflict("The product is already canceled.").Detail("position", "state", "refers to a product that is canceled")
	}
	if c.RefundCents > p.priceCents {
		bad.Add("refund_cents", "maximum", "must be at most %s, the price of the product", money.Format(p.priceCents))
	}
	a.AmountCents, a.Description, a.PaidTo = c.RefundCents, &p.name, c.PaidTo
	if a.PaidTo == nil {
		to := deals.ToBuyer
		if p.financed {
			to = deals.ToLender
		}
		a.PaidTo = &to
	}
	if p.front {
		a.FrontCents, a.BackCents = a.BackCents, a.FrontCents
	}
	return a, bad.Err()
}

// remaining lists the products of a deal that are not canceled, as cancellations without a
// refund.
func remaining(d deals.Deal, s *FinanceStructure, earlier []deals.DealAdjustment) (all []deals.DealAdjustment) {
	add := func(kind deals.AdjustmentKind, at int, name string) {
		position := int64(at)
		if slices.ContainsFunc(earlier, func(e deals.DealAdjustment) bool { return e.Kind == kind && *e.Position == position }) {
			return
		}
		all = append(all, deals.DealAdjustment{Kind: kind, Position: &position, Description: &name, FrontCents: new(int64), BackCents: new(int64)})
	}
	if s != nil {
		for i, p := range s.Products {
			add(deals.ProductAdjustment, i, p.sold().name)
		}
	}
	for i, l := range d.LineItems {
		if l.Kind == deals.ProductLine {
			name := fmt.Sprintf("line item %d", i)
			if l.Description != nil {
				name = *l.Description
			}
			add(deals.LineItemAdjustment, i, name)
		}
	}
	return all
}
