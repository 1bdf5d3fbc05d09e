package finance

import (
	"fmt"
	"time"

	"slipway/internal/deals"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

// Payment is a payment, or what takes it back: a refund, a reversal or a transfer
// to another deal. It never changes. Its status is calculated from the rows that
// refer to it.
type Payment struct {
	_ struct{} `doc:"Money that was received for a deal, or that was refunded, reversed or transferred. Payments never change." columns:"id type kind method amount_cents status received_on / deal_id reference reason"`

	Env               auth.Env      `json:"-" db:"env"`
	ID                string        `json:"id" db:"id" doc:"Identifies the payment. Starts with pay_." example:"pay_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID            string        `json:"deal_id" db:"deal_id" doc:"Deal that the payment belongs to." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Type              PaymentType   `json:"type" db:"type" doc:"refund is money that was paid back. reversal is money that never arrived, such as a bounced check. transfer_out and transfer_in move a payment from a cancelled deal to another one." since:"next"`
	Kind              PaymentKind   `json:"kind" db:"kind" doc:"A refund, reversal or transfer has the kind of its payment."`
	Method            PaymentMethod `json:"method" db:"method" doc:"How the money was paid. financing is money from a lender."`
	AmountCents       int64         `json:"amount_cents" db:"amount_cents" doc:"Amount in cents. Always positive, even for a refund." example:"500000"`
	Reference         *string       `json:"reference" db:"reference" doc:"Check number or ID of the payment processor. Null if none was recorded." privacy:"personal,sale"`
	ReceivedOn        string        `json:"received_on" db:"received_on" format:"date" doc:"Date of receipt. For a refund, the date it was paid out."`
	Status            PaymentStatus `json:"status" since:"next reversed=refunded transferred=refunded" audit:"-" doc:"partially_refunded if part of the payment was taken back. refunded, reversed or transferred if nothing is left of it, after the last of these."`
	RefundedCents     int64         `json:"refunded_cents" doc:"Total of its refunds, reversals and transfers, in cents." audit:"-"`
	RefundsPaymentID  *string       `json:"refunds_payment_id" db:"refunds_payment_id" doc:"Payment that this refund, reversal or transfer_out takes back. Null for money that was received."`
	TransferDealID    *string       `json:"transfer_deal_id" db:"transfer_deal_id" doc:"Other deal of a transfer. Null unless it is a transfer." since:"next"`
	TransferPaymentID *string       `json:"transfer_payment_id" db:"transfer_payment_id" doc:"Other half of a transfer, in the other deal. Null unless it is a transfer." since:"next"`
	Reason            *string       `json:"reason" db:"reason" doc:"Reason for the refund or reversal. Null for money that was received."`
	RecordedBy        *string       `json:"-" db:"recorded_by"` // ID of the user or key
	CreatedAt         time.Time     `json:"created_at" db:"created_at" doc:"When the payment was recorded. received_on is when the money arrived."`
}

// PaymentMethod is how money was paid.
type PaymentMethod string

var allPaymentMethods = enum.Of[PaymentMethod]("PaymentMethod", "How money was paid. financing is money from a lender.",
	"cash", "check", "ach", "wire", "card", "financing")

func (PaymentMethod) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allPaymentMethods.Describe(s)
}

// PaymentKind is what a payment is for.
type PaymentKind string

var allPaymentKinds = enum.Of[PaymentKind]("PaymentKind", "What a payment is for.",
	"deposit", "down_payment", "balance", "lender_proceeds")

func (PaymentKind) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allPaymentKinds.Describe(s)
}

// PaymentStatus is how much is left of a payment.
type PaymentStatus string

// The values.
const (
	PaymentSucceeded         PaymentStatus = "succeeded"
	PaymentPartiallyRefunded PaymentStatus = "partially_refunded"
	PaymentRefunded          PaymentStatus = "refunded"
	PaymentReversed          PaymentStatus = "reversed"
	PaymentTransferred       PaymentStatus = "transferred"
)

var allPaymentStatuses = enum.Of("PaymentStatus", "How much is left of a payment.",
	PaymentSucceeded, PaymentPartiallyRefunded, PaymentRefunded, PaymentReversed, PaymentTransferred)

func (PaymentStatus) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allPaymentStatuses.Describe(s)
}

