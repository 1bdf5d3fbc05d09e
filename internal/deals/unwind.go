package deals

import (
	"slices"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// DealUnwind is the request body for undoing a sale.
type DealUnwind struct {
	_ struct{} `doc:"Why a sale is undone, and what happens to the payments and the boat."`

	Reason     string           `json:"reason" minLength:"1" maxLength:"500" doc:"Why the sale is undone. It becomes cancel_reason."`
	Payments   []PaymentOutcome `json:"payments,omitempty" maxItems:"200" doc:"What happens to each payment that is not refunded yet."`
	HullStatus hulls.Status     `json:"hull_status" enum:"available,not_for_sale" doc:"Status of the boat afterwards."`
	Titled     *bool            `json:"titled" required:"false" doc:"Whether the boat was titled to the buyer. Then it is used from now on. Defaults to true if it was delivered."`
}

var _ = enum.Part[DealUnwind]("HullStatus", "UnwoundHullStatus", "Status of a boat whose sale was undone.")

// PaymentOutcome is what happens to a payment of a sale that is undone.
type PaymentOutcome struct {
	_ struct{} `doc:"What happens to a payment of a sale that is undone."`

	PaymentID   string  `json:"payment_id" minLength:"1" maxLength:"64" doc:"Payment of the deal." example:"pay_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Outcome     Outcome `json:"outcome" doc:"refund pays the money back. reversal records that the money was taken back, such as by the lender. keep doesn't change the payment."`
	AmountCents *int64  `json:"amount_cents" required:"false" minimum:"1" maximum:"100000000000" doc:"Amount to refund or reverse. The dealership keeps the rest. Defaults to the remaining amount."`
}

// Outcome is what happens to a payment.
type Outcome string

// The outcomes.
const (
	RefundPayment  Outcome = "refund"
	ReversePayment Outcome = "reversal"
	KeepPayment    Outcome = "keep"
)

var allOutcomes = enum.Of("PaymentOutcomeKind", "What happens to a payment of a sale that is undone.", RefundPayment, ReversePayment, KeepPayment)

func (Outcome) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allOutcomes.Describe(s)
}

// unwindable lists the statuses in which a sale can be undone. Before them, a deal can be
// cancelled.
var unwindable = []Status{Funded, Delivered, Closed}

// unwind undoes the sale. Its delivery stays in the reports of its month, and the undoing is in
// the reports of this month.
func (d *Deal) unwind(u DealUnwind, now time.Time) error {
	switch {
	case d.Status == Cancelled:
		return fault.Conflict("The deal is already cancelled.").Detail("status", "state", "is cancelled")
	case !slices.Contains(unwindable, d.Status):
		return fault.Conflict("The deal is %s. Cancel it instead.", d.Status).Detail("status", "state", "must be funded, delivered or closed")
	}
	d.Status, d.CancelReason, d.CancelledAt, d.UnwoundAt = Cancelled, &u.Reason, &now, &now
	return nil
}

// titled reports whether the boat was titled to the buyer.
func (u DealUnwind) titled(before Deal) bool {
	if u.Titled != nil {
		return *u.Titled
	}
	return before.DeliveredAt != nil
}
