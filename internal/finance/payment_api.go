package finance

import (
	"context"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/page"
)

// ByPayment names a payment of a deal.
type ByPayment struct {
	deals.ByDeal
	PaymentID string `path:"payment_id" example:"pay_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) payments(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByDeal
	page.Query
}) (page.Page[Payment], error) {
	return listPayments(ctx, tx, in.DealID, in.Query)
}

func (a *API) getPayment(ctx context.Context, tx *db.Tx, in *ByPayment) (Payment, error) {
	return look(ctx, tx, in.DealID, func(d deals.Deal) (Payment, error) {
		return findPayment(ctx, tx, d, in.PaymentID)
	})
}

func (a *API) recordPayment(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByDeal
	Body PaymentRecord
}) (Payment, error) {
	return change(ctx, tx, in.DealID, func(d *deals.Deal) (Payment, error) {
		if err := rest.CheckIfMatch(ctx, d.Version); err != nil {
			return Payment{}, err
		}
		day, err := Today(ctx, tx)
		if err != nil {
			return Payment{}, err
		}
		p, err := in.Body.payment(*d, day)
		if err != nil {
			return p, err
		}
		return p, keepPayment(ctx, tx, d, &p)
	})
}

func (a *API) refundPayment(ctx context.Context, tx *db.Tx, in *struct {
	ByPayment
	Body PaymentRefund
}) (Payment, error) {
	return change(ctx, tx, in.DealID, func(d *deals.Deal) (Payment, error) {
		p, err := findPayment(ctx, tx, *d, in.PaymentID)
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
		back, err := p.refund(in.Body, day)
		if err != nil {
			return back, err
		}
		return back, keepPayment(ctx, tx, d, &back)
	})
}
