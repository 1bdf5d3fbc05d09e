package finance

import (
	"context"
	"time"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
)

// Adjust cancels a product of a deal after the delivery, or records a charge-back of the
// reserve.
func Adjust(ctx context.Context, tx *db.Tx, dealID string, c DealAdjustmentCreate) (deals.DealAdjustment, error) {
	d, err := lockDeal(ctx, tx, dealID)
	if err != nil {
		return deals.DealAdjustment{}, err
	}
	if err := c.Check(tx.Now); err != nil {
		return deals.DealAdjustment{}, err
	}
	s, err := selectedOf(ctx, tx, d)
	if err != nil {
		return deals.DealAdjustment{}, err
	}
	earlier, err := deals.Adjustments(ctx, tx, d)
	if err != nil {
		return deals.DealAdjustment{}, err
	}
	today, err := Today(ctx, tx)
	if err != nil {
		return deals.DealAdjustment{}, err
	}

	a, err := c.adjustment(d, s, earlier, today.Format(time.DateOnly))
	if err != nil {
		return a, err
	}
	before := d
	if c.PaymentID != nil {
		if a.PaymentID, err = refundTo(ctx, tx, &d, c, today); err != nil {
			return a, err
		}
	}
	return a, deals.AddAdjustment(ctx, tx, before, &d, &a)
}

// refundTo records the refund of a canceled product on a payment and returns its ID.
func refundTo(ctx context.Context, tx *db.Tx, d *deals.Deal, c DealAdjustmentCreate, today time.Time) (*string, error) {
	p, err := findPayment(ctx, tx, d.ID, *c.PaymentID)
	if err != nil {
		return nil, notFoundIn("payment_id", "must be a payment of this deal", err)
	}
	refund, err := p.refund(PaymentRefund{AmountCents: &c.RefundCents, Reason: c.Reason}, today)
	if err != nil {
		return nil, err
	}
	err = addPayment(ctx, tx, d, &refund)
	return &refund.ID, err
}

// selectedOf returns the selected structure of a deal, with what the caller can't see, or nil.
func selectedOf(ctx context.Context, tx *db.Tx, d deals.Deal) (*FinanceStructure, error) {
	if d.SelectedStructureID == nil {
		return nil, nil
	}
	s, err := structures.FindIn(ctx, tx, d.ID, *d.SelectedStructureID)
	return &s, err
}