// PaymentType is the direction of a payment and why it happened.
type PaymentType string

// The types of payments.
const (
	Paid        PaymentType = "payment"
	Refunded    PaymentType = "refund"
	Reversed    PaymentType = "reversal"
	TransferOut PaymentType = "transfer_out"
	TransferIn  PaymentType = "transfer_in"
)

var paymentTypes = enum.Of("PaymentType", "Whether money was received, paid back, never arrived, or moved to another deal.",
	Paid, Refunded, Reversed, TransferOut, TransferIn)

func (PaymentType) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return paymentTypes.Describe(s)
}

// PaymentRecord is the request body for recording a payment.
type PaymentRecord struct {
	_ struct{} `doc:"A payment to record."`

	Kind        PaymentKind   `json:"kind" doc:"What the money is for. Use lender_proceeds for the money of a lender."`
	Method      PaymentMethod `json:"method" doc:"How the money was paid. financing is money from a lender."`
	AmountCents int64         `json:"amount_cents" minimum:"1" maximum:"100000000000" doc:"Amount in cents." example:"500000"`
	Reference   *string       `json:"reference" required:"false" maxLength:"200" doc:"Check number or ID of the payment processor."`
	ReceivedOn  *string       `json:"received_on" required:"false" format:"date" doc:"Defaults to today's date at the dealership. At most a year ago."`
}

// payment builds the payment. today is the date at the dealership.
func (r PaymentRecord) payment(d deals.Deal, today time.Time) (Payment, error) {
	p := Payment{
		Type: Paid, Kind: r.Kind, Method: r.Method, AmountCents: r.AmountCents, Reference: r.Reference,
		ReceivedOn: today.Format(time.DateOnly),
	}
	if r.ReceivedOn != nil {
		if *r.ReceivedOn > p.ReceivedOn { // both YYYY-MM-DD
			var bad fault.Fields
			bad.Add("received_on", "maximum", "must not be later than today, %s", p.ReceivedOn)
			return p, bad.Err()
		}
		if first := today.AddDate(-1, 0, 0).Format(time.DateOnly); *r.ReceivedOn < first {
			var bad fault.Fields
			bad.Add("received_on", "minimum", "must not be earlier than a year ago, %s", first)
			return p, bad.Err()
		}
		p.ReceivedOn = *r.ReceivedOn
	}
	if d.Status == deals.Cancelled || d.Status == deals.Closed && d.Totals.BalanceDueCents <= 0 {
		return p, fault.Conflict("The deal is %s and nothing is due. You can't add payments to it.", d.Status).
			Detail("status", "state", "is %s", d.Status)
	}
	p.derive(0, "")
	return p, nil
}

// PaymentRefund is the request body for a refund or a reversal.
type PaymentRefund struct {
	_ struct{} `doc:"A refund or reversal to record."`

	AmountCents *int64  `json:"amount_cents" required:"false" minimum:"1" maximum:"100000000000" doc:"Amount in cents. Defaults to the remaining amount of the payment."`
	Reason      string  `json:"reason" minLength:"1" maxLength:"500" doc:"Why the money is paid back or did not arrive."`
	Reference   *string `json:"reference" required:"false" maxLength:"200" doc:"Check number or ID of the payment processor for the refund."`
	Reversal    bool    `json:"reversal,omitempty" doc:"Whether the money never arrived, such as a bounced check or a card chargeback. You can record a reversal in any status of the deal." since:"next"`
}

// checkRefund fails if the money is not there to be paid back.
func (r PaymentRefund) checkRefund(d deals.Deal) error {
	if r.Reversal || d.Status != deals.Cancelled || d.DepositOutcome == nil || *d.DepositOutcome != "transfer" {
		return nil
	}
	return fault.Conflict("The payments of this deal were transferred to another deal. Refund them there.").
		Detail("deposit_outcome", "state", "is transfer")
}

