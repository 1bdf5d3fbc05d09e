package finance

import (
	"context"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// ByPayment are the path parameters of a payment.
type ByPayment struct {
	deals.ByDeal
	PaymentID string `path:"payment_id" doc:"ID of the payment." example:"pay_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) listPayments(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByDeal
	page.Query
}) (page.Page[Payment], error) {
	return listPayments(ctx, tx, in.DealID, in.Query)
}

func (a *API) getPayment(ctx context.Context, tx *db.Tx, in *ByPayment) (Payment, error) {
	if _, err := deals.Find(ctx, tx, in.DealID); err != nil {
		return Payment{}, err
	}
	return findPayment(ctx, tx, in.DealID, in.PaymentID)
}

func (a *API) recordPayment(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByDeal
	Body PaymentRecord
}) (Payment, error) {
	d, err := lockDeal(ctx, tx, in.DealID)
	if err != nil {
		return Payment{}, err
	}
	day, err := Today(ctx, tx)
	if err != nil {
		return Payment{}, err
	}

	p, err := in.Body.payment(d, day)
	if err != nil {
		return p, err
	}
	by := auth.From(ctx).Actor.ID
	p.RecordedBy = &by
	err = savePayment(ctx, tx, &d, &p)
	return p, err
}

func (a *API) refundPayment(ctx context.Context, tx *db.Tx, in *struct {
	ByPayment
	Body PaymentRefund
}) (Payment, error) {
	d, err := deals.FindForUpdate(ctx, tx, in.DealID)
	if err != nil {
		return Payment{}, err
	}
	p, err := findPayment(ctx, tx, d.ID, in.PaymentID)
	if err != nil {
		return p, err
	}
	if err := rest.CheckIfMatch(ctx, d.Version); err != nil {
		return p, err
	}
	day, err := Today(ctx, tx)
	if err != nil {
		return p, err
	}

	if err := in.Body.checkRefund(d); err != nil {
		return p, err
	}
	refund, err := p.refund(in.Body, day)
	if err != nil {
		return refund, err
	}
	err = savePayment(ctx, tx, &d, &refund)
	return refund, err
}

// undoPayment needs no duty, because no money leaves: it was never received.
func (a *API) undoPayment(ctx context.Context, tx *db.Tx, in *ByPayment) (Payment, error) {
	d, err := deals.FindForUpdate(ctx, tx, in.DealID)
	if err != nil {
		return Payment{}, err
	}
	p, err := findPayment(ctx, tx, d.ID, in.PaymentID)
	if err != nil {
		return p, err
	}
	if err := rest.CheckIfMatch(ctx, d.Version); err != nil {
		return p, err
	}
	if err := p.checkUndo(d, auth.From(ctx).Actor.ID, tx.Now); err != nil {
		return p, err
	}
	day, err := Today(ctx, tx)
	if err != nil {
		return p, err
	}

	reversal, err := p.refund(PaymentRefund{Reason: "Recorded by mistake", Reversal: true}, day)
	if err != nil {
		return reversal, err
	}
	err = savePayment(ctx, tx, &d, &reversal)
	return reversal, err
}
