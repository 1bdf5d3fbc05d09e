package finance

import (
	"context"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/page"
)

var payments = db.Table[Payment]{Name: "payments", Prefix: "pay", Noun: "payment", Parent: "deal_id"}

func findPayment(ctx context.Context, tx *db.Tx, dealID, id string) (Payment, error) {
	p, err := payments.FindIn(ctx, tx, dealID, id)
	if err != nil {
		return p, err
	}
	one := []Payment{p}
	err = addRefunds(ctx, tx, dealID, one)
	return one[0], err
}

func listPayments(ctx context.Context, tx *db.Tx, dealID string, q page.Query) (page.Page[Payment], error) {
	p, err := deals.ListOf(ctx, tx, payments, dealID, q)
	if err != nil {
		return p, err
	}
	err = addRefunds(ctx, tx, dealID, p.Data)
	return p, err
}

// Payments returns the payments and refunds of a deal, oldest first.
func Payments(ctx context.Context, tx *db.Tx, d deals.Deal) ([]Payment, error) {
	all, err := db.All[Payment](ctx, tx, `SELECT {cols} FROM payments WHERE env = ? AND deal_id = ? ORDER BY id`, d.Env, d.ID)
	if err != nil {
		return all, err
	}
	err = addRefunds(ctx, tx, d.ID, all)
	return all, err
}

// addRefunds fills in the fields that are calculated from the refunds.
func addRefunds(ctx context.Context, tx *db.Tx, dealID string, all []Payment) error {
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
	for i, p := range all {
		all[i].derive(refunded[p.ID])
	}
	return err
}

// sumPaid returns the payments of one kind minus their refunds.
func sumPaid(ctx context.Context, tx *db.Tx, d deals.Deal, kind string) (int64, error) {
	return db.One[int64](ctx, tx, `SELECT CAST(COALESCE(SUM(CASE WHEN refunds_payment_id IS NULL THEN amount_cents ELSE -amount_cents END), 0) AS BIGINT)
		FROM payments WHERE env = ? AND deal_id = ? AND kind = ?`, d.Env, d.ID, kind)
}

// addPayment adds a payment or a refund and updates the balance of the deal. The
// caller has locked the deal and saves it.
func addPayment(ctx context.Context, tx *db.Tx, d *deals.Deal, p *Payment) error {
	p.DealID = d.ID
	if err := payments.Insert(ctx, tx, p); err != nil {
		return err
	}
	if p.RefundsPaymentID != nil {
		d.PaidCents -= p.AmountCents
		return events.Emit(ctx, tx, "payment.refunded", p.ID, nil, *p)
	}
	d.PaidCents += p.AmountCents
	return events.Emit(ctx, tx, "payment.recorded", p.ID, nil, *p)
}

// savePayment adds a payment or a refund and saves the deal with its new balance.
func savePayment(ctx context.Context, tx *db.Tx, d *deals.Deal, p *Payment) error {
	before := *d
	if err := addPayment(ctx, tx, d, p); err != nil {
		return err
	}
	return deals.Save(ctx, tx, before, d)
}