// refund builds a refund or a reversal of the payment. today is the date at the
// dealership.
func (p Payment) refund(r PaymentRefund, today time.Time) (Payment, error) {
	remaining := p.remaining()
	switch {
	case p.RefundsPaymentID != nil:
		return Payment{}, fault.Conflict("You can't refund a refund.").Detail("refunds_payment_id", "state", "is set")
	case remaining == 0:
		return Payment{}, fault.Conflict("Nothing is left of the payment. It is already %s.", p.Status).
			Detail("status", "state", "is %s", p.Status)
	case r.AmountCents != nil && *r.AmountCents > remaining:
		return Payment{}, fault.Conflict("The refund exceeds the remaining %s of this payment.", money.Format(remaining)).
			Detail("amount_cents", "maximum", "must be at most %d", remaining)
	}

	refund := Payment{
		Type: Refunded, Kind: p.Kind, Method: p.Method, AmountCents: remaining, Reference: r.Reference, ReceivedOn: today.Format(time.DateOnly),
		RefundsPaymentID: &p.ID, Reason: &r.Reason,
	}
	if r.AmountCents != nil {
		refund.AmountCents = *r.AmountCents
	}
	if r.Reversal {
		refund.Type = Reversed
	}
	refund.derive(0, "")
	return refund, nil
}

// currencyCents is by how much the payment changes the currency that was received. A refund doesn't
// change it: the currency was received.
func (p Payment) currencyCents() int64 {
	switch {
	case p.Method != "cash":
		return 0
	case p.Type == Paid || p.Type == TransferIn:
		return p.AmountCents
	case p.Type == Reversed || p.Type == TransferOut:
		return -p.AmountCents
	}
	return 0
}

// settlements builds the refunds and reversals of a sale that is undone. Each payment that is left
// must have an outcome. today is the date at the dealership.
func settlements(all []Payment, u deals.DealUnwind, today time.Time) (settled []Payment, err error) {
	var bad fault.Fields
	left := map[string]Payment{}
	for _, p := range all {
		if p.RefundsPaymentID == nil && p.remaining() > 0 {
			left[p.ID] = p
		}
	}
	for i, o := range u.Payments {
		p, ok := left[o.PaymentID]
		delete(left, o.PaymentID)
		switch {
		case !ok:
			bad.Add(fmt.Sprintf("payments[%d].payment_id", i), "not_found", "must be a payment of this deal that is not refunded yet, named once")
		case o.Outcome == deals.KeepPayment && o.AmountCents != nil:
			bad.Add(fmt.Sprintf("payments[%d].amount_cents", i), "exclusive", "is only allowed for a refund or reversal")
		case o.Outcome == deals.KeepPayment:
		default:
			back, err := p.refund(PaymentRefund{AmountCents: o.AmountCents, Reason: u.Reason, Reversal: o.Outcome == deals.ReversePayment}, today)
			if err != nil {
				return nil, err
			}
			settled = append(settled, back)
		}
	}
	for _, p := range all {
		if _, missing := left[p.ID]; missing {
			bad.Add("payments", "required", "must say what happens to payment %s of %s", p.ID, money.Format(p.remaining()))
		}
	}
	return settled, bad.Err()
}

// transfer builds both halves of a transfer of what is left of the payment. today
// is the date at the dealership.
func (p Payment) transfer(to deals.Deal, today time.Time) (out, in Payment) {
	day := today.Format(time.DateOnly)
	out = Payment{
		Type: TransferOut, Kind: p.Kind, Method: p.Method, AmountCents: p.remaining(), ReceivedOn: day,
		RefundsPaymentID: &p.ID, TransferDealID: &to.ID, Reason: new("deal cancelled"),
	}
	in = Payment{
		Type: TransferIn, Kind: p.Kind, Method: p.Method, AmountCents: p.remaining(), ReceivedOn: day,
		Reference: p.Reference, TransferDealID: &p.DealID,
	}
	out.derive(0, "")
	in.derive(0, "")
	return out, in
}

// remaining is the amount that was not taken back.
func (p Payment) remaining() int64 { return p.AmountCents - p.RefundedCents }

// derive calculates the fields that are not stored from the amount that was taken
// back and the type of the last row that did so.
func (p *Payment) derive(takenBack int64, last PaymentType) {
	p.RefundedCents, p.Status = takenBack, PaymentSucceeded
	switch {
	case takenBack == 0:
	case takenBack < p.AmountCents:
		p.Status = PaymentPartiallyRefunded
	case last == Reversed:
		p.Status = PaymentReversed
	case last == TransferOut:
		p.Status = PaymentTransferred
	default:
		p.Status = PaymentRefunded
	}
}
