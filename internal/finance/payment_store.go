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

// addRefunds fills in the fields that are calculated from refunds, reversals and
// transfers.
func addRefunds(ctx context.Context, tx *db.Tx, dealID string, all []Payment) error {
	refunds, err := refundsOf(ctx, tx, []string{dealID})
	deriveAll(all, refunds)
	return err
}

// refund is a row that takes back a part of a payment.
type refund struct {
	ID    string      `db:"refunds_payment_id"`
	Type  PaymentType `db:"type"`
	Cents int64       `db:"amount_cents"`
}

// refundsOf returns the refunds, reversals and transfers of deals, oldest first.
func refundsOf(ctx context.Context, tx *db.Tx, dealIDs []string) ([]refund, error) {
	marks, args := db.In(dealIDs)
	return db.All[refund](ctx, tx, `SELECT {cols} FROM payments WHERE env = ? AND deal_id IN `+marks+` AND refunds_payment_id IS NOT NULL
		ORDER BY id`, append([]any{tx.Env}, args...)...)
}

// deriveAll fills in the fields of payments that are calculated from refunds.
func deriveAll(all []Payment, refunds []refund) {
	sums, last := map[string]int64{}, map[string]PaymentType{}
	for _, r := range refunds {
		sums[r.ID] += r.Cents
		last[r.ID] = r.Type
	}
	for i, p := range all {
		all[i].derive(sums[p.ID], last[p.ID])
	}
}

// sumPaid returns the payments of one kind minus their refunds.
func sumPaid(ctx context.Context, tx *db.Tx, d deals.Deal, kind string) (int64, error) {
	return db.One[int64](ctx, tx, `SELECT CAST(COALESCE(SUM(CASE WHEN refunds_payment_id IS NULL THEN amount_cents ELSE -amount_cents END), 0) AS BIGINT)
		FROM payments WHERE env = ? AND deal_id = ? AND kind = ?`, d.Env, d.ID, kind)
}

// addPayment adds a payment, or what takes one back, and updates the balance of the deal. The
// caller has locked the deal and saves it.
func addPayment(ctx context.Context, tx *db.Tx, d *deals.Deal, p *Payment) error {
	p.DealID = d.ID
	if err := payments.Insert(ctx, tx, p); err != nil {
		return err
	}
	if p.RefundsPaymentID != nil {
		d.PaidCents -= p.AmountCents
	} else {
		d.PaidCents += p.AmountCents
	}
	d.CurrencyCents += p.currencyCents()
	event := map[PaymentType]string{
		Paid: "payment.recorded", Refunded: "payment.refunded", Reversed: "payment.reversed",
		TransferOut: "payment.transferred", TransferIn: "payment.recorded",
	}[p.Type]
	return events.Emit(ctx, tx, event, p.ID, events.Change{After: *p})
}

// savePayment adds a payment or a refund and saves the deal with its new balance.
func savePayment(ctx context.Context, tx *db.Tx, d *deals.Deal, p *Payment) error {
	before := *d
	if err := addPayment(ctx, tx, d, p); err != nil {
		return err
	}
	return deals.Save(ctx, tx, before, d)
}
