package finance

import (
	"context"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

func findPayment(ctx context.Context, tx *db.Tx, d deals.Deal, id string) (Payment, error) {
	p, err := db.One[Payment](ctx, tx, `SELECT {cols} FROM payments WHERE env = ? AND deal_id = ? AND id = ?`, d.Env, d.ID, id)
	if db.IsNoRows(err) {
		return p, fault.NotFound("payment", id)
	}
	if err != nil {
		return p, err
	}
	one := []Payment{p}
	err = addRefunds(ctx, tx, d.ID, one)
	return one[0], err
}

func listPayments(ctx context.Context, tx *db.Tx, dealID string, q page.Query) (page.Page[Payment], error) {
	p, err := deals.ListOf[Payment](ctx, tx, "payments", "pay", dealID, q)
	if err != nil {
		return p, err
	}
	return p, addRefunds(ctx, tx, dealID, p.Data)
}

// Payments are the payments and refunds of a deal, oldest first.
func Payments(ctx context.Context, tx *db.Tx, d deals.Deal) ([]Payment, error) {
	all, err := db.All[Payment](ctx, tx, `SELECT {cols} FROM payments WHERE env = ? AND deal_id = ? ORDER BY id`, d.Env, d.ID)
	if err != nil {
		return all, err
	}
	return all, addRefunds(ctx, tx, d.ID, all)
}

// addRefunds fills in what follows from the refunds of a deal's payments.
func addRefunds(ctx context.Context, tx *db.Tx, dealID string, payments []Payment) error {
	type sum struct {
		ID    string `db:"refunds_payment_id"`
		Cents int64  `db:"cents"`
	}
	sums, err := db.All[sum](ctx, tx, `SELECT refunds_payment_id, CAST(SUM(amount_cents) AS BIGINT) AS cents FROM payments
		WHERE env = ? AND deal_id = ? AND refunds_payment_id IS NOT NULL GROUP BY refunds_payment_id`, tx.Env, dealID)
	refunded := map[string]int64{}
	for _, s := range sums {
		refunded[s.ID] = s.Cents
	}
	for i, p := range payments {
		payments[i].derive(refunded[p.ID])
	}
	return err
}

// sumPaid is what was paid of one kind, less what went back.
func sumPaid(ctx context.Context, tx *db.Tx, d deals.Deal, kind string) (int64, error) {
	return db.One[int64](ctx, tx, `SELECT CAST(COALESCE(SUM(CASE WHEN refunds_payment_id IS NULL THEN amount_cents ELSE -amount_cents END), 0) AS BIGINT)
		FROM payments WHERE env = ? AND deal_id = ? AND kind = ?`, d.Env, d.ID, kind)
}

// addPayment adds a payment or a refund to a deal, which the caller keeps. The
// deal is locked: nothing else is paid at the same time.
func addPayment(ctx context.Context, tx *db.Tx, d *deals.Deal, p *Payment) error {
	p.Env, p.ID, p.DealID, p.CreatedAt = d.Env, tx.NewID("pay"), d.ID, tx.Now
	if err := db.Insert(ctx, tx, "payments", *p); err != nil {
		return err
	}
	if p.RefundsPaymentID != nil {
		d.PaidCents -= p.AmountCents
		return events.Emit(ctx, tx, "payment.refunded", p.ID, nil, *p)
	}
	d.PaidCents += p.AmountCents
	return events.Emit(ctx, tx, "payment.recorded", p.ID, nil, *p)
}

// keepPayment adds a payment or a refund and keeps the deal's new balance.
func keepPayment(ctx context.Context, tx *db.Tx, d *deals.Deal, p *Payment) error {
	before := *d
	if err := addPayment(ctx, tx, d, p); err != nil {
		return err
	}
	return deals.Keep(ctx, tx, before, d)
}
