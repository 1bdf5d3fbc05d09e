package finance

import (
	"context"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
)

// WithdrawFundings withdraws the open fundings of a deal that is being
// cancelled. The caller saves the deal.
func WithdrawFundings(ctx context.Context, tx *db.Tx, d *deals.Deal) error {
	all, err := fundingsOf(ctx, tx, *d)
	if err != nil || len(all) == 0 {
		return err
	}

	for i := range all {
		f := &all[i]
		if f.checkOpen() != nil {
			continue
		}
		before := *f
		f.Status, f.Reason = Withdrawn, new("deal cancelled")
		if err := saveFunding(ctx, tx, before, f); err != nil {
			return err
		}
	}
	d.FundingState = stateOf(all)
	return nil
}

// RefundPayments records a refund of every payment of a deal that is being
// cancelled, if the buyer gets the money back. The caller saves the deal.
func RefundPayments(ctx context.Context, tx *db.Tx, d *deals.Deal) error {
	if d.DepositOutcome == nil || *d.DepositOutcome != "refund" {
		return nil
	}

	day, err := Today(ctx, tx)
	if err != nil {
		return err
	}
	all, err := Payments(ctx, tx, *d)
	if err != nil {
		return err
	}

	for _, p := range all {
		if p.RefundsPaymentID != nil || p.remaining() == 0 {
			continue
		}
		refund, err := p.refund(PaymentRefund{Reason: "deal cancelled"}, day)
		if err != nil {
			return err
		}
		if err := addPayment(ctx, tx, d, &refund); err != nil {
			return err
		}
	}
	return nil
}
