package finance

import (
	"time"

	"slipway/internal/deals"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

// Payment is a payment, or with refunds_payment_id a refund. It never changes. Its
// status is calculated from its refunds.
type Payment struct {
	Env              auth.Env  `json:"-" db:"env"`
	ID               string    `json:"id" db:"id" example:"pay_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID           string    `json:"deal_id" db:"deal_id" example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Kind             string    `json:"kind" db:"kind" enum:"deposit,down_payment,balance,lender_proceeds" doc:"A refund has the kind of its payment."`
	Method           string    `json:"method" db:"method" enum:"cash,check,ach,wire,card,financing"`
	AmountCents      int64     `json:"amount_cents" db:"amount_cents" doc:"Always positive, even for a refund." example:"500000"`
	Reference        *string   `json:"reference" db:"reference" doc:"Check number or ID of the payment processor." audit:"personal"`
	ReceivedOn       string    `json:"received_on" db:"received_on" format:"date" doc:"Date of receipt. For a refund, the date it was paid out."`
	Status           string    `json:"status" enum:"succeeded,partially_refunded,refunded" audit:"-"`
	RefundedCents    int64     `json:"refunded_cents" doc:"Total of its refunds." audit:"-"`
	RefundsPaymentID *string   `json:"refunds_payment_id" db:"refunds_payment_id" doc:"Payment that this refund refers to. Null for a payment."`
	Reason           *string   `json:"reason" db:"reason" doc:"Reason for the refund." audit:"personal"`
	CreatedAt        time.Time `json:"created_at" db:"created_at"`
}

// PaymentRecord is the request body for recording a payment.
type PaymentRecord struct {
	Kind        string  `json:"kind" enum:"deposit,down_payment,balance,lender_proceeds"`
	Method      string  `json:"method" enum:"cash,check,ach,wire,card,financing"`
	AmountCents int64   `json:"amount_cents" minimum:"1" maximum:"100000000000" example:"500000"`
	Reference   *string `json:"reference" required:"false" maxLength:"200"`
	ReceivedOn  *string `json:"received_on" required:"false" format:"date" doc:"Defaults to today's date at the dealership."`
}

// payment builds the payment. today is the date at the dealership.
func (r PaymentRecord) payment(d deals.Deal, today time.Time) (Payment, error) {
	p := Payment{Kind: r.Kind, Method: r.Method, AmountCents: r.AmountCents, Reference: r.Reference, ReceivedOn: today.Format(time.DateOnly)}
	if r.ReceivedOn != nil {
		if *r.ReceivedOn > p.ReceivedOn { // both YYYY-MM-DD
			var bad fault.Fields
			bad.Add("received_on", "maximum", "must not be later than today, %s", p.ReceivedOn)
			return p, bad.Err()
		}
		p.ReceivedOn = *r.ReceivedOn
	}
	if d.Status == deals.Cancelled || d.Status == deals.Closed {
		return p, fault.Conflict("The deal is %s. You can't add payments to it.", d.Status).Detail("status", "state", "is %s", d.Status)
	}
	p.derive(0)
	return p, nil
}

// PaymentRefund is the request body for a refund.
type PaymentRefund struct {
	AmountCents *int64  `json:"amount_cents" required:"false" minimum:"1" maximum:"100000000000" doc:"Defaults to the remaining amount of the payment."`
	Reason      string  `json:"reason" minLength:"1" maxLength:"500"`
	Reference   *string `json:"reference" required:"false" maxLength:"200"`
}

// refund builds a refund of the payment. today is the date at the dealership.
func (p Payment) refund(r PaymentRefund, today time.Time) (Payment, error) {
	remaining := p.remaining()
	switch {
	case p.RefundsPaymentID != nil:
		return Payment{}, fault.Conflict("You can't refund a refund.").Detail("refunds_payment_id", "state", "is set")
	case remaining == 0:
		return Payment{}, fault.Conflict("The payment is already fully refunded.").Detail("status", "state", "is refunded")
	case r.AmountCents != nil && *r.AmountCents > remaining:
		return Payment{}, fault.Conflict("The refund exceeds the remaining %s of this payment.", money.Format(remaining)).
			Detail("amount_cents", "maximum", "must be at most %d", remaining)
	}

	refund := Payment{
		Kind: p.Kind, Method: p.Method, AmountCents: remaining, Reference: r.Reference, ReceivedOn: today.Format(time.DateOnly),
		RefundsPaymentID: &p.ID, Reason: &r.Reason,
	}
	if r.AmountCents != nil {
		refund.AmountCents = *r.AmountCents
	}
	refund.derive(0)
	return refund, nil
}

// remaining is the amount that is not refunded.
func (p Payment) remaining() int64 { return p.AmountCents - p.RefundedCents }

// derive calculates the fields that are not stored.
func (p *Payment) derive(refunded int64) {
	p.RefundedCents, p.Status = refunded, "succeeded"
	switch {
	case refunded >= p.AmountCents:
		p.Status = "refunded"
	case refunded > 0:
		p.Status = "partially_refunded"
	}
}
