package finance

import (
	"context"
	"slices"
	"time"

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

// UnwindFundings charges back what a lender has paid for a sale that is undone, and withdraws the
// other fundings. The caller saves the deal.
func UnwindFundings(ctx context.Context, tx *db.Tx, d *deals.Deal) error {
	all, err := fundingsOf(ctx, tx, *d)
	if err != nil {
		return err
	}
	for i := range all {
		f := &all[i]
		if f.Status != Funded {
			continue
		}
		before := *f
		f.Status, f.Reason = ChargedBack, new("deal unwound")
		if err := saveFunding(ctx, tx, before, f); err != nil {
			return err
		}
	}
	return WithdrawFundings(ctx, tx, d)
}

// UnwindPayments settles each payment of a sale that is undone. The caller saves the deal.
func UnwindPayments(ctx context.Context, tx *db.Tx, d *deals.Deal, u deals.DealUnwind) error {
	day, err := Today(ctx, tx)
	if err != nil {
		return err
	}
	all, err := Payments(ctx, tx, *d)
	if err != nil {
		return err
	}
	settled, err := settlements(all, u, day)
	if err != nil {
		return err
	}
	for _, p := range settled {
		if err := addPayment(ctx, tx, d, &p); err != nil {
			return err
		}
	}
	return nil
}

// CancelProducts cancels the products of a sale that is undone. Their profit is part of what the
// unwinding takes back. The caller saves the deal.
func CancelProducts(ctx context.Context, tx *db.Tx, d *deals.Deal) error {
	s, err := selectedOf(ctx, tx, *d)
	if err != nil {
		return err
	}
	earlier, err := deals.Adjustments(ctx, tx, *d)
	if err != nil {
		return err
	}
	for _, a := range remaining(*d, s, earlier) {
		if err := deals.InsertAdjustment(ctx, tx, d, &a); err != nil {
			return err
		}
	}
	return nil
}

// SettlePayments refunds the payments of a deal that is being cancelled, or moves
// them to another deal, as its deposit outcome says. The caller saves the deal.
func SettlePayments(ctx context.Context, tx *db.Tx, d *deals.Deal) error {
	if d.DepositOutcome == nil || *d.DepositOutcome == "forfeit" {
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
	left := slices.DeleteFunc(all, func(p Payment) bool { return p.RefundsPaymentID != nil || p.remaining() == 0 })

	if d.TransferredToDealID != nil {
		return transferPayments(ctx, tx, d, left, day)
	}
	for _, p := range left {
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

// transferPayments moves what is left of payments to another deal. Each payment
// becomes one row out and one row in.
func transferPayments(ctx context.Context, tx *db.Tx, d *deals.Deal, left []Payment, day time.Time) error {
	to, err := deals.FindForUpdate(ctx, tx, *d.TransferredToDealID)
	if err != nil {
		return err
	}
	before := to

	for _, p := range left {
		out, in := p.transfer(to, day)
		out.ID, in.ID = tx.NewID(payments.Prefix), tx.NewID(payments.Prefix)
		out.TransferPaymentID, in.TransferPaymentID = &in.ID, &out.ID
		if err := addPayment(ctx, tx, d, &out); err != nil {
			return err
		}
		if err := addPayment(ctx, tx, &to, &in); err != nil {
			return err
		}
	}
	return deals.Save(ctx, tx, before, &to)
}
