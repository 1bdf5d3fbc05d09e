package finance

import (
	"context"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
)

// Unwind ends what was begun for a deal that is being cancelled: fundings are
// withdrawn, documents that not all have signed are voided, and money that goes
// back to the buyer is recorded as refunds. The caller keeps the deal.
func Unwind(ctx context.Context, tx *db.Tx, d *deals.Deal) error {
	if err := withdrawFundings(ctx, tx, d); err != nil {
		return err
	}
	docs, err := documentsOf(ctx, tx, *d)
	if err != nil {
		return err
	}
	for _, doc := range docs {
		if doc.Status != Issued && doc.Status != PartiallySigned {
			continue
		}
		before := doc
		if err := doc.void("deal cancelled", *d, tx.Now); err != nil {
			return err
		}
		if err := saveDocument(ctx, tx, before, &doc, "document.voided"); err != nil {
			return err
		}
	}
	if d.DepositOutcome == nil || *d.DepositOutcome != "refund" {
		return nil
	}
	return refundAll(ctx, tx, d)
}

func withdrawFundings(ctx context.Context, tx *db.Tx, d *deals.Deal) error {
	all, err := fundingsOf(ctx, tx, *d)
	if err != nil || len(all) == 0 {
		return err
	}
	for i := range all {
		f := &all[i]
		if f.isOpen() != nil {
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

func refundAll(ctx context.Context, tx *db.Tx, d *deals.Deal) error {
	day, err := today(ctx, tx)
	if err != nil {
		return err
	}
	all, err := paymentsOf(ctx, tx, *d)
	if err != nil {
		return err
	}
	for _, p := range all {
		if p.RefundsPaymentID != nil || p.left() == 0 {
			continue
		}
		back, err := p.refund(PaymentRefund{Reason: "deal cancelled"}, day)
		if err != nil {
			return err
		}
		if err := addPayment(ctx, tx, d, &back); err != nil {
			return err
		}
	}
	return nil
}
