package finance

import (
	"time"

	"slipway/internal/deals"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// Payment is money that came in, or with refunds_payment_id went back. It is
// never edited: its status follows from its refunds.
type Payment struct {
	Env              auth.Env  `json:"-" db:"env"`
	ID               string    `json:"id" db:"id" example:"pay_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID           string    `json:"deal_id" db:"deal_id" example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Kind             string    `json:"kind" db:"kind" enum:"deposit,down_payment,balance,lender_proceeds" doc:"Of a refund: that of the payment."`
	Method           string    `json:"method" db:"method" enum:"cash,check,ach,wire,card,financing"`
	AmountCents      int64     `json:"amount_cents" db:"amount_cents" doc:"Also of a refund, more than 0." example:"500000"`
	Reference        *string   `json:"reference" db:"reference" doc:"The check's number, the processor's id."`
	ReceivedOn       string    `json:"received_on" db:"received_on" format:"date" doc:"Of a refund: when it was paid out."`
	Status           string    `json:"status" enum:"succeeded,partially_refunded,refunded" audit:"-"`
	RefundedCents    int64     `json:"refunded_cents" doc:"How much of it went back." audit:"-"`
	RefundsPaymentID *string   `json:"refunds_payment_id" db:"refunds_payment_id" doc:"The payment that this refund pays back."`
	Reason           *string   `json:"reason" db:"reason" doc:"Why it went back."`
	CreatedAt        time.Time `json:"created_at" db:"created_at"`
}

// PaymentRecord is money that came in.
type PaymentRecord struct {
	Kind        string  `json:"kind" enum:"deposit,down_payment,balance,lender_proceeds"`
	Method      string  `json:"method" enum:"cash,check,ach,wire,card,financing"`
	AmountCents int64   `json:"amount_cents" minimum:"1" maximum:"100000000000" example:"500000"`
	Reference   *string `json:"reference" required:"false" maxLength:"200"`
	ReceivedOn  *string `json:"received_on" required:"false" format:"date" doc:"Without it: today, where the dealership is."`
}

// payment makes the payment, given the day it is at the dealership.
func (r PaymentRecord) payment(d deals.Deal, today time.Time) (Payment, error) {
	p := Payment{Kind: r.Kind, Method: r.Method, AmountCents: r.AmountCents, Reference: r.Reference, ReceivedOn: today.Format(time.DateOnly)}
	if r.ReceivedOn != nil {
		if *r.ReceivedOn > p.ReceivedOn { // both YYYY-MM-DD
			var bad fault.Fields
			bad.Add("received_on", "maximum", "must not be after today, %s", p.ReceivedOn)
			return p, bad.Err()
		}
		p.ReceivedOn = *r.ReceivedOn
	}
	if d.Status == deals.Cancelled || d.Status == deals.Closed {
		return p, fault.Conflict("The deal is %s: it takes no more payments.", d.Status).Detail("status", "state", "is %s", d.Status)
	}
	p.derive(0)
	return p, nil
}

// PaymentRefund asks for money to go back.
type PaymentRefund struct {
	AmountCents *int64  `json:"amount_cents" required:"false" minimum:"1" maximum:"100000000000" doc:"Without it: all that is left of the payment."`
	Reason      string  `json:"reason" minLength:"1" maxLength:"500"`
	Reference   *string `json:"reference" required:"false" maxLength:"200"`
}

// refund makes the refund of a payment, given the day it is at the dealership.
func (p Payment) refund(r PaymentRefund, today time.Time) (Payment, error) {
	left := p.left()
	switch {
	case p.RefundsPaymentID != nil:
		return Payment{}, fault.Conflict("A refund cannot be refunded.").Detail("refunds_payment_id", "state", "is set")
	case left == 0:
		return Payment{}, fault.Conflict("The payment is refunded already.").Detail("status", "state", "is refunded")
	case r.AmountCents != nil && *r.AmountCents > left:
		return Payment{}, fault.Conflict("Only %d cents of the payment are left.", left).Detail("amount_cents", "maximum", "must be at most %d", left)
	}
	back := Payment{
		Kind: p.Kind, Method: p.Method, AmountCents: left, Reference: r.Reference, ReceivedOn: today.Format(time.DateOnly),
		RefundsPaymentID: &p.ID, Reason: &r.Reason,
	}
	if r.AmountCents != nil {
		back.AmountCents = *r.AmountCents
	}
	back.derive(0)
	return back, nil
}

// left is what has not gone back.
func (p Payment) left() int64 { return p.AmountCents - p.RefundedCents }

// derive fills in what follows from the payment's refunds.
func (p *Payment) derive(refunded int64) {
	p.RefundedCents, p.Status = refunded, "succeeded"
	switch {
	case refunded >= p.AmountCents:
		p.Status = "refunded"
	case refunded > 0:
		p.Status = "partially_refunded"
	}
}
